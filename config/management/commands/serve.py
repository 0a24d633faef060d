import os
import sys
import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from config.fresh_database import OwnLoader, is_empty, unapplied
from config.processes import background_command, is_healthy, web_command
from crowd.provisioning import account_values, provision
from hits.common.next_commands import name_secrets, next_command
from hits.common.supervising import Supervisor
from hits.identity.models.users import User
from hits.providers.models.accounts import Account
from hits.providers.services.accounts import seed_first_account

DEPOSIT = Decimal(1000)
# What workers read beside the work, until it is renamed at the desk.
REQUESTER = "Your lab"


class Command(BaseCommand):
    help = "The embedded form: a web and a background process, on this machine, without any server."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, help="of all its sites (default: 8000)")
        parser.add_argument("--data", metavar="FOLDER", help="where databases, pictures and keys are kept")

    def handle(self, *args: Any, **options: Any) -> None:
        if asked := asked_for(options):
            # Settings are read once, at the start: begin anew with these.
            os.execve(sys.executable, [sys.executable, sys.argv[0], "serve"], {**os.environ, **asked})  # noqa: S606
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


def asked_for(options: Mapping[str, Any]) -> dict[str, str]:
    """What the options say, as the environment says it."""
    asked = {}
    if port := options["port"]:
        asked["CROWD_PUBLIC_URL"] = f"http://127.0.0.1:{port}"
        asked["CROWD_MARKETPLACE_URL"] = f"http://localhost:{port}"
    if options["data"]:
        asked["CROWD_DATA_DIR"] = str(Path(options["data"]).expanduser().resolve())
    return asked


def addresses() -> str:
    """The addresses for each role, and what to do next in a new installation."""
    lines = [
        f"  Researchers and payments staff  {settings.PUBLIC_URL}/admin/",
        f"  Workers                         {settings.MARKETPLACE_URL}/",
        f"  Operators of the marketplace    {settings.MARKETPLACE_URL}/desk/",
        f"  Players of the web game         {settings.PLAY_URL}/",
        "Ctrl-C stops it; the data stay in " + str(settings.DATA_DIR) + ".",
    ]
    lines.append(f"If something looks wrong, ask in another terminal: {next_command('doctor')}")
    if not User.objects.filter(is_superuser=True).exists():
        lines += [
            "",
            "Next, in another terminal and this folder, the first researcher, who signs in as that user:",
            f"  {next_command('createsuperuser')}",
            "And whoever invites workers at the desk:",
            f"  {next_command('marketplace_operator NAME')}",
        ]
        if secrets := name_secrets():
            lines.append(secrets)
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
