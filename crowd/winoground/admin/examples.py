"""The list of a study's examples, each leading to its own page; and the card that leads to the list."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from crowd.pictures.models.pictures import SIZES
from crowd.winoground.models import Example, Project, Tag
from crowd.winoground.queries.examples import WRITE, counts_by_state, examples_for, sees_own_only
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies, once, read_number
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.selection import signed_in
from hits.identity.models.users import User
from hits.work.access import studies_of

State = Example.State
BEARING = Example.tags.through
STUDY = "project__study__id__exact"
FINDS = "The search looks for words of captions, tags and notes, or for the number of an example."
LOOK_AT_TAGS = "winoground.view_tag"


class GroupedFilter(admin.SimpleListFilter):
    """A filter whose choices are rows, all counted at once."""

    def counts(self, shown: QuerySet[Example]) -> Iterable[tuple[int, int]]:
        raise NotImplementedError

    def narrow(self, queryset: QuerySet[Example], key: int) -> QuerySet[Example]:
        raise NotImplementedError

    def queryset(self, request: HttpRequest, queryset: QuerySet[Example]) -> QuerySet[Example]:
        """Narrow the rows; a value that is no number matches nothing."""
        if self.value() is None:
            return queryset
        key = read_number(self.value() or "")
        return queryset.none() if key is None else self.narrow(queryset, key)

    def get_facet_queryset(self, changelist: Any) -> dict[str, int]:
        shown = changelist.get_queryset(self.request, exclude_parameters=self.expected_parameters())
        counts = dict(self.counts(shown.order_by()))
        return {f"{at}__c": counts.get(int(key), 0) for at, (key, _) in enumerate(self.lookup_choices)}


class TagFilter(GroupedFilter):
    """A filter by tags that examples seen here have."""

    title = "tag"
    parameter_name = "tag"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        seen = BEARING.objects.filter(example__in=examples_for(signed_in(request)))
        tags = Tag.objects.filter(pk__in=seen.values("tag"))
        return once(request, "tags", lambda: [(str(tag.pk), tag.name) for tag in tags])

    def counts(self, shown: QuerySet[Example]) -> Iterable[tuple[int, int]]:
        bearing = BEARING.objects.filter(example__in=shown.values("pk"))
        return bearing.order_by().values_list("tag").annotate(Count("pk"))

    def narrow(self, queryset: QuerySet[Example], key: int) -> QuerySet[Example]:
        return queryset.filter(pk__in=BEARING.objects.filter(tag=key).values("example"))


class AuthorFilter(GroupedFilter):
    """A filter by authors of examples seen here."""

    title = "author"
    parameter_name = "author"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        if sees_own_only(signed_in(request)):
            return []
        authors = examples_for(signed_in(request)).order_by().values("author")
        found = User.objects.filter(pk__in=authors).order_by("username")
        return once(request, "authors", lambda: [(str(user.pk), user.get_username()) for user in found])

    def counts(self, shown: QuerySet[Example]) -> Iterable[tuple[int, int]]:
        return shown.values_list("author").annotate(Count("pk"))

    def narrow(self, queryset: QuerySet[Example], key: int) -> QuerySet[Example]:
        return queryset.filter(author=key)


@admin.register(Example)
class ExampleAdmin(ReadOnlyAdmin[Example]):
    menu = MenuPlace(Section.DATA, 9, "Examples of captions")
    nothing_yet = (
        "There is no example yet. An example is two captions of the same words and their pictures. "
        "Authors write them on the page of a study's caption matching."
    )
    change_list_template = "admin/winoground/examples.html"
    list_display = ("name", "captions", "pictures", "state", "swap", "tag_names", "author", "changed_at")
    list_filter = ("state", "swap", TagFilter, AuthorFilter, ("project__study", VisibleStudies))
    list_per_page = 50
    search_fields = ("caption_0", "caption_1", "tags__name", "note", "=number")
    show_facets = admin.ShowFacets.ALWAYS
    show_full_result_count = False
    list_select_related = ("author", "image_0", "image_1")
    ordering = ("-pk",)
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[Example]:
        return examples_for(signed_in(request)).prefetch_related("tags")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        project = _project_of(request)
        may_write = project is not None and request.user.has_perm(WRITE)
        own = " You see your own." if sees_own_only(signed_in(request)) else ""
        context = {
            "title": "Examples of caption matching",
            "about": f"Two captions of the same words, and a picture for each.{own} {FINDS}",
            "project_url": _at("project_change", project.pk) if project else "",
            "project_name": str(project.study) if project else "",
            "write_url": _at("write_example", project.pk) if project and may_write else "",
        }
        return super().changelist_view(request, {**context, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        found = self.get_queryset(request).filter(pk=read_number(object_id) or 0).first()
        if found is None or not self.has_view_permission(request):
            messages.warning(request, f"There is no example {object_id[:20]} here that you may see.")
            return redirect("admin:winoground_example_changelist")
        return redirect(_at("show_example", found.project_id, found.public_id))

    @admin.display(description="example", ordering="number")
    def name(self, example: Example) -> str:
        return str(example)

    @admin.display(description="captions", ordering="caption_0")
    def captions(self, example: Example) -> SafeString:
        lines = zip("AB", (example.caption_0, example.caption_1), strict=True)
        lines_said = ((side, caption or "not written yet") for side, caption in lines)
        return format_html_join("", '<div class="roomy"><b>{}</b> {}</div>', lines_said)

    @admin.display(description="pictures")
    def pictures(self, example: Example) -> SafeString:
        shown = format_html_join("", "{}", ((_small(side, example),) for side in (0, 1)))
        return format_html('<div class="pair">{}</div>', shown)

    @admin.display(description="tags")
    def tag_names(self, example: Example) -> str:
        return "; ".join(tag.name for tag in example.tags.all()) or "–"


def authoring_card(project: Project, user: User) -> Card:
    counts = counts_by_state(project, user=user)
    names = {State.DRAFT: "Drafts", State.READY: "Ready to be asked", State.ASKED: "Asked of workers",
             State.WITHDRAWN: "Withdrawn"}  # fmt: skip
    figures = [
        Metric(name=name, count=counts[state], url=list_url(project, state)) for state, name in names.items()
    ]
    write_url, tags_url = _at("write_example", project.pk), reverse("admin:winoground_tag_changelist")
    own = " You see and change your own." if sees_own_only(user) else ""
    return Card(
        key="authoring",
        title="Writing examples",
        about=f"Experts write two captions of the same words, and find a picture for each.{own}",
        metrics=figures,
        stage=Metric(name="Examples finished", count=counts[State.READY] + counts[State.ASKED]),
        links=[
            CardLink(name="Write an example", url=write_url, is_first=True, permission=WRITE),
            CardLink(name="All examples", url=list_url(project)),
            CardLink(name="People in captions and pictures", url=_at("people", project.pk)),
            CardLink(name="Tags", url=tags_url, permission=LOOK_AT_TAGS),
        ],
        next=_next(counts),
    )


def list_url(project: Project, state: str = "", **more: str) -> str:
    query = {STUDY: str(project.study_id), **({"state__exact": state} if state else {}), **more}
    return f"{reverse('admin:winoground_example_changelist')}?{urlencode(query)}"


def _next(counts: Any) -> str:
    if not sum(counts.values()):
        return "Write the first example."
    if counts[State.DRAFT] and not (counts[State.READY] or counts[State.ASKED]):
        return "Finish a draft, and mark it as ready."
    return ""


def _project_of(request: HttpRequest) -> Project | None:
    """The project of the list: that of the chosen study, or the only one there is."""
    projects = Project.objects.filter(study__in=studies_of(request.user)).select_related("study")
    if STUDY in request.GET:
        return projects.filter(study=read_number(request.GET[STUDY]) or 0).first()
    some = list(projects[:2])
    return some[0] if len(some) == 1 else None


def _small(side: int, example: Example) -> SafeString:
    picture = (example.image_0, example.image_1)[side]
    if picture is None:
        return format_html('<span class="quiet">no {}</span>', "AB"[side])
    address = reverse("pictures:thumbnail", args=[picture.key, min(SIZES)])
    alt = f"{example}: picture {'AB'[side]}"
    return format_html('<img src="{}" alt="{}" width="64" height="64" loading="lazy">', address, alt)


def _at(name: str, *args: Any) -> str:
    return reverse(f"admin:winoground_{name}", args=args)
