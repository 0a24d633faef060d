import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from crowd.marketplace import domain
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.management.presence import require_marketplace
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.services.requesters import create_requester
from crowd.marketplace.services.workers import Invited, invite_workers


class Command(BaseCommand):
    help = "Makes a requester with credentials, and workers with invitation links. Prints JSON, once."

    def add_arguments(self, parser: CommandParser) -> None:
        wanted = parser.add_mutually_exclusive_group(required=True)
        wanted.add_argument("--requester", help="a name not used before")
        wanted.add_argument("--workers-only", action="store_true", help="only invite; no requester is made")
        parser.add_argument("--deposit", type=Decimal, default=Decimal(0), help="dollars")
        parser.add_argument(
            "--fees", default="", help="none, amazon, or a rate such as 5%% (default: the setting)"
        )
        parser.add_argument("--workers", type=int, default=0, help="how many to invite")
        parser.add_argument(
            "--out", metavar="FILE", help="write there, for you alone to read; a file that exists is kept"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        _check(options)
        require_marketplace()
        if not options["out"]:
            self.stdout.write(_make(options))
            return
        with _new_file(options["out"]) as file:
            file.write(_make(options) + "\n")
        self.stdout.write(f"Keys and links are in {options['out']}, and are shown nowhere else.")


def _make(options: dict[str, Any]) -> str:
    """Make what is wanted, and return it as JSON."""
    made: dict[str, Any] = {"endpoint": settings.MARKETPLACE_URL}
    if not options["workers_only"]:
        made |= _make_requester(options)
    made["workers"] = [
        {
            "external_id": invited.worker.external_id,
            "invitation": f"{settings.MARKETPLACE_URL}/invitation/{invited.token}/",
        }
        for invited in invite_workers(people=_people(options["workers"]), now=timezone.now())
    ]
    return json.dumps(made, indent=2)


def _people(count: int) -> list[Invited]:
    """Return people numbered on from those that were made before, so that no two have one name."""
    names = Worker.objects.filter(name__regex=r"^Worker [0-9]{1,9}$").values_list("name", flat=True)
    last = max((int(name.split()[1]) for name in names), default=0)
    return [Invited(name=f"Worker {last + number}") for number in range(1, count + 1)]


@contextmanager
def _new_file(path: str) -> Iterator[IO[str]]:
    """Open a new file that its owner alone may read; it is gone again if nothing was made."""
    try:
        file = open(path, "x", encoding="utf-8", opener=partial(os.open, mode=0o600))  # noqa: SIM115
    except FileExistsError:
        raise CommandError(f"{path} exists, and may hold keys. Name another file, or move it away.") from None
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with file:
            yield file
    except BaseException:
        Path(path).unlink()
        raise


def _check(options: dict[str, Any]) -> None:
    """Check all options before anything is made. Raises CommandError."""
    options["fees"] = options["fees"] or settings.MARKETPLACE_FEES
    try:
        domain.fee_schedule(options["fees"])
        deposit = options["deposit"].quantize(domain.CENT)
    except (ValueError, InvalidOperation) as error:
        raise CommandError(str(error) or "The deposit must be an amount.") from None
    if deposit != options["deposit"] or not 0 <= deposit <= Requester.MOST_MONEY:
        raise CommandError(f"A deposit has whole cents, and is between 0 and {Requester.MOST_MONEY:,}.")
    if options["workers"] < 0 or (options["workers_only"] and not options["workers"]):
        raise CommandError("Say with --workers how many to invite.")
    if len(options["requester"] or "") > (Requester._meta.get_field("name").max_length or 0):
        raise CommandError("The requester's name is too long.")


def _make_requester(options: dict[str, Any]) -> dict[str, str]:
    try:
        made = create_requester(
            name=options["requester"],
            deposit=options["deposit"],
            fee_schedule=options["fees"],
            now=timezone.now(),
        )
    except RuleBroken as refusal:
        raise CommandError(str(refusal)) from None
    return {
        "access_key_id": made.access_key_id,
        "secret_access_key": made.secret_access_key,
        "ticket_key": made.ticket_key,
    }
