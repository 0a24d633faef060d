import json
import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils.module_loading import import_string

from config.management.commands.serve import prepare
from config.tools.demo_server import SCRATCH, served
from config.tools.held_port import hold_port
from crowd import family
from crowd.demo.demo_providers import MARKETPLACE, PROVIDERS
from crowd.demo.interface import Demo
from hits.common.next_commands import next_command
from hits.core.errors import CrowdError

INSIDE = "DEMO_INSIDE"
SETTINGS = ("CROWD_", "DATABASE_URL", "MARKETPLACE_DATABASE_URL", "REDIS_URL")


class Command(BaseCommand):
    help = "Plays a task family's whole work with simulated workers, from launch to a run of bonuses."

    def add_arguments(self, parser: CommandParser) -> None:
        keys = [one.key for one in family.registered() if one.demo]
        parser.add_argument(
            "--family",
            choices=keys,
            default=keys[0],
            help=f"whose work is played (default: {keys[0]})",
        )
        parser.add_argument(
            "--provider",
            choices=list(PROVIDERS),
            default=MARKETPLACE.key,
            help="where it is posted: the marketplace, or a stand-in for Prolific on this machine "
            f"(default: {MARKETPLACE.key})",
        )
        parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same figures")
        parser.add_argument("--no-serve", action="store_true", help="end after the run")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        parser.add_argument("--port", type=int, help="of all its sites (default: 8000, or a free one)")
        parser.add_argument(
            "--use-environment",
            action="store_true",
            help="use the configured databases and broker instead of scratch ones",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._demo_class(options)
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

    def _demo_class(self, options: Mapping[str, Any]) -> type[Demo]:
        found: type[Demo] = import_string(family.get(options["family"]).demo)
        if options["provider"] not in found.providers:
            raise CommandError(
                f"The demo of {options['family']} is posted at {' or '.join(found.providers)} alone. "
                f"Take another --family, or leave --provider {options['provider']} out."
            )
        return found

    def _start_over(self, options: Mapping[str, Any]) -> None:
        """Replace this process by a fresh one with scratch settings, which are read only at the start."""
        kept = {} if not options["use_environment"] else os.environ
        # Its people sign in by the passwords that it prints.
        scratch = {INSIDE: "1", "CROWD_SECOND_FACTOR": "off", **self._addresses(kept, options["port"])}
        if not options["use_environment"]:
            self._tell_what_is_unused(scratch)
            scratch["CROWD_DATA_DIR"] = tempfile.mkdtemp(prefix=SCRATCH)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
        os.execve(sys.executable, [sys.executable, *sys.argv], {**inherited, **kept, **scratch})  # noqa: S606

    def _tell_what_is_unused(self, scratch: Mapping[str, str]) -> None:
        if unused := [name for name in sorted(os.environ) if name.startswith(SETTINGS)]:
            self.stderr.write(
                f"The demo does not use {', '.join(unused)} of the environment: it has a scratch folder of "
                f"its own, at {scratch['CROWD_PUBLIC_URL']} and {scratch['CROWD_MARKETPLACE_URL']}. "
                "--port N serves elsewhere; --use-environment uses the folder and databases that are set."
            )

    def _addresses(self, kept: Mapping[str, str], asked: int | None) -> dict[str, str]:
        """Addresses that only this machine can reach. Only --port replaces those of the environment."""
        port = asked or hold_port()
        ours = {
            "CROWD_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "CROWD_MARKETPLACE_URL": f"http://localhost:{port}",
        }
        others = {name: kept[name] for name in ours if kept.get(name, ours[name]) != ours[name]}
        named = ", ".join(f"{name}={value}" for name, value in others.items())
        if others and asked is None:
            raise CommandError(
                f"The demo serves on this machine alone, and the environment says {named}. "
                "Give --port, and it serves there instead; or take these out of the environment."
            )
        if others:
            self.stderr.write(f"Serving at {' and '.join(ours.values())}, instead of {named}.")
        return ours

    def _run(self, options: Mapping[str, Any]) -> None:
        # The product's own log is in the folder of its data; here it would tear the progress bar.
        logging.getLogger().setLevel(logging.WARNING)
        quiet = options["json"]
        if not quiet:
            self._say("Starting. The first pages come in a few seconds ...")
        prepare()
        say = _say_nothing if quiet else _draw_bar
        with ExitStack() as running:
            provider = running.enter_context(PROVIDERS[options["provider"]]())
            demo = self._demo_class(options)(seed=options["seed"], say=say, provider=provider)
            server = running.enter_context(served(meanwhile=demo.prepare))
            began = time.monotonic()
            if not quiet:
                self._tell_who_is_who(demo)
            demo.play()
            report = {**demo.report(), "seconds": round(time.monotonic() - began, 1)}
            if quiet:
                self.stdout.write(json.dumps(report))
            else:
                self.stdout.write("")
                for line in demo.lines(report):
                    self.stdout.write(line)
            if not options["no_serve"]:
                self._tell_what_to_see(demo)
                server.wait()

    def _tell_who_is_who(self, demo: Demo) -> None:
        """Print the users before the demo plays, so that a person who signs in now sees the work go on."""
        live = reverse("admin:hits_batch_changelist")
        lines = [f"It is served now, and plays by itself. Watch it: {settings.PUBLIC_URL}{live}"]
        lines += [f"    user {one.user.username}  password {one.password}" for one in demo.cast.staff]
        self._say("\n".join(lines))

    def _tell_what_to_see(self, demo: Demo) -> None:
        """Print one block: who to be, with what to sign in, and what to try."""
        cast, admin = demo.cast, f"{settings.PUBLIC_URL}/admin/"
        left = list(demo.leave())
        lines = ["", "Still serving; stop it with Ctrl-C. Be somebody, and try something:", ""]
        lines += _person("a worker", demo.for_a_worker, cast.guest)
        for staff in cast.staff:
            found = [one for one in left if one.who == staff]
            what = "; ".join(one.what for one in found) or staff.does
            where = f"{settings.PUBLIC_URL}{found[0].path}" if found else admin
            lines += _person(f"{staff.user.username}  password {staff.password}", what, where)
        desk = f"{settings.MARKETPLACE_URL}/desk/"
        keeper = f"{cast.desk_operator}  password {cast.desk_password}"
        what = "the marketplace's operator, at its desk alone: invite a worker, pay out, see the books"
        lines += _person(keeper, what, desk)
        lines += [f"  {name}: {settings.PUBLIC_URL}{path}" for name, path in demo.pages()]
        lines += [f"  {name}: {address}" for name, address in demo.sites()]
        lines.append(f"  if something looks wrong: {next_command('doctor')}")
        self._say("\n".join(lines))

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()


def _person(who: str, what: str, where: str) -> list[str]:
    return [f"  {who}", f"      {what}", f"      {where}"]


def _draw_bar(what: str, done: int, goal: int) -> None:
    filled = 30 * done // goal if goal else 30
    end = "\n" if done >= goal else ""
    print(f"\r{what:<11} [{'#' * filled:<30}] {done}/{goal}", end=end, file=sys.stderr, flush=True)


def _say_nothing(what: str, done: int, goal: int) -> None:
    pass
