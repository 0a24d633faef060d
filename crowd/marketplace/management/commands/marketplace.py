import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from crowd.marketplace.database import ALIAS
from hits.common.next_commands import name_secrets, next_command
from hits.common.supervising import Supervisor

MANAGE = sys.argv[0]


class Command(BaseCommand):
    help = "Serves the marketplace alone: its API, its worker site, and what the clock makes due."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--port",
            type=int,
            default=_own_port(),
            help="port to listen on (default: that of CROWD_MARKETPLACE_URL, or 8600)",
        )
        parser.add_argument(
            "--bind", default="127.0.0.1", help="address to listen on; reachable only from here by default"
        )
        parser.add_argument("--data", metavar="FOLDER", help="where database, keys and texts are kept")
        parser.add_argument("--workers", type=int, default=1, help="web processes")
        parser.add_argument("--threads", type=int, default=8, help="threads of each web process")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["data"]:
            _begin_anew(options)
        settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
        call_command("migrate", database=ALIAS, verbosity=0, interactive=False)
        environment = _environment(port=options["port"])
        commands = {
            "web": _web_command(options),
            "sweep": [sys.executable, MANAGE, "marketplace_sweep"],
        }
        self._tell(environment, options)
        Supervisor(commands, environment=environment).run()

    def _tell(self, environment: Mapping[str, str], options: Mapping[str, Any]) -> None:
        url = environment["CROWD_MARKETPLACE_URL"]
        provision = "marketplace_provision --requester NAME --deposit 100 --workers 3"
        lines = [
            f"The marketplace listens on {options['bind']}:{options['port']}; Ctrl-C stops it.",
            f"  Requesters (boto3's endpoint_url) and workers (a browser): {url}/",
            f"  The operator's desk: {url}/desk/",
            f"  The data stay in {settings.DATA_DIR}.",
            "Next, in another terminal and this folder, the desk's first user:",
            f"  {next_command('marketplace_operator NAME', environ=environment)}",
            "And, if you do not want to do this at the desk, a requester with keys, and workers' links:",
            f"  {next_command(provision, environ=environment)}",
        ]
        if secrets := name_secrets(environ=environment):
            lines.append(secrets)
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def _begin_anew(options: Mapping[str, Any]) -> None:
    """Start again with the data in this folder: settings are read once, at the start."""
    chosen = [f"--{name}={options[name]}" for name in ("port", "bind", "workers", "threads")]
    folder = str(Path(options["data"]).expanduser().resolve())
    command = [sys.executable, MANAGE, "marketplace", *chosen]
    os.execve(sys.executable, command, {**os.environ, "CROWD_DATA_DIR": folder})  # noqa: S606


def _own_port() -> int:
    return urlsplit(settings.MARKETPLACE_URL).port or 8600


def _environment(*, port: int) -> dict[str, str]:
    """The environment for the processes, with an address of this machine if none is configured."""
    return {"CROWD_MARKETPLACE_URL": f"http://localhost:{port}", **os.environ}


def _web_command(options: Mapping[str, Any]) -> list[str]:
    return [
        sys.executable, "-m", "gunicorn", "config.wsgi",
        "--chdir", str(settings.BASE_DIR),
        "--bind", f"{options['bind']}:{options['port']}",
        "--workers", str(options["workers"]),
        "--worker-class", "gthread",
        "--threads", str(options["threads"]),
        "--graceful-timeout", "4",
        "--keep-alive", "5",
        # Tickets and signed paths make long addresses.
        "--limit-request-line", "8190",
        "--log-level", "warning",
        "--no-control-socket",
    ]  # fmt: skip
