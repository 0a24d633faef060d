from django.apps import AppConfig


class PlainConfig(AppConfig):
    name = "crowd.plain"
    verbose_name = "Questions of one's own"

    def ready(self) -> None:
        from crowd import family
        from crowd.plain.family import FAMILY

        family.register(FAMILY)
