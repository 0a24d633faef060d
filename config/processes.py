"""The processes of the embedded form: how they are started, and when they are healthy."""

import subprocess
import sys
import time
from http import HTTPStatus
from http.client import HTTPConnection
from urllib.parse import urlsplit

from django.conf import settings

from hits.core.errors import CrowdError

START_S = 120


def web_command() -> list[str]:
    """Command of the web server: one process of threads, which never imports torch."""
    port = urlsplit(settings.PUBLIC_URL).port or 80
    return [
        sys.executable, "-m", "gunicorn", "config.wsgi",
        "--chdir", str(settings.BASE_DIR),
        "--bind", f"127.0.0.1:{port}",
        "--workers", "1",
        "--worker-class", "gthread",
        # A page may call our own marketplace, which another thread of this process answers.
        "--threads", "16",
        "--graceful-timeout", "4",
        "--keep-alive", "5",
        # The platform's parameters and the ticket make long addresses.
        "--limit-request-line", "8190",
        "--log-level", "warning",
        "--no-control-socket",
    ]  # fmt: skip


def background_command() -> list[str]:
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), "background"]


def wait_until_healthy(process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while not is_healthy():
        if process.poll() is not None:
            raise CrowdError(f"The server ended with code {process.returncode} before it answered.")
        if time.monotonic() > deadline:
            raise CrowdError(f"The server did not answer within {START_S} seconds.")
        time.sleep(0.1)


def is_healthy() -> bool:
    site = urlsplit(settings.PUBLIC_URL)
    connection = HTTPConnection("127.0.0.1", site.port or 80, timeout=5)
    try:
        connection.request("GET", "/health/", headers={"Host": site.netloc})
        return connection.getresponse().status == HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()
