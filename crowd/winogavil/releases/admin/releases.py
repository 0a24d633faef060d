"""Releases in the admin: asked for, watched, downloaded, published, deleted."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winogavil.models import Association
from crowd.winogavil.releases.admin import predictions, statistics
from crowd.winogavil.releases.admin.finding import (
    MAKE,
    PREDICT,
    TAKE,
    UNPREDICT,
    find_release,
    find_study,
    render,
)
from crowd.winogavil.releases.admin.forms import ReleaseForm
from crowd.winogavil.releases.admin.release_actions import PREDICTIONS, RELEASES
from crowd.winogavil.releases.columns import FULL, PUBLISHED
from crowd.winogavil.releases.models import Release
from crowd.winogavil.releases.queries.model_table import COLUMNS, table
from crowd.winogavil.releases.services import making, taking
from crowd.winogavil.releases.services.writing import FILES
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies
from hits.admin.selection import need, signed_in
from hits.core.errors import RuleBroken
from hits.work.access import studies_of

LOOK_AGAIN_MS = 2_000


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin[Release]):
    list_display = ("title", "version", "study", "status", "selected", "made_at", "made_by")
    list_filter = ("status", ("study", VisibleStudies))
    list_select_related = ("study", "made_by")
    search_fields = ("title", "version", "study__name")
    ordering = ("-pk",)
    show_full_result_count = False
    change_list_template = "admin/winogavil_releases/releases.html"

    def get_urls(self) -> list[URLPattern]:
        def at(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            shown = self.admin_site.admin_view(view)
            return path(address, shown, name=f"winogavil_releases_{name}")

        return [
            at("make/", self.choose_view, "choose"),
            at("make/<int:study_id>/", self.make_view, "make"),
            at("<int:pk>/files/<str:name>", self.file_view, "file"),
            at("<int:pk>/publish/", RELEASES.view("publish"), "publish"),
            at("<int:pk>/delete-all/", RELEASES.view("remove"), "remove"),
            at("<int:pk>/again/", RELEASES.view("again"), "again"),
            at("<int:pk>/predictions/<int:prediction_id>/delete/", PREDICTIONS.view("delete"), "unpredict"),
            *predictions.urls(self),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        return super().get_queryset(request).filter(study__in=studies_of(request.user))

    @admin.display(description="associations")
    def selected(self, release: Release) -> str:
        """Counted when it was written."""
        return f"{release.counts['selected']}" if release.counts else "–"

    def choose_view(self, request: HttpRequest) -> HttpResponse:
        need(request, MAKE)
        return statistics.choose(
            self, request, title="Make a release", to="winogavil_releases_make", verb="Make a release of"
        )

    def make_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        study = find_study(request, study_id, MAKE)
        form = ReleaseForm(request.POST or None, study=study)
        if form.is_bound and form.is_valid():
            try:
                release = making.make_release(
                    study=study, by=signed_in(request), now=timezone.now(), **form.cleaned_data
                )
            except RuleBroken as refusal:
                form.add_error("version" if refusal.code == "version_taken" else "sources", str(refusal))
            else:
                return redirect("admin:winogavil_releases_release_change", release.pk)
        context = {
            "title": f"Make a release of {study}",
            "study": study,
            "form": form,
            "published": PUBLISHED,
            "full": FULL[len(PUBLISHED) :],
        }
        return render(self.admin_site, request, "make", context)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if not object_id.isascii() or not object_id.isdigit() or len(object_id) > 18:
            raise Http404
        release = find_release(request, int(object_id))
        context = {"title": str(release), "release": release, **release_context(request, release)}
        name = "release_parts" if "fragment" in request.GET else "release"
        return render(self.admin_site, request, name, context)

    def file_view(self, request: HttpRequest, pk: int, name: str) -> HttpResponseBase:
        release = find_release(request, pk, TAKE)
        file = taking.open_file(release=release, name=name, by=signed_in(request), now=timezone.now())
        if file is None:
            raise Http404
        return FileResponse(file, as_attachment=True, filename=taking.download_name(release, name))


def release_context(request: HttpRequest, release: Release) -> dict[str, Any]:
    """All that its page shows; while it is being made, how far it is."""
    lines = table(release) if release.is_complete else []
    return {
        "every_ms": LOOK_AGAIN_MS if release.is_being_made else 0,
        "sources": [Association.Source(name).label for name in release.sources],
        "files_done": len(release.files),
        "files_wanted": len(FILES),
        "lines": lines,
        "columns": list(COLUMNS),
        "shapes": release.counts.get("shapes", []),
        "may_take": request.user.has_perm(TAKE),
        "offered": RELEASES.offered(release, user=signed_in(request)),
        "may_predict": release.is_complete and request.user.has_perm(PREDICT),
        "may_unpredict": request.user.has_perm(UNPREDICT),
    }
