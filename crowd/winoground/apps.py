from django.apps import AppConfig


class WinogroundConfig(AppConfig):
    name = "crowd.winoground"
    verbose_name = "Caption matching"

    def ready(self) -> None:
        from crowd.pictures import removal
        from crowd.winoground.asking.door import MatchingDoor
        from crowd.winoground.asking.onboarding import OnboardingFamily
        from crowd.winoground.asking.validate import ValidateFamily
        from crowd.winoground.exporting.export import WinogroundExport
        from crowd.winoground.roles import extend_roles_table
        from crowd.winoground.services.posting import follow_pictures
        from hits import doors, exports, families

        families.register(ValidateFamily())
        families.register(OnboardingFamily())
        doors.register(MatchingDoor())
        exports.register(WinogroundExport())
        removal.on_change(follow_pictures)
        extend_roles_table()

    def lay_first_rows(self, *, using: str) -> None:
        from crowd.winoground.first_rows import lay_tags

        lay_tags(self.get_model("Tag"), using=using)
