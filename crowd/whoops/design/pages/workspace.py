"""Shared by all pages of the workspace: the designer behind the link, the security policy, and errors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from crowd.whoops.design.services import workspace_links
from crowd.whoops.models import Designer, Image
from hits.common import linked_pages, rates
from hits.core.errors import RuleBroken
from hits.core.held_links import see_holder
from hits.core.signed_links import UnknownLink
from hits.studies.models import Study

# The limit for one designer: every picture is re-encoded, which takes time and memory.
MOST_SENT = 60
WINDOW_S = 3600


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A designer at work, with the link that they hold."""

    designer: Designer
    token: str

    @property
    def study(self) -> Study:
        return self.designer.project.study

    def address(self, name: str, *more: Any) -> str:
        return reverse(f"workspace:{name}", args=[self.token, *more])

    def find_image(self, image_id: UUID) -> Image:
        """Find an image of this designer. Raises Http404 for another designer's, as if it did not exist."""
        rows = self.designer.images.select_related("picture", "category", "bonus", "project", "designer")
        image = rows.filter(public_id=image_id).first()
        if image is None:
            raise Http404
        return image

    def refuse_haste(self, form: Form) -> None:
        """Raises RuleBroken, without reading a picture, once this designer has sent too much within an hour.

        Called before the form's check, which re-encodes the picture.
        """
        if not rates.spend("whoops.send", str(self.designer.public_id), most=MOST_SENT, window_s=WINDOW_S):
            form.files = MultiValueDict()
            raise RuleBroken(
                "too_fast",
                _("You have sent too much within an hour. What you typed is still here: send it later."),
            )


def at_desk(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Read the link for a view. Only its holder can post a form, and no cache on the way keeps the page."""

    @csrf_exempt
    @never_cache
    def shown(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponse:
        now = timezone.now()
        try:
            desk = Desk(designer=workspace_links.read_token(token, now=now), token=token)
            see_holder(desk.designer, now=now)
            with translation.override(desk.study.language), timezone.override(desk.study.time_zone):
                response = _answer(view, request, desk, kwargs)
        except UnknownLink:
            response = render(request, "whoops/workspace/unknown.html", status=403)
        except workspace_links.LinkExpired as over:
            with translation.override(over.language):
                response = render(request, "whoops/workspace/over.html", status=410)
        linked_pages.guard(response, policy=linked_pages.WITH_SCRIPTS)
        return response

    return shown


def show(
    request: HttpRequest, desk: Desk, name: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    return render(request, f"whoops/workspace/{name}.html", {"desk": desk, **context}, status=status)


def lead_to(desk: Desk, image: Image, *, said: str) -> HttpResponse:
    return redirect(f"{desk.address('image', image.public_id)}?said={said}")


def _answer(
    view: Callable[..., HttpResponse], request: HttpRequest, desk: Desk, kwargs: Mapping[str, Any]
) -> HttpResponse:
    try:
        return view(request, desk, **kwargs)
    except Http404:
        return show(request, desk, "missing", {}, status=404)
    except RuleBroken as problem:
        return show(request, desk, "problem", {"problem": problem}, status=409)
