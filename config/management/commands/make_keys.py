from typing import Any

from django.core.management.base import BaseCommand

from config.environment import make_keys


class Command(BaseCommand):
    help = "Prints a fresh set of keys for the environment. Keep old keys behind new ones, after a comma."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        for name, keys in make_keys().items():
            self.stdout.write(f"{name}={','.join(keys)}")
