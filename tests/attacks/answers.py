"""Forms that a hostile worker sends from a page in a frame, and the answers to them."""

from collections.abc import Iterator
from typing import Any

from django.test import Client

from tests.attacks.crawling import Page, Reading
from tests.attacks.downloads import Form, forms_of
from tests.attacks.poison import LONG


def send_hostile_answers(client: Client, reading: Reading) -> Iterator[Page]:
    """Send every form of the frames with hostile values, first with one choice that the page lacks."""
    for page in reading.shown:
        for form in forms_of(page) if page.is_html else ():
            if form.method == "post" and form.action.startswith("/q/"):
                yield _send(client, page, form)


def _send(client: Client, page: Page, form: Form) -> Page:
    names = [*form.fields, *form.choices]
    sent = {name: form.fields[name] if "token" in name else f"={LONG}" for name in names}
    answer: Any = client.post(form.action, sent)
    return Page(
        address=form.action,
        route=page.route,
        status=answer.status_code,
        kind=answer.headers.get("Content-Type", ""),
        content=answer.getvalue(),
        headers=dict(answer.headers),
    )
