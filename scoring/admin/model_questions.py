"""Questions that language models have not answered yet, or could not answer."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import ngettext

from hits.admin.page_parts import ReadOnlyAdmin
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import retry_questions

ABOUT = (
    "Questions to language models, in the order in which they are answered. One that waits is tried again by "
    "itself; one that failed waits for you: correct what its reason names, choose it and have it answered "
    "again."
)


@admin.register(ModelQuestion)
class ModelQuestionAdmin(ReadOnlyAdmin[ModelQuestion]):
    """The list of open questions. Answered ones are left out: the page that asked shows the answer."""

    list_display = ("__str__", "kind", "rival", "status", "tries", "try_at", "problem")
    list_filter = ("status", "kind", "rival")
    list_select_related = ("rival",)
    ordering = ("status", "try_at", "id")
    fields = ("rival", "kind", "input", "status", "tries", "try_at", "problem", "asked_at")
    readonly_fields = fields
    actions = ("retry",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelQuestion]:
        return super().get_queryset(request).exclude(status=ModelQuestion.Status.ANSWERED)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {**(extra_context or {}), "subtitle": ABOUT})

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("scoring.retry_modelquestion")

    @admin.action(description="Answer again", permissions=["retry"])
    def retry(self, request: HttpRequest, questions: QuerySet[ModelQuestion]) -> None:
        count = retry_questions(questions, now=timezone.now())
        words = ngettext("%d question is asked again.", "%d questions are asked again.", count) % count
        messages.success(request, words)
