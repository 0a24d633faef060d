"""The real work as those who run the marketplace see it, who have to judge it. Nothing can be submitted."""

from datetime import datetime
from uuid import uuid4

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.frame.framed_pages import show
from crowd.frame.previews.preview_tokens import Preview
from crowd.frame.previews.preview_work import begin_work, thrown_away
from crowd.frame.visit_problems import Expired, UnverifiedVisit
from hits.core import crypto
from hits.families import TaskPage
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services.leasing import family_of_batch, items_served

AGAIN = gettext_lazy("Please open it again from the desk.")


def show_inspection(request: HttpRequest, hit: HIT, signed: str, *, now: datetime) -> HttpResponse:
    """Show a worker's work as its reviewer sees it, or what the next worker would be asked."""
    named = _read(hit, signed, now=now)
    if named["assignment"]:
        return _show_work(request, hit, _find(hit, named))
    with thrown_away():
        preview = Preview(key=uuid4(), batch_id=hit.batch_id, user_id=0, expires_at=now)
        work = begin_work(preview, hit.batch, now=now)
        if not work.items:
            return show(request, "frame/preview_empty.html", {})
        page = family_of_batch(hit.batch).work_page(assignment=work.assignment, items=work.items)
        return _show_page(request, page, work.assignment)


def _read(hit: HIT, signed: str, *, now: datetime) -> dict[str, str]:
    key = hit.batch.account.ticket_key
    if not key:  # anybody could have signed with none
        raise UnverifiedVisit(_("This account shares no key with its marketplace."))
    try:
        named = crypto.read_inspection(signed, key=key)
    except signing.BadSignature:
        raise UnverifiedVisit(_("The address carries no valid word of the marketplace."), AGAIN) from None
    if named["hit"] != hit.external_id:
        raise UnverifiedVisit(_("The address belongs to other work."), AGAIN)
    if now.timestamp() >= named["expires"]:
        raise Expired(_("This inspection has ended."), AGAIN)
    return named


def _find(hit: HIT, named: dict[str, str]) -> Assignment:
    index = crypto.blind_index(str(hit.batch.account.public_id), named["worker"])
    works = Assignment.objects.filter(
        hit=hit, external_id=named["assignment"], worker__external_id_index=index
    ).select_related("worker")
    work = works.order_by("-attempt").first()
    if work is None:
        raise UnverifiedVisit(_("The worker has never opened this work here."), AGAIN)
    work.hit, work.account = hit, hit.batch.account
    return work


def _show_work(request: HttpRequest, hit: HIT, work: Assignment) -> HttpResponse:
    family, items = family_of_batch(hit.batch), items_served(work)
    if work.status == Assignment.Status.OPENED:
        return _show_page(request, family.work_page(assignment=work, items=items), work)
    page = family.review_page(assignment=work, items=items)
    return show(request, "frame/inspection.html", {**page.context, "page_template": page.template})


def _show_page(request: HttpRequest, page: TaskPage, work: Assignment) -> HttpResponse:
    """Show the page of the work without a token: nothing can be sent from it."""
    context = {**page.context, "token": "", "hit": work.hit, "assignment": work, "thrown_away": True}
    return show(request, page.template, context)
