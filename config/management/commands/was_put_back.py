from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from config.copies.putting_back import begin_epochs


class Command(BaseCommand):
    help = (
        "Says that a database was put back by other means than `restore`, such as the server's own. "
        "Nothing goes out until the two sides were compared and a person has confirmed it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("database", choices=list(settings.DATABASES))
        parser.add_argument(
            "--copied-at", metavar="TIME", help="when the copy was taken, such as 2026-01-31T12:00Z"
        )

    def handle(self, *, database: str, copied_at: str | None, **_: Any) -> None:
        begin_epochs([database], copied_at={database: _read(copied_at)} if copied_at else {})
        self.stdout.write(f"Noted. Look at {settings.PUBLIC_URL}/admin/payments/put-back/")


def _read(text: str) -> datetime:
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None:
        raise CommandError(f"{text} is no time. Write it like 2026-01-31T12:00Z.")
    return found if timezone.is_aware(found) else timezone.make_aware(found)
