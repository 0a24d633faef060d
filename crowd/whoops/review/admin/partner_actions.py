"""Natural partners: the pool is searched for an image's like, and a person picks one of what was found."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import URLPattern
from django.utils.html import format_html

from crowd.pictures.admin.pool_parts import file_url
from crowd.whoops.models import Image, PartnerProposal, Project
from crowd.whoops.review.queries.readable_reviews import DECIDE
from crowd.whoops.review.services.natural_partners import (
    finders,
    lacking_images,
    pick_partner,
    proposals_for,
    search_partners,
)
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import ProjectPages
from hits.core.domain.counted_nouns import plural

SEARCH = "find_partners"
ABOUT_SEARCH = (
    "For each accepted image without a natural partner, a model finds the pictures of the pool that are most "
    "like it. You pick one on the page of the image, or none."
)
ABOUT_PICK = (
    "The picture becomes the natural partner: the same scene as a photograph, with nothing weird in it. "
    "Captions of it can be judged, and it is in later releases. It stays once the image is accepted."
)


class FinderForm(forms.Form):
    model = forms.ModelChoiceField(
        queryset=finders(),
        to_field_name="name",
        label="Model",
        empty_label=None,
        help_text="It compares what it sees. Models are registered on the server, by manage.py fetch_rival.",
    )


class PickForm(forms.Form):
    """The proposals as pictures, one of which is picked."""

    proposal = forms.ModelChoiceField(
        queryset=PartnerProposal.objects.none(),
        label="Which picture",
        widget=forms.RadioSelect,
        empty_label=None,
    )

    def __init__(self, data: QueryDict | None, image: Image) -> None:
        super().__init__(data)
        field: Any = self.fields["proposal"]
        field.queryset = proposals_for(image)
        field.label_from_instance = _shown


def partner_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [pages.at("<int:pk>/partners/find/", search_view, SEARCH)]


def search_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    return _pages(pages).answer(request, SEARCH, pk=pk)


def _pages(pages: ProjectPages[Any]) -> ActionPages[Project]:
    return project_actions(
        pages,
        {SEARCH: FIND},
        find=lambda request, pk: [pages.find(request, pk, DECIDE)],
        back=lambda project: f"{pages.address(project)}#images",
    )


def _shown(proposal: PartnerProposal) -> str:
    text = '<img src="{}" alt="" class="thumb" loading="lazy"> {} <small>{}, {}</small>'
    picture = proposal.picture
    return format_html(
        text,
        file_url(picture, 160),
        picture.concept,
        f"{proposal.cosine:.2f}",
        picture.licence or "no license",
    )


def _ask_to_search(call: Call[Project]) -> Confirm:
    lacking, has_models = lacking_images(call.row).count(), finders().exists()
    images = emphasize("{} {rest}", plural(lacking, "image"), rest="without a natural partner.")
    return Confirm(
        title="Find natural partners",
        text=ABOUT_SEARCH,
        button="Search the pool",
        consequences=[images, *([] if has_models else ["No CLIP is registered."])],
        is_blocked=not (lacking and has_models),
    )


def _search(call: Call[Project]) -> Outcome:
    rival = call.values["model"]
    search_partners(project=call.row, rival=rival, by=call.by, now=call.now)
    return Outcome(
        said="The pool is being searched. Images with proposals are listed under “what it waits for”.",
        history=f"{rival} searches the pool for natural partners.",
    )


def _ask_to_pick(call: Call[Image]) -> Confirm:
    image = call.row
    details: Mapping[str, Any] = {"image": image, "picture_url": file_url(image.picture, 480)}
    return Confirm(
        title=f"Pick the natural partner of {image}",
        text=f"{ABOUT_PICK} What would be normal: {image.normal_pair}.",
        button="Pick it",
        detail="admin/whoops/image_large.html",
        details=details,
    )


def _refuse_without(call: Call[Image]) -> str:
    return (
        "" if _is_open(call.row) else f"No picture is proposed for {call.row}, or it has its natural partner."
    )


def _pick(call: Call[Image]) -> Outcome:
    proposal = call.values["proposal"]
    pick_partner(image=call.row, proposal=proposal, by=call.by, now=call.now)
    words = f"{call.row}: the natural partner is “{proposal.picture.concept}”."
    return Outcome(said=words, history=f"Natural partner: {proposal.picture.sha256}, place {proposal.place}.")


def _is_open(image: Image) -> bool:
    has_one = image.partners.filter(kind="natural").exists()
    return image.state == Image.State.ACCEPTED and not has_one and proposals_for(image).exists()


FIND = Action(
    label="Find natural partners", form=lambda data, _: FinderForm(data), confirm=_ask_to_search, run=_search
)
PICKS = {
    "partner": Action(
        label="Pick a natural partner",
        permissions=["whoops.view_image", DECIDE],
        form=lambda data, call: PickForm(data, call.row),
        confirm=_ask_to_pick,
        offered=_is_open,
        refuses=_refuse_without,
        run=_pick,
    )
}
