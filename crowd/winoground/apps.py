from django.apps import AppConfig


class WinogroundConfig(AppConfig):
    name = "crowd.winoground"
    verbose_name = "Caption matching"

    def ready(self) -> None:
        from crowd import family
        from crowd.winoground.family import FAMILY

        family.register(FAMILY)

    def lay_first_rows(self, *, using: str) -> None:
        from crowd.winoground.first_rows import lay_tags

        lay_tags(self.get_model("Tag"), using=using)
