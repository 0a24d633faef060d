from django.apps import AppConfig


class WinogavilConfig(AppConfig):
    name = "crowd.winogavil"
    verbose_name = "Association game"

    def ready(self) -> None:
        from crowd.winogavil.creating import CreateFamily
        from crowd.winogavil.solving import SolveFamily
        from hits import families

        families.register(CreateFamily())
        families.register(SolveFamily())
