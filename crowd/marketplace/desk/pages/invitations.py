"""Invitation links for workers: shown once, as a page and as a file."""

import json
from collections.abc import Sequence

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from crowd.marketplace import clock, seals
from crowd.marketplace.desk.forms import InviteForm
from crowd.marketplace.desk.pages.workers import find_worker
from crowd.marketplace.desk.responses import doing, show
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services import workers as services
from crowd.marketplace.services.operators import about_people
from crowd.marketplace.services.worker_sign_in import INVITATION_LIFE
from crowd.marketplace.spreadsheets import csv_file

HEADER = ("worker id", "name", "link")


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def invite(request: HttpRequest, operator: Operator) -> HttpResponse:
    form = InviteForm(request.POST or None)
    if not form.is_valid():
        return show(request, operator, "invite", {"form": form}, status=422 if form.errors else 200)
    people = form.cleaned_data["names"]
    with doing(request, operator, "workers invited") as entry:
        made = services.invite_workers(people=people, now=clock.now())
        invited = [one.worker.external_id for one in made]
        entry.about, entry.note = about_people(invited, note=str(len(people)))
    return _show_links(request, operator, made)


@require_POST
@operator_required
def invite_again(request: HttpRequest, operator: Operator, worker_id: str) -> HttpResponse:
    worker = find_worker(worker_id)
    with doing(request, operator, "worker invited again", about=worker.external_id):
        made = services.invite_again(worker_id=worker.pk, now=clock.now())
    return _show_links(request, operator, [made])


@require_POST
@operator_required
def links_file(request: HttpRequest, operator: Operator) -> StreamingHttpResponse:
    """Write the links as a file. The page sends them back sealed: we keep none of them."""
    try:
        rows: list[list[str]] = json.loads(seals.unseal(request.POST.get("links", "")))
    except InvalidToken:
        raise RuleBroken("These links were not made by this marketplace. Make new ones.") from None
    return csv_file("invitations", header=HEADER, rows=rows)


def _show_links(
    request: HttpRequest, operator: Operator, invited: Sequence[services.InvitedWorker]
) -> HttpResponse:
    rows = [(one.worker.external_id, one.worker.name, _link(one.token)) for one in invited]
    context = {
        "rows": rows,
        "emails_are_files": settings.MARKETPLACE_EMAILS_ARE_FILES,
        "sent": [one.sent_to for one in invited if one.sent_to],
        "sealed": seals.seal(json.dumps(rows)),
        "days": INVITATION_LIFE.days,
    }
    return show(request, operator, "links", context)


def _link(token: str) -> str:
    return settings.MARKETPLACE_URL + reverse("marketplace:invitation", args=[token])
