from django.apps import AppConfig


class CompensationConfig(AppConfig):
    name = "crowd.compensation"
    verbose_name = "Bonus to collect"

    def ready(self) -> None:
        from crowd.compensation.compensation_task import CollectTask
        from crowd.compensation.entry import PaidWorkerAlone
        from hits import families
        from hits.families import entry_policies

        families.register(CollectTask())
        entry_policies.register(PaidWorkerAlone())
