from django.apps import AppConfig


class WinogavilConfig(AppConfig):
    name = "crowd.winogavil"
    verbose_name = "Association game"

    def ready(self) -> None:
        from crowd.winogavil.solving import SolveFamily
        from hits import families

        families.register(SolveFamily())
