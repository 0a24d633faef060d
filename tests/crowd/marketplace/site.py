"""The worker site as a browser sees it, without its scripts."""

import re
from dataclasses import dataclass
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.test import Client
from django.utils import timezone

from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.services import work, worker_sign_in
from crowd.marketplace.site.session import COOKIE
from tests.crowd.marketplace.rows import post_hit
from tests.factories import invite

FRAME = (
    'sandbox="allow-scripts allow-forms allow-same-origin allow-modals'
    ' allow-popups allow-popups-to-escape-sandbox"'
)
SIGNATURE = re.compile(r"(:|%3A)\w{6}(:|%3A)[\w-]{43}")


@dataclass(frozen=True, kw_only=True)
class Browser:
    """The browser of a worker who is signed in."""

    client: Client
    worker: Worker

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def post(self, path: str) -> Any:
        return self.client.post(path)


def stranger(*, enforce_csrf_checks: bool = False) -> Client:
    """A browser without a session, at the marketplace's own host."""
    return Client(
        enforce_csrf_checks=enforce_csrf_checks, HTTP_HOST=urlsplit(settings.MARKETPLACE_URL).netloc
    )


def signed_in(*, enforce_csrf_checks: bool = False) -> Browser:
    client = stranger(enforce_csrf_checks=enforce_csrf_checks)
    worker, _ = invite(now=timezone.now())
    client.cookies[COOKIE] = worker_sign_in.sign_in(worker=worker, now=timezone.now())
    return Browser(client=client, worker=worker)


def open_hit(*, requester: Requester | None = None, ago: timedelta = timedelta(0), **changes: Any) -> HIT:
    """Post a HIT, just now or some time ago."""
    return post_hit(requester=requester, now=timezone.now() - ago, **changes)


def accepted(browser: Browser, hit: HIT, *, ago: timedelta = timedelta(0)) -> Assignment:
    return work.accept_hit(hit_id=hit.pk, worker=browser.worker, now=timezone.now() - ago)


def group_path(hit: HIT) -> str:
    return f"/groups/{hit.hit_type.external_id}/"


def work_path(assignment: Assignment) -> str:
    return f"/work/{assignment.external_id}/"


def text_of(page: Any) -> str:
    """Text that is read on the page: no tags, single spaces."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.content.decode())).split())


def frame_url(page: Any) -> str:
    [source] = re.findall(r'<iframe [^>]*\bsrc="([^"]*)"', page.content.decode())
    return unescape(source)


def query_of(url: str) -> dict[str, str]:
    """Parameters of the address; asserts that each is there once."""
    pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True, strict_parsing=True)
    found = dict(pairs)
    assert len(found) == len(pairs)
    return found


def submit_path(page: Any) -> str:
    """Path to which the question page of this frame would send its form."""
    submit_to = query_of(frame_url(page))["turkSubmitTo"]
    return f"{urlsplit(submit_to).path.rstrip('/')}/mturk/externalSubmit"


def unsigned(text: str) -> str:
    """Remove instants and signatures: an address that was signed a second later then compares equal."""
    return SIGNATURE.sub("", text)
