from django.apps import AppConfig


class WinogavilConfig(AppConfig):
    name = "crowd.winogavil"
    verbose_name = "Association game"

    def ready(self) -> None:
        from crowd import family
        from crowd.winogavil.family import FAMILY

        family.register(FAMILY)
