"""Submitted work, one after another: shown as its worker saw it, and decided on with one key."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from statistics import median
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from hits import families
from hits.admin.home import navigation, waiting
from hits.admin.home.navigation import MenuPlace, Page, Section
from hits.admin.home.waiting import Waiting
from hits.admin.page_parts import in_words
from hits.admin.review.other_works import approval_of, others_of
from hits.admin.review.work_spread import FEWEST, seconds_of_others, spreads_of
from hits.admin.studies.study_pages import StudyPage, Tab, WaitingRows, announce
from hits.core.domain.counted_nouns import plural
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.review.queries import review_queue
from hits.review.queries.review_queue import Order, QueueFilter, State
from hits.review.queries.unsent_decisions import in_words as decisions_in_words
from hits.review.services import reviewing
from hits.studies.models import Batch, Study
from hits.work.access import visible
from hits.work.domain import effective_seconds
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.services.leasing import items_served

REVIEW = "hits.review_assignment"
SECOND = "hits.second_rejection"
# Workers that one address may name, and the longest pseudonym.
MOST_WORKERS, LONGEST_NAME = 100, 16
# A worker below this part of the batch's median time has hardly read the question.
HASTY = 1 / 3
Kind = Decision.Kind
Status = Assignment.Status
DONE = {
    Kind.APPROVE: "Approved.",
    Kind.KEEP_OUT: "Paid, and kept out of the data.",
    Kind.REJECT: "Rejected.",
    Kind.OVERRIDE: "The rejection is taken back.",
}


class QueueForm(forms.Form):
    """A filter of the work to review. A value that cannot be read filters nothing."""

    state = forms.ChoiceField(label="Show", choices=State.choices, required=False)
    batch = forms.TypedChoiceField(coerce=int, empty_value=None, required=False)
    study = forms.TypedChoiceField(coerce=int, empty_value=None, required=False)
    worker = forms.CharField(label="Workers", required=False)
    order = forms.ChoiceField(choices=Order.choices, required=False)

    def __init__(self, wanted: QueueFilter, *, batches: list[Batch]) -> None:
        super().__init__(initial=asdict(wanted), label_suffix="")
        studies = {batch.study_id: batch.study.name for batch in batches}
        choices = [(batch.pk, f"{batch.title} ({batch.pk})") for batch in batches]
        self.fields["batch"].choices = [("", "All batches"), *choices]  # type: ignore[attr-defined]
        self.fields["study"].choices = [("", "All studies"), *studies.items()]  # type: ignore[attr-defined]


def _waiting(user: User, now: datetime) -> Iterator[Waiting]:
    """Yield submitted work that waits for a decision, and rejections that wait for a second person."""
    queue = reverse("admin:hits_assignment_review")
    for state, words, one in (
        (State.WAITING, "works to review", "work to review"),
        (State.SECOND, "rejections to confirm", "rejection to confirm"),
    ):
        count = review_queue.count_in_queue(user=user, state=state)
        yield Waiting(count=count, words=words, one=one, url=f"{queue}?{urlencode({'state': state})}")


def _waiting_in(study: Study) -> QuerySet[Assignment]:
    return review_queue.in_study(study, State.WAITING)


waiting.register(_waiting, permissions=[REVIEW])
announce(
    StudyPage(
        name="Review the work",
        tab=Tab.REVIEW,
        permission=REVIEW,
        address=lambda study: f"{reverse('admin:hits_assignment_review')}?study={study.pk}",
        about="Submitted work, one after another, decided on with one key.",
        waits=WaitingRows(rows=_waiting_in, words="works to review", one="work to review"),
    )
)
navigation.add_page(
    Page(
        place=MenuPlace(Section.WORK, 2, "Review"),
        route="admin:hits_assignment_review",
        permissions=[REVIEW, "hits.view_assignment"],
    )
)


def urls(works: admin.ModelAdmin[Assignment]) -> list[URLPattern]:
    view = works.admin_site.admin_view
    return [
        path("review/", view(review_view), name="hits_assignment_review"),
        path("<int:pk>/decide/", view(require_POST(decide_view)), name="hits_assignment_decide"),
        path("<int:pk>/note/", view(require_POST(note_view)), name="hits_assignment_note"),
        path("undo/<int:pk>/", view(require_POST(undo_view)), name="hits_assignment_undo"),
        path("second/<int:pk>/", view(require_POST(second_view)), name="hits_assignment_second"),
    ]


def review_view(request: HttpRequest) -> HttpResponse:
    if not (request.user.has_perm(REVIEW) or request.user.has_perm("hits.view_assignment")):
        raise PermissionDenied
    return _page(request, pk=_number(request.GET.get("at")))


def decide_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Decide and go to the next work, from where the decision can be undone for a moment."""
    _require(request, REVIEW)
    work = get_object_or_404(visible(Assignment.objects.all(), request.user), pk=pk)
    kind = request.POST.get("kind", "")
    # The box has several lines only to be easy to read; the worker is sent one line.
    reason = " ".join((request.POST.get("reason") or request.POST.get("saved") or "").split())
    now = timezone.now()
    try:
        decision = reviewing.decide(
            assignment=work,
            kind=kind,
            reason=reason,
            category=request.POST.get("category", ""),
            by=request.user,  # type: ignore[arg-type]
            now=now,
        )
    except RuleBroken as broken:
        messages.error(request, str(broken))
        if broken.code in ("no_reason", "bad_reason", "short_reason", "bad_category"):
            typed = {name: request.POST.get(name, "") for name in ("reason", "category")}
            return _page(request, pk=pk, **typed, status=409)
        return _go(request, at=pk)
    if decision.status == Decision.Status.WAITING:
        messages.warning(
            request, "You have rejected as many as one person may today: this one waits for a second person."
        )
    else:
        messages.success(request, f"{DONE[Kind(kind)]} It is sent to the provider in a moment.")
    until = int(decision.send_at.timestamp())
    return _go(request, at=_number(request.GET.get("next")), undo=decision.pk, until=until)


