"""Terms and privacy, for everybody: the operator's own text, or what the software itself does."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from crowd.marketplace.queries.public_texts import read_own_text
from crowd.marketplace.site.responses import run_by
from crowd.marketplace.site.session import find_worker


@require_safe
def terms(request: HttpRequest) -> HttpResponse:
    return _show(request, "terms", title=_("Terms"))


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    return _show(request, "privacy", title=_("Privacy"))


def _show(request: HttpRequest, name: str, *, title: str) -> HttpResponse:
    own = read_own_text(name)
    context = {"title": title, "blocks": own, "worker": find_worker(request), **run_by()}
    template = "own_text" if own else name
    response = render(request, f"marketplace/{template}.html", context)
    response["Cache-Control"] = "no-store"  # the bar above is this worker's
    return response
