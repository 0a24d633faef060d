"""The statement: no cookies, no session, never framed, never cached. The link is the only authority."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from crowd.statement import queries, statement_links, statement_words
from crowd.statement.statement_links import Link
from hits import families
from hits.common import linked_pages
from hits.core.errors import RuleBroken
from hits.review.models import Appeal
from hits.review.services import appeal_handling
from hits.work.models.assignments import Assignment
from hits.work.services.leasing import items_served

PAGE = 25
SAID = ("asked", "taken-back")


@dataclass(frozen=True, kw_only=True)
class RefusedAppeal:
    """A refused appeal: what was typed about which work, and why it was refused. Nothing typed is lost."""

    work: Assignment
    text: str
    why: str


def linked(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Wrap a view of everything that is the worker's: a link to one piece of work does not open it."""

    @wraps(view)
    def whole(request: HttpRequest, link: Link, **kwargs: Any) -> HttpResponse:
        if link.work_id:
            raise statement_links.Unknown("This link opens one piece of work.")
        return view(request, link, **kwargs)

    return linked_to_work(whole)


def linked_to_work(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Wrap a view: read the link, and let no cache keep a page of a worker's money."""

    @csrf_exempt
    @never_cache
    def shown(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponse:
        try:
            link = statement_links.read_token(token, now=timezone.now())
            with translation.override(link.study.language), timezone.override(link.study.time_zone):
                response = view(request, link, **kwargs)
        except statement_links.Unknown:
            response = render(request, "statement/unknown.html", status=403)
        except statement_links.LinkExpired as over:
            with translation.override(over.language):
                response = render(request, "statement/over.html", status=410)
        linked_pages.guard(response)
        return response

    return shown


@linked_to_work
@require_safe
def pay(request: HttpRequest, link: Link) -> HttpResponse:
    return _show(request, link)


@linked_to_work
@require_safe
def outcome(request: HttpRequest, link: Link, work_id: UUID) -> HttpResponse:
    """Show how one assignment turned out, as far as its worker may know by now."""
    works = _works(link).select_related("hit__batch__study", "account")
    work = works.filter(public_id=work_id).first()
    if work is None:
        raise statement_links.Unknown("This worker has no such work.")
    family = families.get(work.hit.batch.task)
    page = None
    if isinstance(family, families.GivesFeedback) and work.status != Assignment.Status.SAVED:
        page = family.feedback_page(assignment=work, items=items_served(work))
    shown = {**page.context, "template": page.template} if page else {}
    context = {**shown, "link": link, "work": work, "kept": _kept(request)}
    return render(request, "statement/outcome.html", context)


@linked_to_work
@require_POST
def ask(request: HttpRequest, link: Link, work_id: UUID) -> HttpResponse:
    """Make an appeal. Idempotent."""
    work = _works(link).filter(public_id=work_id).first()
    if work is None:
        raise statement_links.Unknown("This worker has no such work.")
    text = request.POST.get("text", "")
    try:
        appeal_handling.make_appeal(assignment=work, text=text, now=timezone.now())
    except RuleBroken as broken:
        return _show(request, link, refused=RefusedAppeal(work=work, text=text, why=str(broken)))
    return _back(request, link, work, said="asked")


@linked_to_work
@require_POST
def take_back(request: HttpRequest, link: Link, appeal_id: UUID) -> HttpResponse:
    appeals = Appeal.objects.select_related("worker", "assignment__account", "assignment__hit__batch__study")
    appeal = appeals.filter(public_id=appeal_id, worker=link.worker).first()
    if appeal is None or link.work_id not in (None, appeal.assignment.public_id):
        raise statement_links.Unknown("This worker has no such appeal.")
    try:
        appeal_handling.withdraw_appeal(appeal=appeal, now=timezone.now())
    except RuleBroken as broken:
        return _show(request, link, refused=RefusedAppeal(work=appeal.assignment, text="", why=str(broken)))
    return _back(request, link, appeal.assignment, said="taken-back")


def _show(request: HttpRequest, link: Link, *, refused: RefusedAppeal | None = None) -> HttpResponse:
    now, zone = timezone.now(), ZoneInfo(link.study.time_zone)
    currency = link.worker.account.currency
    works = _works(link)
    months = queries.months_of(works, zone=zone)
    month = _month_asked(request, months)
    if month is not None:
        works = queries.in_month(works, month)
    page = Paginator(works, PAGE).get_page(request.GET.get("page"))
    page.object_list = queries.with_everything(page.object_list)  # type: ignore[arg-type]
    context = {
        "link": link,
        "currency": currency,
        "months": [(start, start == month) for start in months],
        "month": month,
        "page": page,
        "totals": queries.totals_of(works),
        "works": [_work(work, currency=currency, now=now, refused=refused) for work in page],
        "refused": refused,
        "kept": _kept(request),
        "said": _said(request, link),
        "longest": appeal_handling.LONGEST,
        "within": appeal_handling.WITHIN.days,
        "answered_within": appeal_handling.ANSWERED_WITHIN.days,
    }
    return render(request, "statement/statement.html", context, status=409 if refused else 200)


def _said(request: HttpRequest, link: Link) -> str:
    """Return what was just done. The address keeps it, and a question that was answered waits no more."""
    said = request.GET.get("said", "")
    if said == "asked":
        newest = Appeal.objects.filter(assignment__in=_works(link)).order_by("-pk").first()
        return said if newest and newest.status == Appeal.Status.OPEN else ""
    return said if said in SAID else ""


def _works(link: Link) -> QuerySet[Assignment]:
    works = queries.works_of(link.worker)
    return works.filter(public_id=link.work_id) if link.work_id else works


def _work(
    work: Assignment, *, currency: str, now: datetime, refused: RefusedAppeal | None
) -> Mapping[str, Any]:
    appeals = list(work.appeals.all())
    why_not = appeal_handling.why_not(work, appeals=appeals, now=now)
    is_refused = refused is not None and refused.work.pk == work.pk
    return {
        "work": work,
        "gives_feedback": isinstance(families.get(work.hit.batch.task), families.GivesFeedback),
        "state": statement_words.state_of_work(work),
        "rejection": work.rejections[-1].reason if _is_rejected(work) else "",  # type: ignore[attr-defined]
        "bonuses": [
            {
                "bonus": bonus,
                "state": statement_words.state_of_bonus(bonus),
                "figures": statement_words.figures_of(bonus, currency=currency),
            }
            for bonus in work.bonuses.all()
        ],
        "appeals": appeals,
        "may_ask": why_not is None,
        # Shown only where the worker would look for the box in vain.
        "why_not": str(why_not) if why_not and why_not.code in ("too_late", "too_many") else "",
        "refused": refused if is_refused else None,
    }


def _is_rejected(work: Assignment) -> bool:
    return work.status == Assignment.Status.REJECTED and bool(work.rejections)  # type: ignore[attr-defined]


def _month_asked(request: HttpRequest, months: list[datetime]) -> datetime | None:
    """The month asked for; None, for everything, if it cannot be read or holds no work."""
    asked = request.GET.get("month", "")
    return next((start for start in months if f"{start:%Y-%m}" == asked), None)


def _kept(request: HttpRequest) -> str:
    """The month and page as a query, so that the worker comes back to the same place."""
    asked = {name: request.GET.get(name, "")[:8] for name in ("month", "page")}
    return urlencode({name: value for name, value in asked.items() if value})


def _back(request: HttpRequest, link: Link, work: Assignment, *, said: str) -> HttpResponse:
    kept = _kept(request)
    query = f"{kept}&said={said}" if kept else f"said={said}"
    return redirect(f"{reverse('statement:pay', args=[link.token])}?{query}#work-{work.public_id}")