def undo_view(request: HttpRequest, pk: int) -> HttpResponse:
    decision = _decision(request, pk, REVIEW)
    try:
        reviewing.undo(decision=decision, by=request.user, now=timezone.now())  # type: ignore[arg-type]
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        words = decisions_in_words(decision.kind, 1)
        messages.success(request, f"Undone: {words}. Nothing was sent.")
    return _go(request, at=decision.assignment_id)


def second_view(request: HttpRequest, pk: int) -> HttpResponse:
    decision = _decision(request, pk, SECOND)
    agree = request.POST.get("agree") == "yes"
    try:
        reviewing.second(decision=decision, by=request.user, agree=agree, now=timezone.now())  # type: ignore[arg-type]
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return _go(request, at=decision.assignment_id)
    if not agree:
        messages.success(request, "Declined. The work waits for a decision again.")
        return _go(request, at=_number(request.GET.get("next")))
    messages.success(request, "Rejected by two people. It is sent to the provider in a moment.")
    until = int(decision.send_at.timestamp())
    return _go(request, at=_number(request.GET.get("next")), undo=decision.pk, until=until)


def note_view(request: HttpRequest, pk: int) -> HttpResponse:
    _require(request, REVIEW)
    work = get_object_or_404(visible(Assignment.objects.all(), request.user), pk=pk)
    text = request.POST.get("text", "")
    try:
        reviewing.add_note(assignment=work, text=text, by=request.user, now=timezone.now())  # type: ignore[arg-type]
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return _page(request, pk=pk, note=text, status=409)
    return _go(request, at=pk)


def facts_of(work: Assignment, *, user: Any, now: datetime) -> dict[str, Any]:
    """Facts about a work's time, its deadlines and its worker, in words, for both pages that show it."""
    pace, is_hasty = _pace(work)
    facts: dict[str, Any] = {
        "assignment": work,
        "pace": pace,
        "is_hasty": is_hasty,
        "others": others_of(work, user=user),
        "approval": approval_of(work, user=user),
    }
    if work.status == Status.SUBMITTED:
        facts["countdown"] = _countdown(work, now=now)
    if work.status == Status.REJECTED and work.submitted_at:
        facts["override_until"] = work.submitted_at + reviewing.OVERRIDE_WITHIN
        facts["can_override"] = now <= facts["override_until"]
    return facts


def work_page(work: Assignment) -> dict[str, Any]:
    """The page as its worker saw it, even if its items have been given to others since."""
    family = families.get(work.hit.batch.task)
    page = family.review_page(assignment=work, items=items_served(work))
    return {**page.context, "page_template": page.template}


def words_of(outcomes: Mapping[str, int]) -> str:
    """The outcomes of many decisions in words: "38 decided, 2 had been decided already"."""
    words = {
        "intended": "decided",
        "waiting": "waiting for a second person",
        "decided_already": "had been decided already",
        "not_submitted": "not submitted",
        "override_too_late": "too late to be taken back",
    }
    counted = Counter(outcomes)
    return ", ".join(f"{counted[code]} {words.get(code, code)}" for code in [*words] if counted[code])


def _page(
    request: HttpRequest,
    *,
    pk: int | None,
    reason: str | None = None,
    category: str = "",
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    now, user = timezone.now(), request.user
    wanted = _read_wanted(request)
    batches = review_queue.batches_to_review(user)  # type: ignore[arg-type]
    work = review_queue.work_in_queue(user=user, wanted=wanted, pk=pk)  # type: ignore[arg-type]
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": "Review",
        "form": QueueForm(wanted, batches=batches),
        "wanted": wanted,
        "shown": _shown(wanted, batches=batches),
        "filters": _filters(wanted),
        "may_decide": user.has_perm(REVIEW),
        "undo": _undo(request, now=now),
        "reason": reason,
        "category": category,
        "note": note,
        "assignment": work,
    }
    if work is not None:
        past = review_queue.past_of(work, study_id=work.hit.batch.study_id, now=now)
        may = {"may_review": user.has_perm(REVIEW), "may_second": _may_second(request, past)}
        context = {**work_page(work), **context, **facts_of(work, user=user, now=now), **may, "past": past}
        context["place"] = work.before + 1 if work.is_listed else None
        context["spreads"] = spreads_of(work)
        context["here"] = _filters(wanted, at=work.pk)
        context["next_filters"] = _filters(wanted, next=work.next_pk)
        context["decisions"] = _open_decisions(work, past, can_override=context.get("can_override", False))
    return TemplateResponse(request, "admin/hits/review.html", context, status=status)


