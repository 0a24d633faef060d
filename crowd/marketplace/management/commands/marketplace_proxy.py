import shlex
import signal
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from crowd.marketplace.tls_proxy import Authority, Misconfigured, Proxy

PORT = 8643


class Command(BaseCommand):
    help = (
        "Leads programs that ask for Amazon's MTurk hosts to the marketplace: a proxy on loopback that "
        "ends TLS itself. Prints what to set for such a program."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=PORT, help=f"{PORT} unless told; 0 for any free one")
        parser.add_argument("--address", default="127.0.0.1", help="where to listen; loopback only")
        parser.add_argument(
            "--marketplace", default=settings.MARKETPLACE_URL, help="where the requests are passed on to"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _stop)
        try:
            with self._proxy(options) as proxy:
                self._tell(proxy)
                proxy.serve_forever()
        except KeyboardInterrupt:
            return

    def _proxy(self, options: dict[str, Any]) -> Proxy:
        authority = Authority(
            folder=settings.DATA_DIR / "proxy", hosts=settings.AMAZON_HOSTS, now=timezone.now()
        )
        try:
            return Proxy(
                address=options["address"],
                port=options["port"],
                hosts=settings.AMAZON_HOSTS,
                marketplace=options["marketplace"],
                authority=authority,
            )
        except Misconfigured as problem:
            raise CommandError(str(problem)) from None
        except (OSError, OverflowError) as problem:
            raise CommandError(f"Port {options['port']} cannot be listened on: {problem}.") from None

    def _tell(self, proxy: Proxy) -> None:
        bundle = shlex.quote(str(proxy.authority.bundle))
        self.stdout.write(
            f"export HTTPS_PROXY={proxy.url}\n"
            f"export AWS_CA_BUNDLE={bundle}\n"
            f"export NODE_EXTRA_CA_CERTS={bundle}"
        )
        self.stdout.flush()


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
