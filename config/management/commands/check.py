from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.management.commands import check


class Command(check.Command):
    """Django's check command, which here loads the admin's pages before it looks at them."""

    def handle(self, *args: Any, **options: Any) -> None:
        import_module(settings.ROOT_URLCONF)
        super().handle(*args, **options)
