from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from django.conf import LazySettings
from django.db import connections
from django.utils import timezone

from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.tools.tls_proxy.authority import Authority
from crowd.marketplace.tools.tls_proxy.server import Proxy
from tests.browser.conftest import browser, open_page, page
from tests.conftest import Sites
from tests.factories import make_requester

__all__ = ["browser", "open_page", "page"]  # a worker's browser, as tests/browser has it


@pytest.fixture
def credentials() -> Credentials:
    return make_requester(now=timezone.now())


@pytest.fixture
def proxy(sites: Sites, tmp_path: Path, settings: LazySettings) -> Iterator[Proxy]:
    """A running proxy for the clients that know no address but Amazon's."""
    hosts = settings.AMAZON_HOSTS
    authority = Authority(folder=tmp_path / "proxy", hosts=hosts, now=timezone.now())
    with Proxy(
        address="127.0.0.1", port=0, hosts=hosts, marketplace=sites.marketplace, authority=authority
    ) as proxy:
        thread = Thread(target=proxy.serve_forever, daemon=True)
        thread.start()
        yield proxy
        proxy.shutdown()
        thread.join()


@pytest.fixture
def sweeping() -> Iterator[None]:
    """Deliver notifications in a thread, as the background process does."""
    ended = Event()

    def sweep() -> None:
        while not ended.wait(0.1):
            deliver_events(now=timezone.now())
        connections.close_all()

    thread = Thread(target=sweep)
    thread.start()
    yield
    ended.set()
    thread.join()
