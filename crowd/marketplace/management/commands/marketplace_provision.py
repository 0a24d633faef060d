import json
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from crowd.marketplace.services import people


class Command(BaseCommand):
    help = "Makes a requester with credentials, and workers with invitation links. Prints JSON, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--requester", required=True, help="a name not used before")
        parser.add_argument("--deposit", type=Decimal, default=Decimal(0), help="dollars")
        parser.add_argument("--fees", choices=["none", "amazon"], default="none")
        parser.add_argument("--workers", type=int, default=0, help="how many to invite")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        credentials = people.create_requester(
            name=options["requester"],
            deposit=options["deposit"],
            fee_schedule=options["fees"],
            now=now,
        )
        invited = [
            people.invite_worker(name=f"Worker {number}", now=now)
            for number in range(1, options["workers"] + 1)
        ]
        made = {
            "endpoint": settings.MARKETPLACE_URL,
            "access_key_id": credentials.access_key_id,
            "secret_access_key": credentials.secret_access_key,
            "ticket_key": credentials.ticket_key,
            "workers": [
                {
                    "external_id": worker.external_id,
                    "invitation": f"{settings.MARKETPLACE_URL}/invitation/{token}/",
                }
                for worker, token in invited
            ],
        }
        self.stdout.write(json.dumps(made, indent=2))
