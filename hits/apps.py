from django.apps import AppConfig
from django.db.models.signals import post_migrate


class HitsConfig(AppConfig):
    name = "hits"
    verbose_name = "Studies and payments"

    def ready(self) -> None:
        from hits.append_only import seal_tables
        from hits.common import changes
        from hits.models import Pace
        from hits.roles import give_roles

        post_migrate.connect(give_roles)
        post_migrate.connect(seal_tables)
        # Every call of a provider writes the pace of the calls.
        changes.keep_quiet(Pace._meta.db_table)
