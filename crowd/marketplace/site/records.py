"""A worker's records: history, its export, earnings, messages."""

from datetime import datetime
from decimal import Decimal
from typing import cast

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.formats import date_format
from django.views.decorators.http import require_safe

from crowd.marketplace import clock, queries
from crowd.marketplace.models import Assignment
from crowd.marketplace.models.parties import Message, Worker
from crowd.marketplace.queries.daily_money import earned_by_day
from crowd.marketplace.queries.feedback import newest_asked, read_feedback
from crowd.marketplace.services import work
from crowd.marketplace.site.responses import show
from crowd.marketplace.site.session import worker_required
from crowd.marketplace.spreadsheets import csv_file
from hits.common.currencies import in_dollars
from hits.common.day_columns import draw_days

SIZE = 25
# Newest works in which the requesters' own pages are looked for.
ASKED = 100
STATUSES = ("Submitted", "Approved", "Rejected")
COLUMNS = (
    "assignment",
    "title",
    "requester",
    "status",
    "reward",
    "bonus",
    "accepted_at",
    "submitted_at",
    "reviewed_at",
    "feedback",
)


@require_safe
@worker_required
def history(request: HttpRequest, worker: Worker) -> HttpResponse:
    work.settle(now=clock.now())
    text, status, sort = _wanted(request.GET)
    rows = queries.history(worker=worker, status=status, words=queries.words_of(text))
    page = queries.read_page(
        rows,
        keyset=queries.HISTORY[sort],
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
        size=SIZE,
    )
    for row in page.rows:
        row.bonus = sum((bonus.amount for bonus in row.bonuses.all()), Decimal(0))  # type: ignore[attr-defined]
        row.ask_url = read_feedback(row).ask_url  # type: ignore[attr-defined]
    search = {"q": text, "status": status, "sort": sort}
    context = {
        "page": page,
        "text": text,
        "status": status,
        "sort": sort,
        "can_ask": any(row.ask_url for row in page.rows),  # type: ignore[attr-defined]
        "is_search": bool(text or status),
        "export": _address(q=text, status=status),
        "earlier": _address(**search, before=page.before) if page.before else "",
        "further": _address(**search, after=page.after) if page.after else "",
    }
    return show(request, "history", worker, context)


@require_safe
@worker_required
def export(request: HttpRequest, worker: Worker) -> HttpResponse:
    """The worker's own history as CSV, or the rows that a search finds. Rows are streamed."""
    work.settle(now=clock.now())
    text, status, _sort = _wanted(request.GET)
    rows = queries.history(worker=worker, status=status, words=queries.words_of(text))
    response = csv_file("history", header=COLUMNS, rows=map(_cells, rows.iterator(chunk_size=500)))
    return cast(HttpResponse, response)  # the decorator asks for no more than headers


@require_safe
@worker_required
def earnings(request: HttpRequest, worker: Worker) -> HttpResponse:
    now = clock.now()
    work.settle(now=now)
    worker.refresh_from_db()
    days = earned_by_day(worker=worker, now=now)
    page = queries.read_page(
        queries.payouts(worker=worker),
        keyset=queries.LATEST,
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
        size=SIZE,
    )
    context = {
        "page": page,
        "earned": draw_days(
            [(date_format(one.day, "DATE_FORMAT"), one.earned, in_dollars(one.earned)) for one in days]
        ),
        "paid": worker.earned - worker.owed,
        "statements": _asked(worker),
        "waiting_sum": queries.reward_waiting(worker=worker),
        "waiting": max(0, worker.submitted - worker.approved - worker.rejected),
        "earlier": _address(before=page.before) if page.before else "",
        "further": _address(after=page.after) if page.after else "",
    }
    return show(request, "earnings", worker, context)


@require_safe
@worker_required
def messages(request: HttpRequest, worker: Worker) -> HttpResponse:
    page = queries.read_page(
        queries.messages(worker=worker),
        keyset=queries.LATEST,
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
        size=SIZE,
    )
    context = {
        "page": page,
        "can_ask": bool(_asked(worker)),
        "earlier": _address(before=page.before) if page.before else "",
        "further": _address(after=page.after) if page.after else "",
    }
    return show(request, "messages", worker, context)


@require_safe
@worker_required
def message(request: HttpRequest, worker: Worker, number: int) -> HttpResponse:
    """Show a message and mark it as read."""
    found = get_object_or_404(queries.messages(worker=worker), pk=number)
    if request.method == "GET":
        Message.objects.filter(pk=found.pk, read_at=None).update(read_at=clock.now())
    return show(request, "message", worker, {"message": found})


def _asked(worker: Worker) -> dict[str, str]:
    """Return the requesters' own pages of newest decided work, which ordinary studies do not have."""
    decided = queries.history(worker=worker).exclude(feedback="")
    return newest_asked(decided.order_by("-pk")[:ASKED])


def _wanted(query: QueryDict) -> tuple[str, str, str]:
    """Read text, status and order. A senseless value means the default."""
    text = " ".join(queries.words_of(query.get("q", "")))
    status, sort = query.get("status", ""), query.get("sort", "")
    return (
        text,
        status if status in STATUSES else "",
        sort if sort in queries.HISTORY else "newest",
    )


def _address(**values: str) -> str:
    query = QueryDict(mutable=True)
    query.update({name: value for name, value in values.items() if value})
    return f"?{query.urlencode()}"


def _cells(row: Assignment) -> list[object]:
    group = row.hit.hit_type
    return [
        row.external_id,
        group.title,
        group.requester.name,
        row.status,
        group.reward,
        sum((bonus.amount for bonus in row.bonuses.all()), Decimal(0)),
        *map(_instant, (row.accepted_at, row.submitted_at, row.approved_at or row.rejected_at)),
        row.feedback,
    ]


def _instant(moment: datetime | None) -> str:
    return moment.isoformat(timespec="seconds") if moment else ""
