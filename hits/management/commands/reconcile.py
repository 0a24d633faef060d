from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from hits.services import reconciling


class Command(BaseCommand):
    help = "Compares every HIT of every account with its provider at once, and says what was found."

    def handle(self, *_: Any, **__: Any) -> None:
        found = reconciling.reconcile_everything(now=timezone.now())
        for name, count in found.items():
            self.stdout.write(f"{name}: {count}")
