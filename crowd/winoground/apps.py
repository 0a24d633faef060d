from django.apps import AppConfig


class WinogroundConfig(AppConfig):
    name = "crowd.winoground"
    verbose_name = "Caption matching"

    def ready(self) -> None:
        from crowd.winoground.roles import extend_roles_table

        extend_roles_table()
