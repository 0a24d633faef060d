"""The first page, the log, the blocks, and the page for unknown addresses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse, reverse_lazy
from django.utils.formats import date_format
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crowd.marketplace import clock
from crowd.marketplace.desk import first_steps, lists, queries
from crowd.marketplace.desk.responses import ask, doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models.parties import AuditEntry, Block, Operator, Requester, Worker
from crowd.marketplace.queries import public_texts
from crowd.marketplace.queries.daily_money import earned_by_day, hits_by_day
from crowd.marketplace.services import epochs
from crowd.marketplace.services.oversight.take_downs import ACTS, DASH
from crowd.marketplace.services.work import settle
from crowd.marketplace.spreadsheets import csv_file, json_file
from hits.common.currencies import in_dollars
from hits.common.day_columns import draw_days


@require_safe
@operator_required
def overview(request: HttpRequest, operator: Operator) -> HttpResponse:
    now = clock.now()
    settle(now=now)
    found = {
        "overview": queries.overview(now=now),
        "epoch": epochs.unconfirmed(),
        "steps": first_steps.find_first_steps(now=now),
        "days": _drawn(now),
        "is_named": settings.MARKETPLACE_OPERATOR and settings.MARKETPLACE_CONTACT,
        "emails_are_files": settings.MARKETPLACE_EMAILS_ARE_FILES,
    }
    return show(request, operator, "overview", found)


@require_POST
@operator_required
def dismiss_first_steps(request: HttpRequest, operator: Operator) -> HttpResponse:
    with doing(request, operator, first_steps.DISMISSED):
        return tell("The first steps are not shown any more.", "desk:overview")


def _drawn(now: datetime) -> list[dict[str, Any]]:
    """Return what the last days have brought, drawn."""
    earned, hits = earned_by_day(now=now), hits_by_day(now=now)
    workers = [(one.day, one.workers, str(one.workers)) for one in earned]
    return [
        _picture(
            "earned", "Earned by workers", [(one.day, one.earned, in_dollars(one.earned)) for one in earned]
        ),
        _picture("workers", "Workers who earned", workers),
        _picture("hits", "HITs made", [(day, count, str(count)) for day, count in hits]),
    ]


def _picture(name: str, title: str, days: Sequence[tuple[date, int | Decimal, str]]) -> dict[str, Any]:
    drawn = draw_days([(date_format(day, "j M Y"), value, words) for day, value, words in days])
    return {"name": name, "title": title, "drawn": drawn}


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def confirm_epoch(request: HttpRequest, operator: Operator) -> HttpResponse:
    epoch = epochs.unconfirmed()
    if epoch is None:
        return tell("Payouts have already resumed.", "desk:overview")
    if request.method != "POST":
        return ask(
            request,
            operator,
            title="Resume payouts?",
            text=[
                "Payouts, deposits and withdrawals that were booked after the copy are missing here.",
                "First book again all money that you have really sent and received since.",
                "A payout that is missing from the history is owed again, and would be paid a second time.",
                "Requesters learn of it with their next call. They stop sending until the records agree.",
            ],
            button="I have compared them. Resume payouts",
            back=reverse("desk:overview"),
        )
    with doing(request, operator, "payouts went on after a restore", about=str(epoch.public_id)):
        epochs.confirm(now=clock.now())
    return tell("Payouts have resumed.", "desk:overview")


@require_safe
@operator_required
def books(request: HttpRequest, operator: Operator) -> HttpResponse:
    """Show the sum of every account. Not part of the overview, as it reads the whole ledger."""
    settle(now=clock.now())
    found = queries.books()
    return show(request, operator, "books", {"books": found, "difference": sum(found.values())})


@require_safe
@operator_required
def public_pages(request: HttpRequest, operator: Operator) -> HttpResponse:
    """Show what everybody reads, and where an operator puts texts of their own."""
    texts = [
        {
            "name": name,
            "is_own": bool(public_texts.read_own_text(name)),
            "is_readable": public_texts.is_utf_8(name),
            "path": public_texts.path_of(name),
            "url": reverse(f"marketplace:{name}"),
        }
        for name in public_texts.NAMES
    ]
    run_by = {"operator_name": settings.MARKETPLACE_OPERATOR, "contact": settings.MARKETPLACE_CONTACT}
    command = "marketplace" if settings.MARKETPLACE_ALONE else "serve"
    return show(request, operator, "public_pages", {"texts": texts, "command": command, **run_by})


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Whom or what an action was about, with its page."""

    name: str
    url: object


