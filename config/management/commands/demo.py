import json
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.demo import run, seeding
from config.management.commands.serve import prepare
from hits.errors import CrowdError

INSIDE = "DEMO_INSIDE"
SCRATCH = "crowd-demo-"
# Three of them solve what the fourth has made: who solves what does not depend on whose work came first.
WORKERS = 4


class Command(BaseCommand):
    help = "Plays the whole game: spymasters, the rival, solvers, selection, and a run of bonuses."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same figures")
        parser.add_argument("--no-serve", action="store_true", help="end after the run")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        parser.add_argument("--port", type=int, help="default: 8000, or a free one")
        parser.add_argument(
            "--use-environment",
            action="store_true",
            help="use the configured databases and broker instead of scratch ones",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if INSIDE not in os.environ:
            self._start_over(options)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self._run(options)
        except CrowdError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            pass
        finally:
            if settings.DATA_DIR.name.startswith(SCRATCH):
                shutil.rmtree(settings.DATA_DIR, ignore_errors=True)

    def _start_over(self, options: Mapping[str, Any]) -> None:
        """Settings are read at start, so the scratch ones need a fresh process: this one, replaced."""
        port = options["port"] or _free_port()
        kept = {} if not options["use_environment"] else os.environ
        scratch = {
            INSIDE: "1",
            "CROWD_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "CROWD_MARKETPLACE_URL": f"http://localhost:{port}",
        }
        if not options["use_environment"]:
            scratch["CROWD_DATA_DIR"] = tempfile.mkdtemp(prefix=SCRATCH)
        ours = ("CROWD_", "DATABASE_URL", "MARKETPLACE_DATABASE_URL", "REDIS_URL")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        os.execve(sys.executable, [sys.executable, *sys.argv], {**inherited, **kept, **scratch})  # noqa: S606

    def _run(self, options: Mapping[str, Any]) -> None:
        # The product's own log is in the folder of its data; here it would tear the progress bar.
        logging.getLogger().setLevel(logging.WARNING)
        prepare()
        seeded = seeding.seed_game(workers=WORKERS, seed=options["seed"])
        quiet = options["json"]
        with run.served() as server:
            report = run.run(seeded=seeded, seed=options["seed"], say=_say_nothing if quiet else _draw_bar)
            if quiet:
                self.stdout.write(json.dumps(report))
            else:
                self._tell(seeded, report)
            if not options["no_serve"]:
                self._tell_addresses(seeded)
                server.wait()

    def _tell(self, seeded: seeding.Seeded, report: Mapping[str, Any]) -> None:
        self.stdout.write("\nassociation      fools the rival   solved by people")
        for cue, fooled, solved in run.table(seeded.batch):
            self.stdout.write(f"{cue:<16} {fooled:>15} {solved:>18}")
        self.stdout.write("")
        for name, value in report.items():
            self.stdout.write(f"{name.replace('_', ' '):<26}{value}")

    def _tell_addresses(self, seeded: seeding.Seeded) -> None:
        self.stdout.write(f"\nStill serving; stop it with Ctrl-C.\n  The admin: {seeding.admin_url()}")
        for staff in (seeded.researcher, seeded.preparer, seeded.approver):
            self.stdout.write(f"    user {staff.user.username}  password {staff.password}")
        self.stdout.write(f"  A worker:  {seeded.invitations[0]}")
        self.stdout.flush()


def _free_port() -> int:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", 8000))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _draw_bar(what: str, done: int, goal: int) -> None:
    filled = 30 * done // goal if goal else 30
    end = "\n" if done >= goal else ""
    print(f"\r{what:<11} [{'#' * filled:<30}] {done}/{goal}", end=end, file=sys.stderr, flush=True)


def _say_nothing(what: str, done: int, goal: int) -> None:
    pass
