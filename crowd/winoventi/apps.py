from django.apps import AppConfig


class WinoventiConfig(AppConfig):
    name = "crowd.winoventi"
    verbose_name = "Exception procedure"

    def ready(self) -> None:
        from crowd.winoventi.asking.choices import ChoicesFamily
        from crowd.winoventi.asking.exceptions import ExceptionsFamily
        from crowd.winoventi.asking.premises import PremisesFamily
        from crowd.winoventi.asking.validations import ValidationsFamily
        from crowd.winoventi.asking.walk import WalkFamily
        from crowd.winoventi.challenge.exporting import WinoventiExport
        from crowd.winoventi.limits import LimitDoor
        from crowd.winoventi.replaying.replay import WinoventiReplay
        from crowd.winoventi.roles import extend_roles_table
        from hits import doors, exports, families, replays

        steps = (ExceptionsFamily, PremisesFamily, ValidationsFamily, ChoicesFamily, WalkFamily)
        for family in steps:
            families.register(family())
        doors.register(LimitDoor())
        replays.register(WinoventiReplay())
        exports.register(WinoventiExport())
        extend_roles_table()
