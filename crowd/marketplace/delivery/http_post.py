"""POSTs of the marketplace to addresses that requesters have given."""

from collections.abc import Mapping

from django.conf import settings

from hits.common.outgoing import outgoing_posts
from hits.common.outgoing.outgoing_addresses import Target, is_on_loopback
from hits.common.outgoing.outgoing_addresses import read_target as read_any


def read_target(url: str) -> Target:
    """Check the form of an address. Raises Undeliverable if it can never be sent to. No name is looked up."""
    return read_any(url, is_local=is_on_loopback(settings.MARKETPLACE_URL))


def post(
    url: str, *, body: bytes, headers: Mapping[str, str], wants_body: bool = False
) -> outgoing_posts.Answer:
    """Send a POST. Raises Undeliverable if no answer came; the caller judges the answer."""
    return outgoing_posts.post(read_target(url), body=body, headers=headers, wants_body=wants_body)


def post_document(url: str, *, body: bytes, headers: Mapping[str, str]) -> None:
    """Send a document. Delivered means a status of 2xx; Undeliverable is raised for any other."""
    named = {**headers, "User-Agent": "crowd-marketplace"}
    outgoing_posts.post_document(read_target(url), body=body, headers=named)
