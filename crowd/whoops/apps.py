from django.apps import AppConfig


class WhoopsConfig(AppConfig):
    name = "crowd.whoops"
    verbose_name = "Weird images"

    def ready(self) -> None:
        from crowd import family
        from crowd.whoops.design.services import purged_designers
        from crowd.whoops.family import FAMILY

        family.register(FAMILY)
        purged_designers.register()

    def lay_first_rows(self, *, using: str) -> None:
        from crowd.whoops.first_rows import lay_categories, mark_categories

        lay_categories(self.get_model("Category"), using=using)
        mark_categories(self.get_model("Category"), using=using)
