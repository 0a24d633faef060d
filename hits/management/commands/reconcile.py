from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from hits.sync.services import reconciling


class Command(BaseCommand):
    help = "Compares every HIT of every account with its provider at once, and says what was found."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--all",
            action="store_true",
            help="read the work of every HIT that there ever was, also where nothing seems to have changed",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        found = reconciling.reconcile_everything(now=timezone.now(), thorough=options["all"])
        for name, count in found.items():
            self.stdout.write(f"{name}: {count}")
