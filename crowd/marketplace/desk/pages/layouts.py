"""HIT layouts that are kept for a requester."""

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from crowd.marketplace import clock
from crowd.marketplace.desk.forms import LayoutForm
from crowd.marketplace.desk.pages.requesters import find_requester
from crowd.marketplace.desk.responses import ask, doing, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models import Layout
from crowd.marketplace.models.parties import Operator, Requester
from crowd.marketplace.services import requesters as services


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def add(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    form = LayoutForm(request.POST or None)
    if form.is_valid() and requester.layouts.filter(name=form.cleaned_data["name"]).exists():
        form.add_error("name", "There is a layout of that name. Open that one to replace it.")
    if form.is_valid():
        return _save(request, operator, requester, form)
    return _ask(request, operator, requester, f"A new layout for {requester}", form)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def replace(request: HttpRequest, operator: Operator, requester_id: str, layout_id: str) -> HttpResponse:
    """Replace a layout. Its name stays, as the name says which layout is replaced."""
    requester = find_requester(requester_id)
    layout = requester.layouts.filter(external_id=layout_id).first()
    if not layout:
        raise Http404
    form = LayoutForm(request.POST or None, initial=vars(layout))
    form.fields["name"].disabled = True
    if form.is_valid():
        return _save(request, operator, requester, form)
    return _ask(request, operator, requester, f"The layout {layout}", form, layout=layout)


def _save(request: HttpRequest, operator: Operator, requester: Requester, form: LayoutForm) -> HttpResponse:
    name = form.cleaned_data["name"]
    with doing(request, operator, "layout saved", about=requester.external_id, note=name):
        layout = services.save_layout(requester_id=requester.pk, now=clock.now(), **form.cleaned_data)
    return tell(
        f"The layout {name} is saved. Its id is {layout.external_id}.",
        "desk:requester",
        requester.external_id,
    )


def _ask(
    request: HttpRequest,
    operator: Operator,
    requester: Requester,
    title: str,
    form: LayoutForm,
    *,
    layout: Layout | None = None,
) -> HttpResponse:
    new = ["Requesters refer to the layout by its id, which you see after saving."]
    old = [f"Its id is {layout.external_id}. Posted HITs keep the page they had."] if layout else []
    return ask(
        request,
        operator,
        title=title,
        text=old or new,
        button="Save the layout",
        back=reverse("desk:requester", args=[requester.external_id]),
        form=form,
    )
