"""Grading of tests by a person: one after another, as the worker saw them, with one key for each action."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from hits.admin.home import waiting
from hits.admin.home.waiting import Waiting
from hits.admin.page_parts import read_number
from hits.admin.review.review_pages import facts_of, work_page
from hits.admin.selection import need, signed_in
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from qualifications.admin.finding_gates import GRADE, gates_for, render
from qualifications.models import Attempt, Gate
from qualifications.queries.gate_words import findings_in_words
from qualifications.services import grading_queue
from qualifications.services.grading import grade_by_hand

LONGEST = 500
Status = Attempt.Status
GRADABLE = (Status.WAITING, Status.PASSED, Status.FAILED)


def grading_view(request: HttpRequest) -> HttpResponse:
    """Show the next test and claim it for some minutes, so that no colleague gets the same."""
    need(request, GRADE)
    user, now = signed_in(request), timezone.now()
    gates, asked = _gates(request), read_number(request.GET.get("at", ""))
    if asked is not None:
        attempt = get_object_or_404(_gradable(user), pk=asked)
        if not grading_queue.take_attempt(attempt=attempt, by=user, now=now):
            messages.warning(request, "A colleague is grading this test now. Here is another one.")
            return _go(request)
        return _page(request, _read(attempt.pk))
    after = read_number(request.GET.get("after", "")) or 0
    claimed = grading_queue.claim_attempt(gates=gates, by=user, now=now, after=after)
    return _page(request, _read(claimed.pk) if claimed else None)


def grade_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Grade a test and go to the next one, from where the decision can still be changed."""
    need(request, GRADE)
    user, now = signed_in(request), timezone.now()
    attempt = get_object_or_404(_gradable(user), pk=pk)
    verdict, typed = request.POST.get("verdict"), request.POST.get("words", "")
    words = " ".join(typed.split())
    if verdict == "skip":
        grading_queue.leave_attempt(attempt=attempt, by=user)
        return _go(request, after=attempt.pk)
    if attempt.status != request.POST.get("seen") or not grading_queue.take_attempt(
        attempt=attempt, by=user, now=now
    ):
        messages.error(request, "A colleague has this test, or has graded it meanwhile. Nothing was changed.")
        return _go(request)
    if verdict not in ("pass", "fail") or len(words) > LONGEST or (verdict == "fail" and not words):
        messages.error(request, f"Say in at most {LONGEST} characters what was missing: the worker reads it.")
        return _page(request, _read(attempt.pk), words=typed, status=409)
    try:
        grade_by_hand(attempt=attempt, passed=verdict == "pass", words=words, by=user, now=now)
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return _page(request, _read(attempt.pk), words=typed, status=409)
    grading_queue.leave_attempt(attempt=attempt, by=user)
    told = "Passed." if verdict == "pass" else "Not passed."
    messages.success(
        request, f"{attempt.worker}: {told.lower()} The worker reads it under “Where you stand”."
    )
    return _go(request, graded=attempt.pk)


def _page(
    request: HttpRequest, attempt: Attempt | None, *, words: str = "", status: int = 200
) -> HttpResponse:
    user, now = signed_in(request), timezone.now()
    last = _last(request)
    context: dict[str, Any] = {
        "title": "Grade tests",
        "attempt": attempt,
        "last": last if last and (attempt is None or last.pk != attempt.pk) else None,
        "words": words or (attempt.words if attempt else ""),
        "longest": LONGEST,
        "minutes": int(grading_queue.LEASE.total_seconds()) // 60,
        "filters": _filters(request),
        **_progress(request),
    }
    if attempt is not None:
        context["findings"] = findings_in_words(attempt.findings)
        context["others"] = _others(attempt)
        context["lacks_scores"] = attempt.status == Status.WAITING and attempt.gate.grading == "scores"
        if work := attempt.assignment:
            context = {**work_page(work), **facts_of(work, user=user, now=now), **context}
            context["may_see_work"] = user.has_perm("hits.view_assignment")
    return render(request, "attempt/grading", context, status=status)


def _read(pk: int) -> Attempt:
    """Read the attempt again, with everything that the page shows."""
    rows = Attempt.objects.select_related(
        "worker", "gate__study", "graded_by", "assignment__hit__batch__study", "assignment__worker"
    )
    return rows.get(pk=pk)


def _gradable(user: User) -> QuerySet[Attempt]:
    """Attempts that this person may grade, also those graded before: a person may look again."""
    rows = Attempt.objects.filter(gate__in=gates_for(user), status__in=GRADABLE)
    return rows.select_related("gate", "worker")


def _gates(request: HttpRequest) -> QuerySet[Gate]:
    chosen, gates = read_number(request.GET.get("gate", "")), gates_for(request.user)
    return gates.filter(pk=chosen) if chosen is not None else gates


def _progress(request: HttpRequest) -> dict[str, Any]:
    """How many tests wait at each gate, in one query."""
    now = timezone.now()
    rows = grading_queue.waiting_for_a_person(gates_for(request.user), now=now).order_by()
    found = grading_queue.counts_by_gate(rows, by=signed_in(request), now=now)
    chosen = read_number(request.GET.get("gate", ""))
    shown = [row for row in found if chosen is None or row.gate_id == chosen]
    return {
        "gates": found,
        "chosen": chosen,
        "waiting": sum(row.waiting for row in shown),
        "elsewhere": sum(row.elsewhere for row in shown),
    }


def _others(attempt: Attempt) -> list[Attempt]:
    rows = Attempt.objects.filter(gate=attempt.gate_id, worker=attempt.worker_id).exclude(pk=attempt.pk)
    return list(rows.order_by("-pk")[:5])


def _last(request: HttpRequest) -> Attempt | None:
    """The attempt that this person has just graded, so that the grade can be changed."""
    pk = read_number(request.GET.get("graded", ""))
    if pk is None:
        return None
    return _gradable(signed_in(request)).filter(pk=pk, graded_by=signed_in(request)).first()


def _filters(request: HttpRequest, **more: Any) -> str:
    gate = read_number(request.GET.get("gate", ""))
    return urlencode({name: value for name, value in {"gate": gate, **more}.items() if value})


def _go(request: HttpRequest, **more: Any) -> HttpResponse:
    return redirect(f"{reverse('admin:qualifications_grading')}?{_filters(request, **more)}")


def _waiting(user: User, now: datetime) -> Iterator[Waiting]:
    count = grading_queue.waiting_for_a_person(gates_for(user), now=now).count()
    url = reverse("admin:qualifications_grading")
    yield Waiting(count=count, words="tests to grade", one="test to grade", url=url)


waiting.register(_waiting, permissions=[GRADE])
