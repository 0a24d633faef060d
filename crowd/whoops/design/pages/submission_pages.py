"""Pages to send an image, send it again, and withdraw it."""

from datetime import datetime
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from crowd.whoops.design.pages.forms import ImageForm, start_of, values_of
from crowd.whoops.design.pages.workspace import Desk, at_desk, lead_to, show
from crowd.whoops.design.services import submissions
from crowd.whoops.models import Image
from hits.admin.page_parts import read_number
from hits.core.domain.typed_text import read_uuid
from hits.core.errors import RuleBroken

READS = ["GET", "HEAD", "POST"]


@at_desk
@require_http_methods(READS)
def new(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Show or take the form of a new image. The form's key makes two clicks one image."""
    if request.method != "POST":
        form = ImageForm(designer=desk.designer, initial=start_of(desk.designer))
        return show(request, desk, "new", {"form": form, "key": uuid4()})
    key = read_uuid(request.POST.get("key", "")) or uuid4()
    form = ImageForm(request.POST, request.FILES, designer=desk.designer)
    try:
        if image := _send(desk, form, key=key, now=timezone.now()):
            return lead_to(desk, image, said="sent")
    except RuleBroken as refusal:
        form.add_error(None, str(refusal))
    return show(request, desk, "new", {"form": form, "key": key}, status=422)


@at_desk
@require_http_methods(READS)
def again(request: HttpRequest, desk: Desk, image_id: UUID) -> HttpResponse:
    """Show or take the form of the next revision. `revision`, as the page had it, keeps two tabs apart."""
    image = desk.find_image(image_id)
    told = image.revisions.filter(number=image.revision).first()
    context = {"image": image, "told": told}
    if request.method != "POST":
        if image.state != Image.State.RETURNED:
            return redirect(desk.address("image", image.public_id))
        form = ImageForm(designer=desk.designer, present=image.picture, initial=values_of(image))
        return show(request, desk, "again", {**context, "form": form, "revision": image.revision})
    seen = read_number(request.POST.get("revision", "")) or 0
    form = ImageForm(request.POST, request.FILES, designer=desk.designer, present=image.picture)
    try:
        if sent := _send_again(desk, form, image, seen=seen, now=timezone.now()):
            return lead_to(desk, sent, said="sent-again")
    except RuleBroken as refusal:
        form.add_error(None, str(refusal))
    return show(request, desk, "again", {**context, "form": form, "revision": seen}, status=422)


@at_desk
@require_http_methods(READS)
def withdraw(request: HttpRequest, desk: Desk, image_id: UUID) -> HttpResponse:
    image = desk.find_image(image_id)
    if request.method != "POST":
        if Image.State.WITHDRAWN not in Image.TRANSITIONS[Image.State(image.state)]:
            return redirect(desk.address("image", image.public_id))
        return show(request, desk, "withdraw", {"image": image})
    return lead_to(desk, submissions.withdraw(image=image, now=timezone.now()), said="withdrawn")


def _send(desk: Desk, form: ImageForm, *, key: UUID, now: datetime) -> Image | None:
    """Send the image. None: the form says what is wrong. Raises RuleBroken."""
    if known := desk.designer.images.filter(public_id=key).first():
        return known
    desk.refuse_haste(form)
    form.is_valid()
    picture = form.take_picture(now=now)
    if picture is None:
        return None
    return submissions.send_image(
        designer=desk.designer,
        key=key,
        picture=picture,
        texts=form.texts,
        category=form.cleaned_data["category"],
        now=now,
    )


def _send_again(desk: Desk, form: ImageForm, image: Image, *, seen: int, now: datetime) -> Image | None:
    desk.refuse_haste(form)
    form.is_valid()
    picture = form.take_picture(now=now)
    if picture is None:
        return None
    return submissions.send_again(
        image=image,
        seen=seen,
        picture=picture,
        texts=form.texts,
        category=form.cleaned_data["category"],
        now=now,
    )