MOST_SHOWN = 3
# Actions about several, or about what did not exist yet: the list where they are found.
LISTS = {
    "paid": Subject(name="Payouts", url=reverse_lazy("desk:payout_history")),
    "workers invited": Subject(name="Workers", url=reverse_lazy("desk:workers")),
    "requester made": Subject(name="Requesters", url=reverse_lazy("desk:requesters")),
}


@require_safe
@operator_required
def log(request: HttpRequest, operator: Operator) -> HttpResponse:
    search = lists.searched(request)
    page = lists.paged(request, queries.audit_entries(search=search))
    entries = list(page.object_list)
    known = _subjects([one for entry in entries for one in (entry.about, *entry.named)])
    lines = [(entry, _shown(entry, known)) for entry in entries]
    return show(request, operator, "log", {"page": page, "lines": lines, "search": search})


FORMS = {"csv": csv_file, "jsonl": json_file}
LOG_HEADER = ("number", "at", "operator", "action", "about", "note")


@require_safe
@operator_required
def log_file(request: HttpRequest, operator: Operator, form: str) -> StreamingHttpResponse:
    """Send the log as the list shows it by its search, of the days that the address names."""
    if form not in FORMS:
        raise Http404
    entries = queries.audit_entries(search=lists.searched(request))
    first, last = (_day(request.GET.get(name, "")) for name in ("first", "last"))
    if first:
        entries = entries.filter(done_at__gte=first)
    if last:
        entries = entries.filter(done_at__lt=last + timedelta(days=1))
    columns = ("id", "done_at", "operator__sign_in_name", "what", "about", "note")
    rows = entries.values_list(*columns).iterator(chunk_size=1000)
    return FORMS[form]("log", header=LOG_HEADER, rows=rows)


def _day(text: str) -> datetime | None:
    """Return the beginning of a day (UTC), or None for what is no day."""
    try:
        return datetime.combine(date.fromisoformat(text), time(), tzinfo=UTC)
    except ValueError:
        return None


def _shown(entry: AuditEntry, known: Mapping[str, Subject]) -> list[Subject]:
    """Return the first few whom an action was about; behind them, or in their place, a list of all."""
    named = [known[one] for one in (entry.about, *entry.named) if one in known]
    listed = [LISTS[entry.what]] if entry.what in LISTS and len(named) != 1 else []
    if entry.what in ACTS:
        listed.append(Subject(name="HIT", url=reverse("desk:hit", args=[entry.note.partition(DASH)[0]])))
    return named[:MOST_SHOWN] + listed


def _subjects(external_ids: Sequence[str]) -> dict[str, Subject]:
    """The workers and requesters that actions were about, by their ids."""
    workers = Worker.objects.filter(external_id__in=external_ids)
    requesters = Requester.objects.filter(external_id__in=external_ids)
    return {
        one.external_id: Subject(name=str(one), url=reverse(page, args=[one.external_id]))
        for page, rows in (("desk:worker", workers), ("desk:requester", requesters))
        for one in rows
    }


@require_safe
@operator_required
def blocks(request: HttpRequest, operator: Operator) -> HttpResponse:
    search = lists.searched(request)
    page = lists.paged(request, queries.blocks(search=search))
    return show(request, operator, "blocks", {"page": page, "search": search})


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def lift_block(request: HttpRequest, operator: Operator, block_id: int) -> HttpResponse:
    block = get_object_or_404(Block.objects.select_related("requester", "worker"), pk=block_id)
    if request.method != "POST":
        return ask(
            request,
            operator,
            title=f"Lift the block of {block.worker}?",
            text=[
                f"{block.requester} blocked this worker. They may then do that requester’s work again.",
                "The requester is not written to: it leaves their list of blocks. They may block again.",
                "The requester’s own system may still keep the worker out: it has to lift its own block too.",
            ],
            button="Lift the block",
            back=reverse("desk:blocks"),
        )
    with doing(
        request, operator, "block lifted", about=block.worker.external_id, note=f"of {block.requester}"
    ):
        block.delete()
    still = f"The system of {block.requester} may still keep {block.worker} out"
    return tell(f"The block is lifted here. {still}, and has to lift its own block too.", "desk:blocks")


@operator_required
def nowhere(request: HttpRequest, operator: Operator) -> HttpResponse:
    raise Http404
