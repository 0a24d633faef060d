"""The list of all questions, to be searched; on its own page, with its votes, each is withdrawn."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.views.decorators.http import require_POST

from crowd.pictures.admin.pool_parts import file_url
from crowd.whoops.judge.queries.questions import Standing, with_standing
from crowd.whoops.judge.services.posting_questions import bring_back_question, withdraw_question
from crowd.whoops.models import Project
from crowd.whoops.models.judged_items import Question
from hits.admin.actions import Action, Call, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies, read_number
from hits.work.access import studies_of
from scoring.queries.vote_tallies import tallies

ADD = "whoops.add_question"
# Characters of a question's texts in the list.
SHOWN = 160


def questions_url(project: Project, *, kind: str, standing: str = "") -> str:
    query = {"project__study__id__exact": str(project.study_id), "kind__exact": kind}
    if standing:
        query["standing"] = standing
    return f"{reverse('admin:whoops_question_changelist')}?{urlencode(query)}"


class StandingFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(Standing.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(standing=self.value()) if self.value() in Standing.values else queryset


@admin.register(Question)
class QuestionAdmin(ReadOnlyAdmin[Question]):
    change_list_template = "admin/hits/project_rows.html"
    nothing_yet = (
        "There are no questions yet. They are made on the page of a study's weird images: under “Weird or "
        "normal”, “Explanations”, “Questions and answers” and “Captions”."
    )
    list_display = ("picture_shown", "asks", "kind", "of_image", "answers", "state")
    list_display_links = ("asks",)
    list_filter = (StandingFilter, "kind", "variant", ("project__study", VisibleStudies))
    search_fields = ("key", "text", "options__text", "options__source", "=image__number")
    ordering = ("-pk",)
    show_full_result_count = False
    list_per_page = 50
    actions = None

    def get_urls(self) -> list[URLPattern]:
        pages = ActionPages(
            actions=ACTIONS,
            find=self._find,
            back=lambda rows: reverse("admin:whoops_question_change", args=[rows[0].pk]),
            history=lambda request, rows, words: self.log_change(request, rows[0], words),
        )
        shown = self.admin_site.admin_view
        ours = [
            path(f"<int:pk>/{key}/", shown(require_POST(pages.view(key))), name=f"whoops_question_{key}")
            for key in ACTIONS
        ]
        return [*ours, *super().get_urls()]

    def _find(self, request: HttpRequest, pk: int) -> Sequence[Question]:
        return [get_object_or_404(self.get_queryset(request), pk=pk)]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        rows = super().get_queryset(request).filter(project__study__in=studies_of(request.user))
        return with_standing(rows).select_related("image", "picture", "project").prefetch_related("options")

    @admin.display(description="picture")
    def picture_shown(self, row: Question) -> SafeString:
        return format_html('<img src="{}" alt="" width="64" loading="lazy">', file_url(row.picture, 160))

    @admin.display(description="image", ordering="image__number")
    def of_image(self, row: Question) -> str:
        return f"{row.image or '–'}, {row.get_variant_display().lower()}"

    @admin.display(description="asks", ordering="text")
    def asks(self, row: Question) -> str:
        texts = [row.text, *(option.text for option in row.options.all())]
        said = Truncator(" · ".join(filter(None, texts))).chars(SHOWN)
        return said or f"Weird or normal? ({row.key})"

    @admin.display(description="judges", ordering="answered")
    def answers(self, row: Any) -> str:
        return f"{row.answered} of {row.project.judges_wanted}"

    @admin.display(description="state", ordering="standing")
    def state(self, row: Any) -> str:
        return str(Standing(row.standing).label)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        about = (
            "What people are asked about images; they see no source, nor what is known of an answer. "
            "Search for words, a source, a key, or the number of an image."
        )
        extra = {"title": "Questions about images", "about": about, **(extra_context or {})}
        return super().changelist_view(request, extra)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        number = read_number(object_id)
        rows = self.get_queryset(request).select_related("project__study", "item")
        row: Any = rows.filter(pk=number).first() if number is not None else None
        if row is None:
            messages.warning(request, f"There is no question {object_id[:20]} here that you may see.")
            return redirect("admin:whoops_question_changelist")
        return self._page(request, row)

    def _page(self, request: HttpRequest, row: Any) -> HttpResponse:
        found = tallies([row.item_id]) if row.item_id else {}
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": str(row),
            "row": row,
            "project": row.project,
            "picture_url": file_url(row.picture, 480),
            "state": Standing(row.standing).label,
            "options": [(option, found.get((row.item_id, option.measure))) for option in row.options.all()],
            "may_withdraw": request.user.has_perm(ADD),
        }
        return TemplateResponse(request, "admin/whoops/question.html", context)


def _do(call: Call[Question], *, move: Callable[..., object], said: str) -> Outcome:
    move(question=call.row, now=call.now)
    return Outcome(said=said, history=said)


NEEDED = ("whoops.view_question", ADD)
ACTIONS = {
    "withdraw": Action(
        label="Withdraw",
        permissions=NEEDED,
        one_click=True,
        run=partial(
            _do,
            move=withdraw_question,
            said="The question is withdrawn. Its answers are kept, and no figure counts them.",
        ),
    ),
    "bring-back": Action(
        label="Bring back",
        permissions=NEEDED,
        one_click=True,
        run=partial(_do, move=bring_back_question, said="The question is back. Its answers count again."),
    ),
}
