"""Submitted work: a list, and a page for each. `review_pages` decides on one after another."""

from functools import partial
from operator import attrgetter
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.defaultfilters import pluralize
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import words_form
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.id_search import FoundById
from hits.admin.list_columns import number_column, plain_in_file, state_tag
from hits.admin.page_parts import ReadOnlyAdmin, in_words, read_number
from hits.admin.review import bulk_undo, review_pages, rule_pages
from hits.payments.queries import recorded_scores
from hits.review.queries.rule_matches import MOST_AT_ONCE
from hits.review.services import reviewing
from hits.work.access import studies_of, visible
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision

Status = Assignment.Status
QUESTIONS = {
    "approve": ("Approve", "Their workers are paid."),
    "keep_out": ("Keep out of the data", "Their workers are paid, and other workers are asked instead."),
    "reject": ("Reject", "Their workers are not paid and read the reason; other workers are asked instead."),
}


class StudyFilter(admin.SimpleListFilter):
    """A filter that offers only the studies that this user may see."""

    title = "study"
    parameter_name = "study"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(pk), name) for pk, name in studies_of(request.user).values_list("pk", "name")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Assignment]) -> QuerySet[Assignment]:
        chosen = read_number(self.value() or "")
        return queryset if chosen is None else queryset.filter(hit__batch__study=chosen)


class DataFilter(admin.SimpleListFilter):
    title = "data"
    parameter_name = "data"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("kept_out", "Kept out"), ("lost", "Answer lost")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Assignment]) -> QuerySet[Assignment]:
        if self.value() == "kept_out":
            return queryset.filter(kept_out=True)
        if self.value() == "lost":
            return queryset.filter(submitted_at__isnull=False, answer__isnull=True)
        return queryset


def _percent(assignment: Assignment) -> str | None:
    mean: float | None = assignment.mean_score  # type: ignore[attr-defined]
    return None if mean is None else f"{100 * mean:.0f} %"


def _took(assignment: Assignment) -> str | None:
    return None if assignment.worked_s is None else in_words(assignment.worked_s)


TONES: dict[str, str] = {Status.SUBMITTED: "warn", Status.APPROVED: "good", Status.REJECTED: "bad"}
SCORE = number_column("mean_score", "score", of=_percent, in_file="score")
TOOK = number_column("worked_s", "time taken", of=_took, in_file="worked_s")


@admin.register(Assignment)
class AssignmentAdmin(FoundById, ReadOnlyAdmin[Assignment]):
    menu = MenuPlace(Section.WORK, 4, "Submitted work")
    nothing_yet = "Submitted work is listed here as soon as a worker has accepted a HIT of a launched batch."
    list_display = ("assignment", "worker", "batch", "state", SCORE, TOOK, "submitted_at", "see_work")
    list_filter = ("status", DataFilter, StudyFilter)
    list_select_related = ("account", "worker", "hit__batch__study")
    list_per_page = 50
    show_full_result_count = False
    id_fields = ("public_id",)
    search_fields = ("=external_id", "=worker__pseudonym")
    ordering = ("-pk",)
    actions = ("approve", "keep_out", "reject")
    change_list_template = "admin/hits/assignments.html"

    def get_urls(self) -> list[URLPattern]:
        work = self.admin_site.admin_view(self.work_view)
        return [
            path("<int:assignment_id>/work/", work, name="hits_assignment_work"),
            *review_pages.urls(self),
            *rule_pages.urls(self),
            *bulk_undo.urls(self),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Assignment]:
        """Assignments with their mean score, which is computed only for the rows shown or sorted by it."""
        others = Assignment.objects.filter(account=OuterRef("account"), external_id=OuterRef("external_id"))
        rows = (
            super()
            .get_queryset(request)
            .annotate(
                mean_score=recorded_scores.mean_score(),
                is_given_again=Exists(others.exclude(pk=OuterRef("pk"))),
            )
        )
        return visible(rows, request.user)

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(review_pages.REVIEW)

    @admin.action(description="Approve…", permissions=["decide"])
    def approve(self, request: HttpRequest, rows: QuerySet[Assignment]) -> HttpResponse:
        return _decide(request, rows, kind=Decision.Kind.APPROVE)

    @admin.action(description="Pay, and keep out of the data…", permissions=["decide"])
    def keep_out(self, request: HttpRequest, rows: QuerySet[Assignment]) -> HttpResponse:
        return _decide(request, rows, kind=Decision.Kind.KEEP_OUT)

    @admin.action(description="Reject…", permissions=["decide"])
    def reject(self, request: HttpRequest, rows: QuerySet[Assignment]) -> HttpResponse:
        return _decide(request, rows, kind=Decision.Kind.REJECT)

    def work_view(self, request: HttpRequest, assignment_id: int) -> HttpResponse:
        """Show the work as the worker saw it, with what was expected."""
        rows = Assignment.objects.select_related("hit__batch__study", "worker")
        assignment = get_object_or_404(visible(rows, request.user), pk=assignment_id)
        if not self.has_view_permission(request, assignment):
            raise PermissionDenied
        context = {
            **review_pages.work_page(assignment),
            **self.admin_site.each_context(request),
            **review_pages.facts_of(assignment, user=request.user, now=timezone.now()),
            "title": f"Work of {assignment.worker}",
            "bonuses": assignment.bonuses.order_by("pk"),
            "may_review": request.user.has_perm(review_pages.REVIEW) and assignment.submitted_at is not None,
        }
        return TemplateResponse(request, "admin/hits/work.html", context)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow a filter by any batch: its page links here, and a list of all would grow with history."""
        return lookup == "hit__batch__exact" or super().lookup_allowed(lookup, value, request)

    @plain_in_file("assignment", of=attrgetter("external_id"))
    @admin.display(ordering="external_id")
    def assignment(self, assignment: Any) -> SafeString | str:
        """The provider's id. After a return it gives the same one to the next who accepts the HIT."""
        if not assignment.is_given_again:
            return str(assignment)
        words = "the provider gave this id out again after a return"
        return format_html('{} <span class="quiet">({})</span>', assignment, words)

    @admin.display(description="batch")
    def batch(self, assignment: Assignment) -> str:
        return str(assignment.hit.batch)

    @admin.display(description="status", ordering="status")
    def state(self, assignment: Assignment) -> SafeString:
        tag = state_tag(assignment.get_status_display(), TONES.get(assignment.status, ""))
        if not assignment.kept_out:
            return tag
        return format_html("{} {}", tag, state_tag("Kept out of the data", "warn"))

    @admin.display(description="work")
    def see_work(self, assignment: Assignment) -> SafeString:
        address = reverse("admin:hits_assignment_work", args=[assignment.pk])
        return format_html('<a href="{}">See the work</a>', address)


