"""Decisions of a person on one image: confirmed with a reason, then one call of a service."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse

from crowd.pictures.admin.pool_parts import REMOVE, file_url
from crowd.whoops.control.domain.control_verdicts import LONGEST_REASON
from crowd.whoops.models import Image, Project
from crowd.whoops.review.admin.edit_actions import EDITS
from crowd.whoops.review.admin.partner_actions import PICKS
from crowd.whoops.review.services import image_decisions
from hits.admin.actions import Action, Call, Confirm, Outcome, RowButton
from hits.admin.actions.action_pages import ActionPages
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import pages_of
from hits.common.currencies import in_money
from hits.identity.models.users import User

DECIDE = "whoops.decide_image"
Images = admin.ModelAdmin[Image]
State = Image.State


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}))
    with_pictures = forms.BooleanField(
        required=False,
        label="Take its pictures away, too",
        help_text="Only staff can see them then, wherever they are shown. This can be undone in the pool "
        "of pictures.",
    )

    def __init__(self, *args: Any, help_text: str, takes_pictures: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = help_text
        if not takes_pictures:
            del self.fields["with_pictures"]


def urls(images: Images) -> list[URLPattern]:
    view = images.admin_site.admin_view(partial(action_view, images))
    return [path("<int:pk>/do/<slug:slug>/", view, name="whoops_image_do")]


def offered_for(page: Images, image: Image, user: User) -> Sequence[RowButton]:
    return _pages(page).offered(image, user=user)


def action_view(page: Images, request: HttpRequest, pk: int, slug: str) -> HttpResponse:
    return _pages(page).answer(request, slug, pk=pk)


def _pages(page: Images) -> ActionPages[Image]:
    def find(request: HttpRequest, pk: int) -> Sequence[Image]:
        related = page.get_queryset(request).select_related(
            "project__study", "picture", "designer", "category"
        )
        return [get_object_or_404(related, pk=pk)]

    return project_actions(
        pages_of(Project),
        ACTIONS,
        find=find,
        back=lambda image: _address("change", image.pk),
        url=lambda image, slug: _address("do", image.pk, slug),
        base="admin/hits/project_base.html",
        logged=lambda image: image,
    )


def _address(name: str, *args: Any) -> str:
    return reverse(f"admin:whoops_image_{name}", args=args)


def _decision(
    *,
    label: str,
    done: str,
    told: str,
    fits: Callable[[Image], bool],
    about: str,
    do: Callable[..., None],
    first: Callable[[Image], str] = lambda _: "",
    takes_pictures: bool = False,
    owes: bool = False,
) -> Action[Image]:
    """Make the action. `about` says before what `do` will do. `told`: who reads the reason."""

    def form(data: QueryDict | None, call: Call[Image]) -> ReasonForm:
        may_take = takes_pictures and call.by.has_perm(REMOVE)
        initial = {"reason": first(call.row)}
        return ReasonForm(data, help_text=told, takes_pictures=may_take, initial=initial)

    def confirm(call: Call[Image]) -> Confirm:
        image = call.row
        pay = (
            f" Its designer is owed {in_money(image.project.image_pay, image.project.study.currency)}."
            if owes and image.designer.is_paid
            else ""
        )
        details = {"image": image, "picture_url": file_url(image.picture, 480)}
        return Confirm(text=f"{about}{pay}", detail="admin/whoops/image_large.html", details=details)

    def refuses(call: Call[Image]) -> str:
        where = f"{call.row} is not where it was: “{call.row.get_state_display()}”. Look at it again."
        return "" if fits(call.row) else where

    def run(call: Call[Image]) -> Outcome:
        do(image=call.row, by=call.by, now=call.now, **call.values)
        return Outcome(said=f"{call.row} {done}.", history=f"{label}: {call.values['reason']}")

    return Action(
        label=label,
        permissions=["whoops.view_image", DECIDE],
        form=form,
        confirm=confirm,
        offered=fits,
        refuses=refuses,
        run=run,
    )


def _is_in(*states: str) -> Callable[[Image], bool]:
    return lambda image: image.state in states


def _reason_of(image: Image) -> str:
    return image.revisions.get(number=image.revision).reason


DESIGNER_READS = "Its designer reads it."
FOR_RECORD = "For the record. Its designer does not read it."
ACTIONS = {
    "accept": _decision(
        label="Accept the image",
        done="is accepted",
        told=FOR_RECORD,
        fits=_is_in(State.REVIEW),
        about="It is data from now on, and annotators are asked about it. Reviews stay on record.",
        owes=True,
        do=image_decisions.accept_image,
    ),
    "return": _decision(
        label="Return the image to its designer",
        done="is back with its designer",
        told=f"{DESIGNER_READS} Say what to change: they can send it again.",
        fits=_is_in(State.CONTROL, State.REVIEW),
        about="Nobody is asked about it until its designer has sent it again.",
        do=image_decisions.return_image,
    ),
    "reword": _decision(
        label="Change the reason",
        done="has another reason now",
        told=DESIGNER_READS,
        fits=_is_in(State.RETURNED),
        about="The image stays with its designer, who reads these words instead.",
        first=_reason_of,
        do=image_decisions.reword_return,
    ),
    "refuse": _decision(
        label="Refuse the image",
        done="is refused",
        told=DESIGNER_READS,
        fits=_is_in(State.CONTROL, State.REVIEW, State.ACCEPTED),
        about="It is out of the data, nobody is asked about it any more, and it cannot be sent again. "
        "What was owed for it stays owed. You can reconsider it later.",
        do=image_decisions.refuse_image,
        takes_pictures=True,
    ),
    "reconsider": _decision(
        label="Reconsider the image",
        done="is reconsidered",
        told=FOR_RECORD,
        fits=image_decisions.may_reconsider,
        about="The decision is taken back: it goes to where the control group has put it, and "
        "reviews that are there count.",
        do=image_decisions.reconsider_image,
    ),
    **EDITS,
    **PICKS,
}
