import json
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from crowd.marketplace import domain
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import Requester
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

    def handle(self, *args: Any, **options: Any) -> None:
        _check(options)
        made: dict[str, Any] = {"endpoint": settings.MARKETPLACE_URL}
        if not options["workers_only"]:
            made |= _make_requester(options)
        people = [Invited(name=f"Worker {number}") for number in range(1, options["workers"] + 1)]
        made["workers"] = [
            {
                "external_id": invited.worker.external_id,
                "invitation": f"{settings.MARKETPLACE_URL}/invitation/{invited.token}/",
            }
            for invited in invite_workers(people=people, now=timezone.now())
        ]
        self.stdout.write(json.dumps(made, indent=2))


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