def _open_decisions(work: Assignment, past: review_queue.PastReview, *, can_override: bool) -> set[str]:
    """The decisions that are possible now, for a user who may decide."""
    if past.unsent:
        return set()
    if work.status == Status.SUBMITTED:
        return {Kind.APPROVE, Kind.KEEP_OUT, Kind.REJECT}
    if work.status == Status.APPROVED and not work.kept_out:
        return {Kind.KEEP_OUT}
    return {Kind.OVERRIDE} if can_override and work.hit.batch.account.can.overrides else set()


def _may_second(request: HttpRequest, past: review_queue.PastReview) -> bool:
    waiting = past.waiting
    return waiting is not None and waiting.by != request.user.get_username() and request.user.has_perm(SECOND)


def _read_wanted(request: HttpRequest) -> QueueFilter:
    """The queue's filter. A value that cannot be read filters nothing: an old link still opens."""
    asked = request.GET
    return QueueFilter(
        state=asked["state"] if asked.get("state") in State.values else State.WAITING,
        order=asked["order"] if asked.get("order") in Order.values else Order.OLDEST,
        batch=_number(asked.get("batch")),
        study=_number(asked.get("study")),
        worker=_read_workers(asked.getlist("worker")),
    )


def _read_workers(asked: Sequence[str]) -> str:
    """The pseudonyms that a link or a form names, each once: in one field, or one in each of several."""
    names = dict.fromkeys(name[:LONGEST_NAME] for name in " ".join(asked).replace(",", " ").split())
    return " ".join(list(names)[:MOST_WORKERS])


def _shown(wanted: QueueFilter, *, batches: list[Batch]) -> str:
    """The filter in one line, for the fold that it is changed in."""
    named = [batch for batch in batches if wanted.batch == batch.pk]
    study = next((batch.study.name for batch in batches if wanted.study == batch.study_id), "")
    several = plural(len(wanted.workers), "worker")
    worker = f"worker {wanted.worker}" if len(wanted.workers) == 1 else several if wanted.workers else ""
    of = [*(batch.title for batch in named), study, worker]
    order = Order(wanted.order).label.lower() if wanted.order != Order.OLDEST else ""
    return " · ".join(filter(None, [State(wanted.state).label, *of, order]))


def _filters(wanted: QueueFilter, **more: Any) -> str:
    """The filter as a query for links, without default values."""
    asked = {**asdict(wanted), **more}
    if asked["order"] == Order.OLDEST:
        del asked["order"]
    return urlencode({name: str(value) for name, value in asked.items() if value})


def _go(request: HttpRequest, **more: Any) -> HttpResponse:
    return redirect(f"{reverse('admin:hits_assignment_review')}?{_filters(_read_wanted(request), **more)}")


def _undo(request: HttpRequest, *, now: datetime) -> dict[str, Any] | None:
    """The undo button while it is of use. Whether it is allowed is decided when it is pressed."""
    pk, until = _number(request.GET.get("undo")), _number(request.GET.get("until"))
    left = (until or 0) - int(now.timestamp())
    if pk is None or not 0 < left <= reviewing.UNDO_FOR.total_seconds():
        return None
    decisions = visible(Decision.objects.select_related("assignment__worker"), request.user)
    decision = decisions.filter(pk=pk).first()
    if decision is None:
        return None
    words = f"{decisions_in_words(decision.kind, 1)} of {decision.assignment.worker}"
    return {"pk": pk, "seconds": left, "words": words}


def _pace(work: Assignment) -> tuple[str, bool]:
    """The time that the work took compared with the others', and whether it was hasty."""
    seconds = effective_seconds(worked_s=work.worked_s, active_s=work.active_s)
    if seconds is None:
        return "not known", False
    took, others = in_words(seconds), seconds_of_others(work)
    if len(others) < FEWEST:
        return took, False
    usual = median(others)
    hasty = seconds < usual * HASTY
    beside = f"{took}; half of the others took {in_words(round(usual))} or less"
    return (f"much too fast? {beside}" if hasty else beside), hasty


def _countdown(work: Assignment, *, now: datetime) -> str:
    """The time until automatic approval: the provider's moment, or the batch's terms until it is known."""
    delay = timedelta(seconds=work.hit.batch.approves_after_s)
    due = work.auto_approves_at or (work.submitted_at or now) + delay
    left = int((due - now).total_seconds())
    return f"approves itself in {in_words(left)}" if left > 0 else "approves itself now"


def _decision(request: HttpRequest, pk: int, permission: str) -> Decision:
    _require(request, permission)
    rows = visible(Decision.objects.select_related("assignment"), request.user)
    return get_object_or_404(rows, pk=pk)


def _require(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None
