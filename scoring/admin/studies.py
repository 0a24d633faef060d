"""The rivals of a study: which one bonuses are paid on, which are recorded, and how they do beside people."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.selection import signed_in
from hits.core.errors import CrowdError
from hits.studies.models import Study
from hits.work.access import studies_of
from scoring.admin import attention_pages, needed_items_pages, quality_pages
from scoring.models import RegisteredRival, StudyRival
from scoring.queries.rivals_beside_people import compare, compare_apart
from scoring.services.rescoring import rescore_study
from scoring.services.rival_selection import play_against, rivals_of

A_PAGE = 50
CHANGE = "scoring.change_studyrival"


@admin.register(StudyRival)
class StudyRivalAdmin(ReadOnlyAdmin[StudyRival]):
    is_listed_in_file = True
    list_display = ("study", "rival", "is_paid", "added_at", "added_by")
    list_select_related = ("study", "rival", "added_by")
    ordering = ("study__name", "pk")

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("<int:study_id>/", shown(self.study_view), name="scoring_rivals"),
            path("<int:study_id>/rescore/", shown(self.rescore_view), name="scoring_rescore"),
            path("<int:study_id>/play/", shown(self.play_view), name="scoring_play"),
            *quality_pages.urls(self),
            *needed_items_pages.urls(self),
            *attention_pages.urls(self),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[StudyRival]:
        return super().get_queryset(request).filter(study__in=studies_of(request.user))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """List the studies that this person may see, each with a link to its rivals."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        sought = request.GET.get("q", "").strip()
        studies = studies_of(request.user).prefetch_related("rivals__rival").order_by("name")
        page = Paginator(studies.filter(name__icontains=sought), A_PAGE).get_page(request.GET.get("page"))
        return self._render(request, "studies", {"title": "Rivals of studies", "page": page, "q": sought})

    def study_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        study = self._find(request, study_id)
        paid, _ = rivals_of(study)
        seeing = RegisteredRival.objects.filter(kind__in=RegisteredRival.SCORE_PICTURES)
        context = {
            "title": f"Rivals of {study}",
            "study": study,
            "paid": paid,
            "comparisons": {
                "Models beside people": compare(study, paid=paid),
                **compare_apart(study, paid=paid),
            },
            "others": seeing.exclude(pk=paid.pk).order_by("name"),
            "may_change": request.user.has_perm(CHANGE),
        }
        return self._render(request, "study", context)

    def rescore_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        study = self._find_for_change(request, study_id)
        rival = self._read_rival(request)
        if rival is not None:
            try:
                asked = rescore_study(study=study, rival=rival, by=signed_in(request), now=timezone.now())
            except CrowdError as problem:
                messages.error(request, str(problem))
            else:
                words = f"{asked} queries are put to {rival}. Nothing that was paid changes." if asked else (
                    f"{rival} has been asked about everything already."
                )  # fmt: skip
                messages.success(request, words)
        return redirect("admin:scoring_rivals", study.pk)

    def play_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        study = self._find_for_change(request, study_id)
        rival = self._read_rival(request)
        if rival is not None:
            try:
                play_against(study=study, rival=rival, by=signed_in(request), now=timezone.now(), paid=True)
            except CrowdError as problem:
                messages.error(request, str(problem))
            else:
                messages.success(
                    request,
                    f"From now on bonuses are paid on {rival}. "
                    "What was asked before stays with the rival it had.",
                )
        return redirect("admin:scoring_rivals", study.pk)

    def _find(self, request: HttpRequest, study_id: int) -> Study:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(studies_of(request.user), pk=study_id)

    def _find_for_change(self, request: HttpRequest, study_id: int) -> Study:
        study = self._find(request, study_id)
        if request.method != "POST" or not request.user.has_perm(CHANGE):
            raise PermissionDenied
        return study

    def _read_rival(self, request: HttpRequest) -> RegisteredRival | None:
        found = RegisteredRival.objects.filter(name=request.POST.get("rival", "")).first()
        if found is None:
            messages.error(request, "Choose a rival first.")
        return found

    def _render(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.model._meta}
        return TemplateResponse(request, f"admin/scoring/{name}.html", {**shared, **context})
