"""Every form that the admin shows, sent as a browser sends it, with one field wrong after another."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from urllib.parse import urljoin

from django.contrib import admin
from django.contrib.messages import constants, get_messages
from django.test import Client

from tests.attacks.crawling import Page, Reading, page_of, route_of
from tests.sent_forms import (
    CHOSEN,
    NOT_SHOWN,
    Sent,
    SentForm,
    Shown,
    each_wrong,
    fill_in,
    find_lost,
    read_forms,
    undone,
)

# The name of the ticks in Django's lists, whose forms hold no text that anybody typed.
TICKS = "_selected_action"
# The page for workers as its researcher sees it: what is answered there goes nowhere.
PREVIEWS = {"admin/plain/project/<int:pk>/page/look/"}
# A worker's id at the provider, which is sent and never shown.
SECRETS = {"external_id"}


@dataclass(frozen=True, kw_only=True)
class WrongForm:
    """A form with a wrong field, and how it was answered."""

    route: str
    field: str
    mistake: str
    status: int
    # Other fields whose values a person would have to type again.
    lost: tuple[str, ...] = ()


def send_wrong_forms(client: Client, reading: Reading, *, urlconf: str) -> list[WrongForm]:
    # The list of all models is half the work of showing a page, and no part of any form.
    with patch.object(admin.site, "get_app_list", lambda *_, **__: []):
        return [
            _send(client, address, route, form, wrong)
            for turn, (address, route, form) in enumerate(_forms(reading, urlconf))
            for wrong in _some(form, fill_in(form, {}), turn=turn)
        ]


def _forms(reading: Reading, urlconf: str) -> Iterator[tuple[str, str, SentForm]]:
    """Yield one form of each kind, with the address that it is sent to and the route of that."""
    seen = set()
    for page in reading.shown:
        for form in read_forms(page.text) if page.is_html else ():
            address = _target(page, form)
            route = route_of(address, urlconf)
            kind = (route, frozenset(form.controls))
            if form.is_posted and route and route not in PREVIEWS and kind not in seen and _is_typed(form):
                seen.add(kind)
                yield address, route, form


def _target(page: Page, form: SentForm) -> str:
    return urljoin(page.address, form.action) if form.action else page.address


def _is_typed(form: SentForm) -> bool:
    """Whether a person fills it in."""
    return TICKS not in form.controls and any(one.kind != "hidden" for one in form.controls.values())


def _some(form: SentForm, good: Sent, *, turn: int) -> list[tuple[str, str, Sent]]:
    """A third of the fields with one mistake each, and of a small form at least one."""
    found = list(each_wrong(form, good, turn=turn))
    return found or list(each_wrong(form, good, turn=None))[:1]


def _send(
    client: Client, address: str, route: str, form: SentForm, wrong: tuple[str, str, Sent]
) -> WrongForm:
    name, mistake, sent = wrong
    # A changed password that is rolled back would leave the sender signed out.
    cookies = copy.deepcopy(client.cookies)
    with undone():
        answer: Any = client.post(address, {**form.pressed, **sent})
        page = page_of(answer, address=address, route=route)
        is_refused = any(one.level >= constants.ERROR for one in get_messages(answer.wsgi_request))
    client.cookies = cookies
    lost = tuple(_lost(page, form, sent, but=name, is_refused=is_refused))
    return WrongForm(route=route, field=name, mistake=mistake, status=page.status, lost=lost)


def _lost(page: Page, form: SentForm, sent: Sent, *, but: str, is_refused: bool) -> list[str]:
    """Values that are gone from the page that came back, or from the other page that says what is wrong."""
    if page.status >= 500 or not page.is_html:
        return []
    forms = read_forms(page.text)
    again = [one for one in forms if one.is_posted and one.controls.keys() >= form.controls.keys()]
    if again:
        lost = find_lost(sent, Shown(form=again[0], wrong=set()), but=but)
        return [name for name in lost if name not in SECRETS]
    # What nobody can type or choose comes from somebody who forged it: that is answered anywhere.
    is_forged = form.controls[but].kind in (*CHOSEN, *NOT_SHOWN)
    return _typed(form, sent, but=but) if (is_refused or page.status >= 400) and not is_forged else []


def _typed(form: SentForm, sent: Sent, *, but: str) -> list[str]:
    return [
        name
        for name, control in form.controls.items()
        if name != but and control.kind not in (*CHOSEN, *NOT_SHOWN) and any(sent.get(name, []))
    ]
