"""Designers' pages: their images, what became of each, and what a good image is."""

from collections.abc import Mapping
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Case, Count, OuterRef, Prefetch, Q, QuerySet, Subquery, When
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from crowd.whoops.design.pages.state_words import FIELDS, SAID, STATES, ShownState, pay_in_words
from crowd.whoops.design.pages.workspace import Desk, at_desk, show
from crowd.whoops.design.services.submissions import may_change_partner
from crowd.whoops.models import Designer, Image, Partner, Revision

PAGE = 20
LONGEST_SEARCH = 100
State = Image.State


@at_desk
@require_safe
def home(request: HttpRequest, desk: Desk) -> HttpResponse:
    """List the designer's images, those that came back first: they wait for the designer."""
    state = request.GET.get("state", "")
    state = state if state in State.values else ""
    sought = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]
    page = Paginator(_images(desk.designer, state=state, sought=sought), PAGE).get_page(
        request.GET.get("page")
    )
    counts = _counts(desk.designer)
    context = {
        "page": page,
        "images": [ShownState(image=image, state=STATES[State(image.state)]) for image in page],
        "states": [(value, words.tag, counts[value], value == state) for value, words in STATES.items()],
        "state": state,
        "q": sought,
        "total": sum(counts.values()),
        "returned": counts[State.RETURNED],
    }
    return show(request, desk, "home", context)


@at_desk
@require_safe
def guidelines(request: HttpRequest, desk: Desk) -> HttpResponse:
    return show(request, desk, "guidelines", {})


@at_desk
@require_safe
def one_image(request: HttpRequest, desk: Desk, image_id: UUID) -> HttpResponse:
    """Show an image with every revision and what was said of it."""
    image = desk.find_image(image_id)
    revisions = list(image.revisions.select_related("picture").order_by("-number"))
    partners = {partner.kind: partner for partner in image.partners.select_related("picture")}
    context = {
        "image": image,
        "state": STATES[State(image.state)],
        "revisions": [_revision(row, before) for row, before in _pairs(revisions)],
        "told": revisions[0] if revisions else None,
        "partners": [_partner(image, kind, partners.get(kind)) for kind in Partner.Kind.values],
        "pay": pay_in_words(image) if desk.designer.is_paid else "",
        "may_send_again": image.state == State.RETURNED and desk.designer.is_active,
        "may_withdraw": State.WITHDRAWN in Image.TRANSITIONS[State(image.state)],
        "said": SAID.get(request.GET.get("said", ""), ""),
    }
    return show(request, desk, "image", context)


def _images(designer: Designer, *, state: str, sought: str) -> QuerySet[Image]:
    told = Revision.objects.filter(image=OuterRef("pk"), number=OuterRef("revision"))
    rows = designer.images.select_related("picture", "category")
    rows = rows.annotate(reason=Subquery(told.values("reason")[:1]))
    rows = rows.prefetch_related(Prefetch("partners", Partner.objects.order_by("kind")))
    rows = rows.filter(state=state) if state else rows
    if sought:
        texts = ("explanation", "prompt", "normal_element", "weird_element", "shared_element")
        found = Q(number=int(sought)) if sought.isascii() and sought.isdigit() and len(sought) < 9 else Q()
        for name in texts:
            found |= Q(**{f"{name}__icontains": sought})
        rows = rows.filter(found)
    came_back = Case(When(state=State.RETURNED, then=0), default=1)
    return rows.order_by(came_back, "-number")


def _counts(designer: Designer) -> dict[str, int]:
    rows = designer.images.order_by().values_list("state").annotate(n=Count("pk"))
    return {**dict.fromkeys(State.values, 0), **dict(rows)}


def _pairs(revisions: list[Revision]) -> list[tuple[Revision, Revision | None]]:
    """Each revision with the one before it, newest first."""
    return list(zip(revisions, [*revisions[1:], None], strict=True)) if revisions else []


def _revision(row: Revision, before: Revision | None) -> Mapping[str, object]:
    """The first revision's texts in full; for a later one, the texts that changed."""
    changed = [
        {"label": label, "text": row.texts.get(name, "")}
        for name, label in FIELDS.items()
        if row.texts.get(name, "") != (before.texts.get(name, "") if before else "")
    ]
    return {
        "row": row,
        "changed": changed,
        "new_picture": before is not None and before.picture_id != row.picture_id,
    }


def _partner(image: Image, kind: str, partner: Partner | None) -> Mapping[str, object]:
    return {
        "kind": kind,
        "partner": partner,
        "may_change": may_change_partner(image, has_one=partner is not None),
    }
