"""The images of all projects that a member of staff may see, and the page of one with its history."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils.html import format_html
from django.utils.safestring import SafeString

from crowd.pictures.admin.pool_parts import file_url
from crowd.whoops.images.admin.addresses import images_url, page_url
from crowd.whoops.images.queries.images import count_states, with_reviews
from crowd.whoops.models import Annotation, Image, PartnerProposal, Project
from crowd.whoops.review.admin import image_actions
from crowd.whoops.review.queries.readable_reviews import CHECK, DECIDE, may_read
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies, read_number
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import pages_of
from hits.admin.selection import need, signed_in
from hits.identity.models.users import User
from hits.work.access import studies_of

State = Image.State


class WaitsFilter(admin.SimpleListFilter):
    title = "what it waits for"
    parameter_name = "waits"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """A person still to review an image must not see here that others object to it."""
        partner = ("partner", "A normal partner")
        decided = [
            ("decision", "A researcher's decision"),
            ("natural", "Somebody who picks a natural partner"),
        ]
        return [*decided, partner] if _may_decide(request) else [partner]

    def queryset(self, request: HttpRequest, images: QuerySet[Image]) -> QuerySet[Image]:
        if self.value() == "decision" and _may_decide(request):
            reviewed = Q(objections__gt=0) | Q(reviews_given__gte=F("project__reviews_wanted"))
            return images.filter(reviewed, state=State.REVIEW)
        if self.value() == "natural" and _may_decide(request):
            proposed = Exists(PartnerProposal.objects.filter(image=OuterRef("pk")))
            return images.filter(proposed, state=State.ACCEPTED).exclude(partners__kind="natural")
        if self.value() == "partner":
            return images.exclude(partners__kind="normal").exclude(state__in=(State.REFUSED, State.WITHDRAWN))
        return images


@admin.register(Image)
class ImageAdmin(ReadOnlyAdmin[Image]):
    menu = MenuPlace(Section.DATA, 10, "Weird images, one by one")
    nothing_yet = (
        "No image was sent yet. Invite designers on the page of a study's weird images; the images that "
        "they send are listed here."
    )
    change_list_template = "admin/whoops/images.html"
    show_full_result_count = False
    actions = None
    list_display = ("small", "image", "weird", "designer", "category", "state", "reviews", "sent_at")
    list_display_links = ("image",)
    list_filter = (
        "state",
        WaitsFilter,
        ("project__study", VisibleStudies),
        # Other studies' own categories stay unnamed.
        ("category", admin.RelatedOnlyFieldListFilter),
        "tool",
    )
    search_fields = (
        "=number",
        "weird_element",
        "shared_element",
        "explanation",
        "prompt",
        "designer__name",
    )
    list_select_related = ("project", "picture", "designer", "category")
    list_per_page = 50
    ordering = ("-pk",)

    def get_urls(self) -> list[URLPattern]:
        return [*image_actions.urls(self), *super().get_urls()]

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        blind = {} if _may_decide(request) else {"reviews": "reviews_given"}
        return [blind.get(name, name) for name in map(str, self.list_display)]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Image]:
        rows = Image.objects.filter(project__study__in=studies_of(request.user))
        return with_reviews(rows)

    @admin.display(description="")
    def small(self, image: Image) -> SafeString:
        """A small picture without a text of its own: the number stands beside it."""
        url = file_url(image.picture, 160)
        return format_html('<img src="{}" alt="" loading="lazy" class="thumb">', url)

    @admin.display(description="image", ordering="number")
    def image(self, image: Image) -> str:
        return str(image)

    @admin.display(description="what is weird", ordering="weird_element")
    def weird(self, image: Image) -> str:
        return image.weird_pair

    @admin.display(description="reviews")
    def reviews_given(self, image: Image) -> str:
        given: int = image.reviews_given  # type: ignore[attr-defined]
        return f"{given} of {image.project.reviews_wanted}" if given else "–"

    @admin.display(description="reviews")
    def reviews(self, image: Image) -> str:
        told = self.reviews_given(image)
        objections: int = image.objections  # type: ignore[attr-defined]
        return f"{told}, {objections} object{'s' if objections == 1 else ''}" if objections else told

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        extra = {"title": "Weird images", **(extra_context or {})}
        return super().changelist_view(request, extra)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        need(request, "whoops.view_image")
        related = self.get_queryset(request).select_related(
            "project__study", "designer", "category", "picture"
        )
        image = related.filter(pk=read_number(object_id) or 0).first()
        if image is None:
            messages.warning(request, f"There is no image {object_id[:20]} here that you may see.")
            return redirect("admin:whoops_image_changelist")
        user = signed_in(request)
        offered = image_actions.offered_for(self, image, user)
        context = {"title": str(image), "image": image, "offered": offered, **_facts(image, user)}
        return pages_of(Project).render(request, "admin/whoops/image.html", context, project=image.project)


def _may_decide(request: HttpRequest) -> bool:
    return request.user.has_perm(DECIDE)


def images_card(project: Project, user: User) -> Card:
    states = count_states(project)
    figures = [
        Metric(name=State(state).label, count=count, url=images_url(project, state=state))
        for state, count in states.items()
    ]
    everything = sum(states.values())
    return Card(
        key="images",
        title="Images",
        about="What designers have sent. It passes the control group and the reviewers, and is data once it "
        "is accepted.",
        stage=Metric(name="Accepted", count=states[State.ACCEPTED], of=everything),
        metrics=[Metric(name="Sent", count=everything, url=images_url(project)), *figures],
        links=[
            *([CardLink(name="All images", url=images_url(project))] if everything else []),
            CardLink(
                name="Categories of this study",
                url=page_url("own_categories", project),
                permission="whoops.view_category",
            ),
            CardLink(
                name="Find natural partners…", url=page_url("find_partners", project), permission=DECIDE
            ),
        ],
    )


def _facts(image: Image, user: User) -> dict[str, Any]:
    control_answers = image.control_answers.select_related("worker", "decided_by").order_by("revision", "pk")
    reviews = list(image.reviews.select_related("by").order_by("revision", "pk"))
    sent = image.revisions.select_related("ended_by", "picture").order_by("-number")
    partners = image.partners.select_related("picture").order_by("kind")
    annotations = Annotation.objects.filter(image=image)
    return {
        "picture_url": file_url(image.picture),
        "partners": [(one, file_url(one.picture)) for one in partners],
        "control_answers": control_answers.defer("worker__external_id"),
        "reviews": reviews if may_read(image, reviews, user) else None,
        "reviews_count": sum(one.revision == image.revision for one in reviews),
        "may_review": user.has_perm(CHECK),
        "revisions": [(one, file_url(one.picture, 160)) for one in sent],
        "edits": image.edits.select_related("by").order_by("-pk"),
        "images_url": images_url(image.project),
        "annotations_url": page_url("annotated_image", image.project, image.number)
        if image.annotation_item_id
        else "",
        "annotations": annotations.filter(state=Annotation.State.COUNTED).count(),
        "review_url": f"{page_url('review', image.project)}?image={image.pk}",
    }
