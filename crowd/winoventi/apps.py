from django.apps import AppConfig


class WinoventiConfig(AppConfig):
    name = "crowd.winoventi"
    verbose_name = "Exception procedure"

    def ready(self) -> None:
        from crowd import family
        from crowd.winoventi.family import FAMILY

        family.register(FAMILY)
