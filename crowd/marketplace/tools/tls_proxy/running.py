"""The proxy as a program. `manage.py marketplace_proxy` is the same one with the settings' defaults."""

import os
import shlex
import signal
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from crowd.marketplace.tools.tls_proxy.authority import Authority
from crowd.marketplace.tools.tls_proxy.server import Misconfigured, Proxy

ABOUT = (
    "Leads programs that ask for Amazon's MTurk hosts to the marketplace: a proxy on loopback that "
    "ends TLS itself. Prints what to set for such a program."
)
# Repeated in the settings as AMAZON_HOSTS.
HOSTS = tuple(
    f"{service}.us-east-1.amazonaws.com" for service in ("mturk-requester", "mturk-requester-sandbox", "sns")
)
PORT = 8643
# Where programs look for certificates: boto3, Node.js, what is built on requests, on curl, and on OpenSSL.
CERTIFICATES = (
    "AWS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "SSL_CERT_FILE",
)


def add_arguments(parser: ArgumentParser, *, marketplace: str) -> None:
    parser.add_argument("--port", type=int, default=PORT, help=f"{PORT} unless told; 0 for any free one")
    parser.add_argument("--address", default="127.0.0.1", help="where to listen; loopback only")
    parser.add_argument(
        "--marketplace",
        default=marketplace,
        help="where the requests are passed on to (default: %(default)s)",
    )


def run(*, address: str, port: int, marketplace: str, folder: Path, tell: Callable[[str], None]) -> None:
    """Run until SIGTERM or Ctrl-C. Raises Misconfigured."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        with _proxy(address=address, port=port, marketplace=marketplace, folder=folder) as proxy:
            tell(_what_to_set(proxy))
            proxy.serve_forever()
    except KeyboardInterrupt:
        return


def main() -> str | None:
    """Run the program; return the error message, if there is one."""
    parser = ArgumentParser(prog="python -m crowd.marketplace.tools.tls_proxy", description=ABOUT)
    add_arguments(parser, marketplace=os.environ.get("CROWD_MARKETPLACE_URL", "http://localhost:8000"))
    data = os.environ.get("CROWD_DATA_DIR", ".crowd")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(data).resolve() / "proxy",
        help="where its certificates are kept (default: %(default)s)",
    )
    options = parser.parse_args()
    try:
        run(**vars(options), tell=_tell)
    except Misconfigured as problem:
        return str(problem)
    return None


def _proxy(*, address: str, port: int, marketplace: str, folder: Path) -> Proxy:
    authority = Authority(folder=folder, hosts=HOSTS, now=datetime.now(UTC))
    try:
        return Proxy(address=address, port=port, hosts=HOSTS, marketplace=marketplace, authority=authority)
    except (OSError, OverflowError) as problem:
        raise Misconfigured(f"Port {port} cannot be listened on: {problem}.") from None


def _what_to_set(proxy: Proxy) -> str:
    bundle = shlex.quote(str(proxy.authority.bundle))
    return "\n".join(
        [f"export HTTPS_PROXY={proxy.url}", *(f"export {variable}={bundle}" for variable in CERTIFICATES)]
    )


def _tell(lines: str) -> None:
    print(lines, flush=True)  # noqa: T201 - a program of its own


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
