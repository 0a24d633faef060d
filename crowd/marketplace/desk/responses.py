"""Answers of the desk: a page, a question before an action, or a redirect with a note."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4, uuid5

from csp.constants import SELF
from csp.utils import build_policy
from django.conf import settings
from django.core import signing
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from crowd.marketplace import clock, frames
from crowd.marketplace.models.parties import AuditEntry, Operator
from crowd.marketplace.services import operators

NOTE = settings.MARKETPLACE_COOKIES.format("operator_note")
NOTE_LIFE_S = 60
SALT = "marketplace.desk.note"


def show(
    request: HttpRequest,
    operator: Operator | None,
    page: str,
    context: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    """Render a page with a token for its forms, and with the note of the last action, shown once.

    Only a page with a requester's page in it may frame anything.
    """
    values = {"operator": operator, "form_token": uuid4(), "note": _read_note(request), **context}
    response = render(request, f"marketplace/desk/{page}.html", values, status=status)
    if frame_url := context.get("frame_url"):
        policy = build_policy(replace={"frame-src": [SELF, frames.origin(frame_url)]})
        response["Content-Security-Policy"] = policy
    if NOTE in request.COOKIES:
        response.delete_cookie(NOTE, samesite="Strict")
    return response


def ask(
    request: HttpRequest,
    operator: Operator,
    *,
    title: str,
    text: Sequence[str],
    button: str,
    back: str,
    form: Form | None = None,
    is_grave: bool = False,
) -> HttpResponse:
    """Ask once more before an action; the answer is sent to the same address."""
    context = {
        "title": title,
        "text": text,
        "button": button,
        "back": back,
        "form": form,
        "is_grave": is_grave,
    }
    return show(request, operator, "ask", context, status=422 if form and form.errors else 200)


def tell(note: str, to: str, *args: object) -> HttpResponse:
    """Redirect to a page that shows the note once. A cookie carries it, as we use no Django sessions."""
    response = redirect(to, *args)
    response.set_cookie(
        NOTE,
        signing.dumps(note, key=settings.MARKETPLACE_KEYS[0], salt=SALT),
        max_age=NOTE_LIFE_S,
        httponly=True,
        secure=settings.MARKETPLACE_URL.startswith("https:"),
        samesite="Strict",
    )
    return response


@contextmanager
def doing(
    request: HttpRequest, operator: Operator, what: str, *, about: str = "", note: str = "", part: str = ""
) -> Iterator[AuditEntry]:
    """Carry out this form's action: recorded, and idempotent however often the form is sent.

    A form that does the same to several things names each as a `part`, and every part has an entry.
    """
    token = operators.read_token(request.POST.get("form_token", ""))
    if part:
        token = uuid5(token, part)
    with operators.do_once(
        operator=operator, token=token, what=what, about=about, note=note, now=clock.now()
    ) as entry:
        yield entry


def _read_note(request: HttpRequest) -> str:
    try:
        note: str = signing.loads(
            request.COOKIES.get(NOTE, ""),
            key=settings.MARKETPLACE_KEYS[0],
            salt=SALT,
            max_age=NOTE_LIFE_S,
        )
    except signing.BadSignature:
        return ""
    return note
