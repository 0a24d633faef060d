"""What a person decides of one image: asked once more, with a reason, and then one call of a service."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.pictures.admin.parts import REMOVE, file_url
from crowd.whoops.domain.passing import LONGEST_REASON
from crowd.whoops.models import Image, Project
from crowd.whoops.services import passing
from hits.admin.hubs import need
from hits.admin.selecting import signed_in
from hits.errors import RuleBroken
from hits.models import User

DECIDE = "whoops.decide_image"
Images = admin.ModelAdmin[Image]
State = Image.State


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}))
    with_pictures = forms.BooleanField(
        required=False,
        label="Take its pictures away, too",
        help_text="They are shown to nobody but staff any more, wherever they are. Can be undone in the pool "
        "of pictures.",
    )

    def __init__(self, *args: Any, help_text: str, takes_pictures: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = help_text
        if not takes_pictures:
            del self.fields["with_pictures"]


@dataclass(frozen=True, kw_only=True)
class Verb:
    """`about` says before what it will do, `do` does it. `told`: who reads the reason."""

    slug: str
    name: str
    done: str
    told: str
    states: frozenset[str]
    about: str
    do: Callable[..., None]
    takes_pictures: bool = False
    owes: bool = False

    def fits(self, image: Image) -> bool:
        if self.slug == "reconsider":
            return passing.may_reconsider(image)
        return image.state in self.states


def urls(images: Images) -> list[URLPattern]:
    view = images.admin_site.admin_view(partial(verb_view, images))
    return [path("<int:pk>/do/<slug:slug>/", view, name="whoops_image_do")]


def verbs_for(image: Image, user: User) -> Sequence[Verb]:
    return [verb for verb in VERBS.values() if verb.fits(image)] if user.has_perm(DECIDE) else []


def render(
    page: Images, request: HttpRequest, name: str, image: Image, context: dict[str, Any]
) -> HttpResponse:
    """The list of the project leads back to it, as its other pages do."""
    shared = {
        **page.admin_site.each_context(request),
        "opts": Project._meta,
        "hub": {"name": "Weird images"},
        "project": image.project,
        "home": reverse("admin:whoops_project_change", args=[image.project_id]),
        "title": str(image),
        "image": image,
    }
    return TemplateResponse(request, f"admin/whoops/{name}.html", {**shared, **context})


def verb_view(page: Images, request: HttpRequest, pk: int, slug: str) -> HttpResponse:
    need(request, "whoops.view_image", DECIDE)
    verb = VERBS.get(slug)
    if verb is None:
        raise Http404
    related = page.get_queryset(request).select_related("project__study", "picture", "designer")
    image = get_object_or_404(related, pk=pk)
    if not verb.fits(image):
        messages.error(
            request, f"{image} is not where it was: “{image.get_state_display()}”. Look at it again."
        )
        return redirect("admin:whoops_image_change", pk)
    form = ReasonForm(
        request.POST or None,
        help_text=verb.told,
        takes_pictures=verb.takes_pictures and request.user.has_perm(REMOVE),
        initial={"reason": _reason_of(image) if slug == "reword" else ""},
    )
    if request.method == "POST" and form.is_valid():
        if _do(page, request, verb, image, form.cleaned_data, now=timezone.now()):
            return redirect("admin:whoops_image_change", pk)
        form.add_error(None, "Nothing was changed.")
    context = {
        "title": f"{verb.name}: {image}",
        "verb": verb,
        "about": _about(verb, image),
        "form": form,
        "picture_url": file_url(image.picture, 480),
    }
    return render(page, request, "image_do", image, context)


def _do(
    page: Images, request: HttpRequest, verb: Verb, image: Image, given: dict[str, Any], *, now: datetime
) -> bool:
    try:
        verb.do(image=image, by=signed_in(request), now=now, **given)
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return False
    page.log_change(request, image, f"{verb.name}: {given['reason']}")
    messages.success(request, f"{image} {verb.done}.")
    return True


def _reason_of(image: Image) -> str:
    return image.revisions.get(number=image.revision).reason


def _about(verb: Verb, image: Image) -> str:
    if verb.owes and image.designer.is_paid:
        return f"{verb.about} Its designer is owed ${image.project.image_pay}."
    return verb.about


DESIGNER_READS = "Its designer reads it."
FOR_RECORD = "For the record. Its designer does not read it."
VERBS = {
    verb.slug: verb
    for verb in (
        Verb(
            slug="accept",
            name="Accept",
            done="is accepted",
            told=FOR_RECORD,
            states=frozenset({State.REVIEW}),
            about="It is data from now on, and annotators are asked about it. Reviews stay on record.",
            owes=True,
            do=passing.accept_image,
        ),
        Verb(
            slug="return",
            name="Return to its designer",
            done="is back with its designer",
            told=f"{DESIGNER_READS} Say what to change: they can send it again.",
            states=frozenset({State.CONTROL, State.REVIEW}),
            about="Nobody is asked about it until its designer has sent it again.",
            do=passing.return_image,
        ),
        Verb(
            slug="reword",
            name="Change the reason",
            done="has another reason now",
            told=DESIGNER_READS,
            states=frozenset({State.RETURNED}),
            about="The image stays with its designer, who reads these words instead.",
            do=passing.reword_return,
        ),
        Verb(
            slug="refuse",
            name="Refuse",
            done="is refused",
            told=DESIGNER_READS,
            states=frozenset({State.CONTROL, State.REVIEW, State.ACCEPTED}),
            about="It is out of the data, nobody is asked about it any more, and it cannot be sent again. "
            "What was owed for it stays owed. You can think again later.",
            do=passing.refuse_image,
            takes_pictures=True,
        ),
        Verb(
            slug="reconsider",
            name="Think again",
            done="is considered anew",
            told=FOR_RECORD,
            states=frozenset({State.REFUSED, State.RETURNED}),
            about="The decision is taken back: it goes to where the control group has put it, and "
            "reviews that are there count.",
            do=passing.reconsider_image,
        ),
    )
}
