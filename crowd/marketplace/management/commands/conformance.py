import json
import os
import signal
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.control import Control, ControlRefused
from crowd.marketplace.tools.conformance.product import Product
from crowd.marketplace.tools.conformance.registry import CHECKS
from crowd.marketplace.tools.conformance.requester import Keys
from crowd.marketplace.tools.conformance.running import Report, run_checks
from crowd.marketplace.tools.conformance.server import NotServed, private_server


class Command(BaseCommand):
    help = (
        "Runs the checks of the Requester API over HTTP: against a private marketplace on a scratch "
        "database, or with --endpoint against another (credentials in AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY). Ends with 1 if any check failed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print a JSON report")
        parser.add_argument("--endpoint", help="address of a marketplace that is being served")
        parser.add_argument(
            "--control-key", help="key of that marketplace's control API, if it is switched on"
        )
        parser.add_argument("--only", type=_read_numbers, default=[], help="numbers of checks: 7,20,21")

    def handle(self, *args: Any, **options: Any) -> None:
        # SIGTERM becomes SystemExit, so that the private marketplace is stopped too and its database removed.
        signal.signal(signal.SIGTERM, _stop)
        try:
            with _bench(options, warn=self.stderr.write) as bench:
                report = run_checks(bench, only=options["only"])
        except NotServed as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json, indent=2))
        else:
            self._tell(report)
        if report.count("failed"):
            raise SystemExit(1)

    def _tell(self, report: Report) -> None:
        for one in report.outcomes:
            if one.outcome != "passed":
                self.stdout.write(f"{one.outcome:<8}{one.number:>3} {one.name}\n            {one.detail}")
        counts = ", ".join(f"{report.count(name)} {name}" for name in ("passed", "failed", "skipped"))
        self.stdout.write(
            f"{counts} of {len(report.outcomes)} checks of {report.endpoint}, {report.seconds} s"
        )


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _bench(options: dict[str, Any], *, warn: Callable[[str], object]) -> Iterator[Bench]:
    if options["endpoint"]:
        endpoint = options["endpoint"].rstrip("/")
        yield _foreign_bench(endpoint, control_key=options["control_key"], warn=warn)
        return
    if options["control_key"]:
        raise CommandError("--control-key goes with --endpoint; a private marketplace has its own.")
    with private_server() as served:
        control = Control(endpoint=served.endpoint, key=served.control_key)
        bench = Bench(endpoint=served.endpoint, controlled_by=control)
        product = Product(served=served, requester=bench.requester())
        yield Bench(endpoint=served.endpoint, controlled_by=control, served=product)


def _foreign_bench(endpoint: str, *, control_key: str | None, warn: Callable[[str], object]) -> Bench:
    """A bench for a marketplace served elsewhere. Checks that need a control key are skipped without one."""
    control = Control(endpoint=endpoint, key=control_key) if control_key else None
    try:
        if control:
            control.ask("clock")
    except (ControlRefused, OSError) as error:
        warn(f"The control API does not answer to this key: {error}")
        control = None
    keys = _read_keys()
    if not control and not keys:
        raise CommandError("Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give a --control-key.")
    return Bench(endpoint=endpoint, keys=keys, controlled_by=control)


def _read_keys() -> Keys | None:
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    if not all(os.environ.get(name) for name in names):
        return None
    return Keys(access_key_id=os.environ[names[0]], secret_access_key=os.environ[names[1]])


def _read_numbers(text: str) -> list[int]:
    known = {str(number): number for number in CHECKS}
    names = [part.strip() for part in text.split(",")]
    if unknown := [name for name in names if name not in known]:
        raise ArgumentTypeError(f"There is no check {unknown[0]}.")
    return [known[name] for name in names]
