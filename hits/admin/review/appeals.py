"""Workers' appeals: a list with the waiting ones first, and a page to answer one."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.views.decorators.http import require_POST

from hits.admin.actions import Action, Call, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.home import waiting
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.home.waiting import Waiting
from hits.admin.list_columns import state_tag
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies, in_words
from hits.admin.selection import signed_in
from hits.admin.studies.study_pages import StudyPage, Tab, WaitingRows, announce
from hits.identity.models.users import User
from hits.review.models import Appeal
from hits.review.queries import appeal_queue as queries
from hits.review.services import appeal_handling
from hits.studies.models import Study
from hits.work.access import visible

OTHERS = 10
TEMPLATE = "admin/hits/appeal.html"
Status = Appeal.Status


class AnswerForm(forms.Form):
    """A form with the answer for the worker, and what is owed besides."""

    granted = forms.TypedChoiceField(
        label="Your decision",
        choices=[("no", "Nothing changes"), ("yes", "Granted: the worker is right")],
        coerce=lambda word: word == "yes",
        widget=forms.RadioSelect,
    )
    amount = forms.DecimalField(
        label="Owe an extra amount",
        required=False,
        min_value=Decimal("0.01"),
        max_digits=8,
        decimal_places=2,
        widget=forms.NumberInput(attrs={"step": "0.01", "min": "0.01", "inputmode": "decimal"}),
        help_text="Only if the appeal is granted. Nothing is paid at once: it is owed from now on, and goes "
        "into a bonus run, which two people decide on. Leave it empty if no money is missing.",
    )
    answer = forms.CharField(
        label="Your answer",
        max_length=appeal_handling.LONGEST,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="The worker reads it, under the work. Your name is not shown. It cannot be changed later.",
    )


class Overdue(admin.SimpleListFilter):
    title = "waiting"
    parameter_name = "waiting"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("open", "Waits for an answer"), ("overdue", f"For {_days()} days and longer")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Appeal]) -> QuerySet[Appeal]:
        if self.value() == "open":
            return queryset.filter(status=Status.OPEN)
        if self.value() == "overdue":
            return queryset.filter(status=Status.OPEN, made_at__lt=_overdue_before())
        return queryset


@admin.register(Appeal)
class AppealAdmin(ReadOnlyAdmin[Appeal]):
    menu = MenuPlace(Section.WORK, 5)
    nothing_yet = (
        "A worker who disagrees with a decision asks on the page of their work and pay. Their appeals are "
        "listed here, to be answered."
    )
    list_display = ("asked", "state", "worker", "study", "asked_on", "answered_by")
    list_filter = (Overdue, "status", ("assignment__hit__batch__study", VisibleStudies))
    list_select_related = ("worker", "answered_by", "assignment__hit__batch__study")
    list_display_links = None  # the first column is one
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("=worker__pseudonym", "text")
    actions = None
    change_list_template = "admin/hits/appeals.html"

    def get_urls(self) -> list[URLPattern]:
        answer = self.admin_site.admin_view(require_POST(self.answer_view))
        return [path("<int:pk>/answer/", answer, name="hits_appeal_answer"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Appeal]:
        return visible(super().get_queryset(request), request.user)

    def get_ordering(self, request: HttpRequest) -> tuple[Any, ...]:
        """Order open appeals first, the longest waiting on top."""
        return (queries.OPEN_FIRST, "made_at")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        waiting = queries.waiting_for(signed_in(request), overdue_before=_overdue_before())
        context = {"title": "Appeals", "waiting": waiting, "days": _days(), **(extra_context or {})}
        return super().changelist_view(request, context)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            **self._shown(request, self._find(request, object_id)),
            "form": AnswerForm(label_suffix=""),
        }
        return TemplateResponse(request, TEMPLATE, context)

    def answer_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer an appeal in one call; of two users, the second is refused, and nothing of theirs saved."""
        pages = ActionPages(
            actions={"answer": ANSWERING},
            find=lambda request, pk: [self._find(request, str(pk))],
            back=lambda _: reverse("admin:hits_appeal_changelist"),
            template=TEMPLATE,
            # Read again: another user may have answered meanwhile.
            shared=lambda appeals: self._shown(request, self._find(request, str(appeals[0].pk))),
        )
        return pages.answer(request, "answer", pk=pk)

    def _find(self, request: HttpRequest, number: str) -> Appeal:
        if not self.has_view_permission(request):
            raise PermissionDenied
        rows = visible(Appeal.objects.all(), request.user)
        appeal = (
            queries.read_appeal(rows, pk=int(number)) if number.isdecimal() and len(number) < 19 else None
        )
        if appeal is None:
            raise Http404
        return appeal

    def _shown(self, request: HttpRequest, appeal: Appeal) -> dict[str, Any]:
        work = appeal.assignment
        return {
            "title": f"Appeal of {appeal.worker}",
            "opts": self.opts,
            "appeal": appeal,
            "work": work,
            "batch": work.hit.batch,
            "state": self.state(appeal),
            "bonuses": queries.bonuses_of(appeal),
            "decisions": queries.decisions_on(appeal),
            "others": queries.others_of(appeal, user=request.user, most=OTHERS),
            "is_open": appeal.status == Status.OPEN,
            "grant": appeal_handling.grant_of(work, by=signed_in(request), now=timezone.now()),
            "may_answer": request.user.has_perm(appeal_handling.ANSWER),
            "may_review": request.user.has_perm("hits.review_assignment"),
            "may_see_work": request.user.has_perm("hits.view_assignment"),
        }

    @admin.display(description="what the worker asks")
    def asked(self, appeal: Appeal) -> SafeString:
        address = reverse("admin:hits_appeal_change", args=[appeal.pk])
        return format_html('<a href="{}">{}</a>', address, Truncator(appeal.text).chars(90))

    @admin.display(description="asked on", ordering="made_at")
    def asked_on(self, appeal: Appeal) -> str:
        return date_format(appeal.made_at, "j M Y")

    @admin.display(ordering="assignment__hit__batch__study__name")
    def study(self, appeal: Appeal) -> str:
        return str(appeal.assignment.hit.batch.study)

    @admin.display(description="state", ordering="status")
    def state(self, appeal: Appeal) -> SafeString:
        if appeal.status != Status.OPEN:
            return state_tag(appeal.get_status_display())
        waits = in_words(max(0, int((timezone.now() - appeal.made_at).total_seconds())))
        if appeal.made_at < _overdue_before():
            return state_tag(f"Overdue: waits {waits}", "bad")
        return state_tag(f"Waits {waits}", "warn")


