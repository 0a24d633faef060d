from django.apps import AppConfig


class CompensationConfig(AppConfig):
    name = "crowd.compensation"
    verbose_name = "Bonus to collect"

    def ready(self) -> None:
        from crowd.compensation.collecting import CollectFamily
        from hits import families

        families.register(CollectFamily())
