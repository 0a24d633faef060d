from django.apps import AppConfig
from django.db.models.signals import post_migrate


class HitsConfig(AppConfig):
    name = "hits"
    verbose_name = "Studies and payments"

    def ready(self) -> None:
        from hits.append_only import seal_tables
        from hits.roles import give_roles

        post_migrate.connect(give_roles)
        post_migrate.connect(seal_tables)
