from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from crowd.provisioning import account_values, provision
from hits.providers.models.accounts import Account
from hits.providers.services.accounts import seed_first_account


class Command(BaseCommand):
    help = "Makes the first account, if there is none yet: from the CROWD_ACCOUNT_ variables, or by itself."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--at-own-marketplace",
            metavar="REQUESTER",
            help="make a requester of this name at our own marketplace, and the account that calls as it",
        )
        parser.add_argument(
            "--deposit", type=Decimal, default=Decimal(0), help="what that requester may spend, in dollars"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if Account.objects.connected().exists():
            self.stdout.write("There is an account already. Nothing to do.")
            return
        values = settings.FIRST_ACCOUNT
        if name := options["at_own_marketplace"]:
            made = provision(requester=name, deposit=options["deposit"])
            values = account_values(made, name=name)
        account = seed_first_account(values=values)
        self.stdout.write(f"Made {account}." if account else "Nothing to do: CROWD_ACCOUNT_NAME is not set.")
