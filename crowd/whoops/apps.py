from django.apps import AppConfig


class WhoopsConfig(AppConfig):
    name = "crowd.whoops"
    verbose_name = "Weird images"

    def ready(self) -> None:
        from crowd.whoops.roles import extend_roles_table

        extend_roles_table()
