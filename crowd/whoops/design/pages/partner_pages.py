"""Pages for partners: the same scene with nothing weird in it. Each may come later than its image."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from crowd.whoops.design.pages.forms import PartnerForm, PhotographForm
from crowd.whoops.design.pages.workspace import Desk, at_desk, lead_to, show
from crowd.whoops.design.services import submissions
from crowd.whoops.models import Image, Partner
from hits.core.errors import RuleBroken

FORMS: dict[str, type[PartnerForm] | type[PhotographForm]] = {
    Partner.Kind.NORMAL: PartnerForm,
    Partner.Kind.NATURAL: PhotographForm,
}


@at_desk
@require_http_methods(["GET", "HEAD", "POST"])
def partner(request: HttpRequest, desk: Desk, image_id: UUID, kind: str) -> HttpResponse:
    image = desk.find_image(image_id)
    form_class = _form_of(kind)
    present = image.partners.select_related("picture").filter(kind=kind).first()
    context = {"image": image, "kind": kind, "present": present}
    shown = present.picture if present else None
    if request.method != "POST":
        if not submissions.may_change_partner(image, has_one=present is not None):
            return redirect(desk.address("image", image.public_id))
        form = form_class(designer=desk.designer, present=shown, initial=_start(image, present))
        return show(request, desk, "partner", {**context, "form": form})
    form = form_class(request.POST, request.FILES, designer=desk.designer, present=shown)
    try:
        desk.refuse_haste(form)
        form.is_valid()
        now = timezone.now()
        if picture := form.take_picture(now=now):
            submissions.set_partner(image=image, kind=kind, picture=picture, now=now, **form.values)
            return lead_to(desk, image, said="partner")
    except RuleBroken as refusal:
        form.add_error(None, str(refusal))
    return show(request, desk, "partner", {**context, "form": form}, status=422)


@at_desk
@require_POST
def remove(request: HttpRequest, desk: Desk, image_id: UUID, kind: str) -> HttpResponse:
    image = desk.find_image(image_id)
    _form_of(kind)
    submissions.remove_partner(image=image, kind=kind)
    return lead_to(desk, image, said="removed")


def _form_of(kind: str) -> type[PartnerForm] | type[PhotographForm]:
    if kind not in FORMS:
        raise Http404
    return FORMS[kind]


def _start(image: Image, present: Partner | None) -> dict[str, str]:
    """First values of the form: a normal partner differs by one element, so the image's texts are a start."""
    source: Image | Partner = present or image
    picture = present.picture if present else None
    return {
        "prompt": source.prompt,
        "seed": source.seed,
        "tool": source.tool,
        "credit": picture.credit if picture else "",
        "licence": picture.licence if picture else "",
    }