def _answer(call: Call[Appeal]) -> Outcome:
    grant = appeal_handling.grant_of(call.row.assignment, by=call.by, now=call.now)
    bonus = appeal_handling.answer_appeal(appeal=call.row, **call.values, by=call.by, now=call.now)
    owed = f" {bonus.in_words} are owed, and wait for a bonus run of two people." if bonus else ""
    approved = "The work is approved in a moment." if grant.kind else grant.words
    granted = f" {approved}" if call.values["granted"] else ""
    following = queries.next_open(call.by, after=call.row.pk)
    return Outcome(
        said=f"Answered. The worker reads it on the page of work and pay.{granted}{owed}",
        to=reverse("admin:hits_appeal_change", args=[following]) if following else "",
    )


ANSWERING = Action(
    label="Send the answer",
    permissions=[appeal_handling.ANSWER],
    form=lambda data, _: AnswerForm(data, label_suffix=""),
    run=_answer,
)


def _overdue_before() -> datetime:
    return timezone.now() - appeal_handling.ANSWERED_WITHIN


def _days() -> int:
    return appeal_handling.ANSWERED_WITHIN.days


def _waiting(user: User, now: datetime) -> Iterator[Waiting]:
    url = f"{reverse('admin:hits_appeal_changelist')}?waiting=open"
    found = queries.waiting_for(user, overdue_before=_overdue_before())
    yield Waiting(
        count=found.overdue, words="appeals overdue", one="appeal overdue", url=url, is_trouble=True
    )
    in_time = found.open - found.overdue
    yield Waiting(count=in_time, words="appeals to answer", one="appeal to answer", url=url)


def _waiting_in(study: Study) -> QuerySet[Appeal]:
    return Appeal.objects.filter(status=Status.OPEN, assignment__hit__batch__study=study)


waiting.register(_waiting, permissions=[appeal_handling.ANSWER])
announce(
    StudyPage(
        name="Appeals",
        tab=Tab.REVIEW,
        permission="hits.view_appeal",
        address=lambda study: (
            f"{reverse('admin:hits_appeal_changelist')}?assignment__hit__batch__study__id__exact={study.pk}"
        ),
        about="What workers ask about one piece of their work, and the answers.",
        waits=WaitingRows(rows=_waiting_in, words="appeals to answer", one="appeal to answer"),
    )
)
