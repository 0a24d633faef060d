from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from hits.providers.services.accounts import seed_first_account


class Command(BaseCommand):
    help = "Makes the first account from the CROWD_ACCOUNT_ variables, if there is none yet."

    def handle(self, *args: Any, **options: Any) -> None:
        account = seed_first_account(values=settings.FIRST_ACCOUNT)
        self.stdout.write(f"Made {account}." if account else "Nothing to do.")
