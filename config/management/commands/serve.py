import os
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from config.processes import Supervisor, background_command, web_command
from config.provisioning import account_values, provision
from hits.models import Account
from hits.services.accounts import seed_first_account

DEPOSIT = Decimal(1000)


class Command(BaseCommand):
    help = "The embedded form: a web and a background process, on this machine, without any server."

    def handle(self, *args: Any, **options: Any) -> None:
        prepare()
        Supervisor({"web": web_command(), "background": background_command()}).run(
            on_start=lambda: self.stdout.write(
                f"Researchers: {settings.PUBLIC_URL}/admin/\nWorkers:     {settings.MARKETPLACE_URL}/"
            )
        )


def prepare() -> None:
    """Databases, folders, and a first account: from the environment, or else on our own marketplace."""
    for folder in (settings.BROKER_DIR / "messages", settings.BROKER_DIR / "control", settings.STATIC_ROOT):
        folder.mkdir(parents=True, exist_ok=True)
    for database in settings.DATABASES:
        call_command("migrate", database=database, verbosity=0, interactive=False)
    if Account.objects.connected().exists():
        return
    values = settings.FIRST_ACCOUNT
    seed_first_account(values=values if values["name"] else _own_marketplace())


def _own_marketplace() -> dict[str, str]:
    made = provision(requester=f"local-{os.urandom(3).hex()}", deposit=DEPOSIT)
    return account_values(made, name="Local marketplace")
