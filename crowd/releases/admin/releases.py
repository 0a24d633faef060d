"""Releases in the admin: asked for, watched, downloaded, published, deleted."""

from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd import family as families
from crowd.releases import family_contents
from crowd.releases.admin.file_answers import send_file
from crowd.releases.admin.forms import ReleaseForm
from crowd.releases.admin.permitted_rows import MAKE, TAKE, VIEW, find_release, find_study, render
from crowd.releases.admin.release_actions import RELEASES
from crowd.releases.admin.release_parts import parts_of
from crowd.releases.family_contents import ReleaseContents, contents_of
from crowd.releases.files.stores import StoreAway
from crowd.releases.models import Release
from crowd.releases.services import file_downloads, release_states, sizes
from crowd.releases.services.release_files import files_of
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies
from hits.admin.selection import need, signed_in
from hits.admin.studies.study_pages import StudyPage, Tab, announce
from hits.core.errors import RuleBroken
from hits.studies.models import Study
from hits.work.access import studies_of

LOOK_AGAIN_MS = 2_000
A_PAGE = 50
# The fields of the form that refusals are about; all others are about the whole.
FIELDS_OF = {
    "version_taken": "version",
    "bad_threshold": "selection_threshold",
    "no_sources": "sources",
    "nothing_split": "split_seed",
}


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin[Release]):
    menu = MenuPlace(Section.DATA, 1)
    nothing_yet = (
        "A release is the data of a study at one moment, in files that never change. Make one with the "
        "button above."
    )
    list_display = ("title", "version", "study", "kind", "status", "rows", "made_at", "made_by")
    list_filter = ("status", "family", ("study", VisibleStudies))
    list_select_related = ("study", "made_by")
    search_fields = ("title", "version", "study__name")
    ordering = ("-pk",)
    show_full_result_count = False
    change_list_template = "admin/releases/releases.html"

    def get_urls(self) -> list[URLPattern]:
        def at(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            shown = self.admin_site.admin_view(view)
            return path(address, shown, name=f"releases_{name}")

        return [
            at("make/", self.choose_view, "choose"),
            at("make/<int:study_id>/<str:family>/", self.make_view, "make"),
            at("<int:pk>/files/<str:name>", self.file_view, "file"),
            at("<int:pk>/publish/", RELEASES.view("publish"), "publish"),
            at("<int:pk>/delete-all/", RELEASES.view("remove"), "remove"),
            at("<int:pk>/again/", RELEASES.view("again"), "again"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        return super().get_queryset(request).filter(study__in=studies_of(request.user))

    @admin.display(description="of")
    def kind(self, release: Release) -> str:
        return families.get(release.family).name

    @admin.display(description="rows")
    def rows(self, release: Release) -> str:
        """Number of rows of its first file, counted when the release was written."""
        return f"{next(iter(release.counts['files'].values()))}" if "files" in release.counts else "–"

    def choose_view(self, request: HttpRequest) -> HttpResponse:
        """Page to choose a study and one of its families."""
        need(request, MAKE)
        sought = request.GET.get("q", "").strip()[:200]
        studies = studies_of(request.user).filter(name__icontains=sought).order_by("name")
        page = Paginator(studies, A_PAGE).get_page(request.GET.get("page"))
        offered = [(study, list(_offered(study))) for study in page]
        context = {"title": "Make a release", "page": page, "offered": offered, "q": sought}
        return render(self.admin_site, request, "choose", context)

    def make_view(self, request: HttpRequest, study_id: int, family: str) -> HttpResponse:
        study, of = find_study(request, study_id, MAKE), find_contents(family)
        form = ReleaseForm(request.POST or None, study=study, contents=of)
        if form.is_bound and form.is_valid():
            try:
                release = release_states.make_release(
                    study=study, family=family, by=signed_in(request), now=timezone.now(), **form.cleaned_data
                )
            except RuleBroken as refusal:
                field = FIELDS_OF.get(refusal.code)
                form.add_error(field if field in form.fields else None, str(refusal))
            else:
                return redirect("admin:releases_release_change", release.pk)
        unsaved = Release(study=study, family=family, sources=list(of.first_sources))
        context = {
            "title": f"Make a release of {study}",
            "study": study,
            "form": form,
            "about": families.get(family).name,
            "lack": of.lack(_as_of_now(unsaved, of)),
            "size": sizes.expected_size(of.pictures_in(study)),
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
        by, now = signed_in(request), timezone.now()
        try:
            file = file_downloads.open_file(release=release, name=name, by=by, now=now)
        except StoreAway as away:
            messages.error(request, str(away))
            return redirect("admin:releases_release_change", pk)
        if file is None:
            raise Http404
        return send_file(release, name, file)


def find_contents(family: str) -> ReleaseContents:
    if family not in family_contents.registered():
        raise Http404
    return family_contents.get(family)


def release_context(request: HttpRequest, release: Release) -> dict[str, Any]:
    """Everything that the page of a release shows; its progress, while it is being made."""
    of, parts = contents_of(release), parts_of(release)
    return {
        "every_ms": LOOK_AGAIN_MS if release.is_being_made else 0,
        "about": families.get(release.family).name,
        "items": of.items,
        "sources": [words for value, words in of.sources if value in release.sources],
        "files_done": len(release.files),
        "files_wanted": len(files_of(release)) if release.is_being_made else len(release.files),
        "has_bucket": bool(settings.RELEASES_BUCKET),
        "data": release.counts.get("files", {}).items(),
        "may_take": request.user.has_perm(TAKE),
        "offered": RELEASES.offered(release, user=signed_in(request)),
        "parts": [part.template for part in parts],
        **{name: value for part in parts for name, value in part.context(request, release).items()},
    }


def _offered(study: Study) -> Iterator[tuple[str, str, str]]:
    """Yield the key and the name of each family that has something to release, or why it has nothing."""
    for family, of in family_contents.registered().items():
        unsaved = _as_of_now(Release(study=study, family=family, sources=list(of.first_sources)), of)
        lack = of.lack(unsaved)
        if not lack:
            yield family, families.get(family).name, lack


def _as_of_now(release: Release, of: ReleaseContents) -> Release:
    release.made_at = timezone.now()
    of.complete(release)
    return release


announce(
    StudyPage(
        name="Releases",
        tab=Tab.DATA,
        permission=VIEW,
        address=lambda study: f"{reverse('admin:releases_release_changelist')}?study__id__exact={study.pk}",
        about="Files of this study's data that never change again, with their benchmarks and public pages.",
    )
)
