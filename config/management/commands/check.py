from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.management.commands import check


class Command(check.Command):
    """Django's command, which would look at the admin's pages before they are loaded."""

    def handle(self, *args: Any, **options: Any) -> None:
        import_module(settings.ROOT_URLCONF)
        super().handle(*args, **options)