def _decide(request: HttpRequest, rows: QuerySet[Assignment], *, kind: str) -> HttpResponse:
    """Ask about the chosen work with its number; then each is decided on by itself, and none twice."""
    chosen = list(rows.order_by("pk")[: MOST_AT_ONCE + 1])
    return DECIDING.answer_list(request, kind, chosen, keys=[work.pk for work in chosen])


def _are_too_many(call: Call[Assignment]) -> str:
    too_many = f"At most {MOST_AT_ONCE} at once, please. Nothing was decided."
    return too_many if len(call.rows) > MOST_AT_ONCE else ""


def _ask(call: Call[Assignment], *, label: str, meaning: str) -> Confirm:
    count = len(call.rows)
    waiting = sum(work.status == Assignment.Status.SUBMITTED for work in call.rows)
    words = f"{{}} {pluralize(count, 'is,are')} chosen; {{}} of them {pluralize(waiting, 'waits,wait')}"
    return Confirm(
        title=f"{label}?",
        text=emphasize(f"{words} for a decision. {meaning}", count, waiting),
        button=f"{label}: {count}",
    )


def _do(call: Call[Assignment], *, kind: str) -> Outcome:
    reason = call.values.get("reason", "")
    outcomes = reviewing.decide_all(assignments=call.rows, kind=kind, reason=reason, by=call.by, now=call.now)
    level = messages.SUCCESS if set(outcomes) <= {"intended"} else messages.WARNING
    to = bulk_undo.decided_url(call.now) if {"intended", "waiting"} & outcomes.keys() else ""
    return Outcome(said=f"{review_pages.words_of(outcomes)}.", level=level, to=to)


def _deciding(kind: str, label: str, *, meaning: str, form: Any = None) -> Action[Assignment]:
    return Action(
        label=label,
        permissions=[review_pages.REVIEW],
        refuses=_are_too_many,
        form=form,
        confirm=partial(_ask, label=label, meaning=meaning),
        run=partial(_do, kind=kind),
    )


WHY = words_form(
    "reason",
    "Reason",
    longest=reviewing.LONGEST_REASON,
    lines=3,
    help_text="Every one of these workers reads it.",
    missing="Say why: the worker reads it, and is not paid.",
)
DECIDING = ActionPages(
    actions={
        kind: _deciding(kind, label, meaning=meaning, form=WHY if kind == Decision.Kind.REJECT else None)
        for kind, (label, meaning) in QUESTIONS.items()
    },
    shared=lambda _: {"trail": [("Submitted work", reverse("admin:hits_assignment_changelist"))]},
)
