from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management import call_command
from django.db import connections

from config.fresh_database import is_empty


class Command(createsuperuser.Command):
    """Django's own command; in a new installation it creates the database first."""

    # Django would look in this database for migrations of the marketplace's own.
    requires_migrations_checks = False

    def execute(self, *args: Any, **options: Any) -> str | None:
        if is_empty(connections[options["database"]]):
            call_command("migrate", database=options["database"], verbosity=0, interactive=False)
        return super().execute(*args, **options)
