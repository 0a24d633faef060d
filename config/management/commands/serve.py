import os
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from config.fresh_database import OwnLoader, is_empty, unapplied
from config.processes import background_command, is_healthy, web_command
from crowd.provisioning import account_values, provision
from hits.common.supervising import Supervisor
from hits.identity.models.users import User
from hits.providers.models.accounts import Account
from hits.providers.services.accounts import seed_first_account

DEPOSIT = Decimal(1000)
# What workers read beside the work, until it is renamed at the desk.
REQUESTER = "Your lab"


class Command(BaseCommand):
    help = "The embedded form: a web and a background process, on this machine, without any server."

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        prepare(say=self._say)
        self._say("Starting the web and the background process ...")
        Supervisor({"web": web_command(), "background": background_command()}).run(
            is_ready=is_healthy,
            on_ready=lambda: self._say(f"Ready after {time.monotonic() - began:.0f} s.\n\n{addresses()}"),
        )

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()


def addresses() -> str:
    """The addresses for each role, and what to do next in a new installation."""
    lines = [
        f"  Researchers and payments staff  {settings.PUBLIC_URL}/admin/",
        f"  Workers                         {settings.MARKETPLACE_URL}/",
        f"  Operators of the marketplace    {settings.MARKETPLACE_URL}/desk/",
        f"  Players of the web game         {settings.PLAY_URL}/",
        "Ctrl-C stops it; the data stay in " + str(settings.DATA_DIR) + ".",
    ]
    if not User.objects.filter(is_superuser=True).exists():
        lines += [
            "",
            "Next, in another terminal:",
            "  manage.py createsuperuser            the first researcher: sign in as that user",
            "  manage.py marketplace_operator NAME  whoever invites workers at the desk",
        ]
    return "\n".join(lines)


def prepare(*, say: Callable[[str], None] | None = None) -> None:
    """Prepare databases, folders and a first account: from the environment, or on our own marketplace."""
    for folder in (settings.BROKER_DIR / "messages", settings.BROKER_DIR / "control", settings.STATIC_ROOT):
        folder.mkdir(parents=True, exist_ok=True)
    for database in settings.DATABASES:
        if say:
            say(f"Looking at the database {database} ...")
        # A person who waits for long migrations sees each by its name.
        is_told = (
            say is not None
            and not is_empty(connections[database])
            and unapplied(OwnLoader(connections[database]))
        )
        call_command("migrate", database=database, verbosity=int(bool(is_told)), interactive=False)
    if Account.objects.connected().exists():
        return
    values = settings.FIRST_ACCOUNT
    seed_first_account(values=values if values["name"] else _own_marketplace())


def _own_marketplace() -> dict[str, str]:
    try:
        made = provision(requester=REQUESTER, deposit=DEPOSIT)
    except CommandError:  # the marketplace has served another database before
        made = provision(requester=f"{REQUESTER} {os.urandom(3).hex()}", deposit=DEPOSIT)
    return account_values(made, name="Local marketplace")
