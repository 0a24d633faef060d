from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from crowd.marketplace.tools.tls_proxy import running
from crowd.marketplace.tools.tls_proxy.server import Misconfigured


class Command(BaseCommand):
    help = running.ABOUT

    def add_arguments(self, parser: CommandParser) -> None:
        running.add_arguments(parser, marketplace=settings.MARKETPLACE_URL)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            running.run(
                address=options["address"],
                port=options["port"],
                marketplace=options["marketplace"],
                folder=settings.DATA_DIR / "proxy",
                tell=self._tell,
            )
        except Misconfigured as problem:
            raise CommandError(str(problem)) from None

    def _tell(self, lines: str) -> None:
        self.stdout.write(lines)
        self.stdout.flush()
