from django.apps import AppConfig


class WinogavilConfig(AppConfig):
    name = "crowd.winogavil"
    verbose_name = "Association game"

    def ready(self) -> None:
        from crowd import family
        from crowd.winogavil.family import FAMILY
        from crowd.winogavil.services import purged_reports
        from crowd.winogavil.services.swow_baseline import baseline_items
        from scoring.queries.rivals_beside_people import keep_apart

        family.register(FAMILY)
        purged_reports.register()
        keep_apart("SWOW baseline", baseline_items)
