"""HITs: those on offer, the page of one, and taking one down."""

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from crowd.marketplace import clock, frames
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.forms import ReasonForm
from crowd.marketplace.desk.pages.overview import TAKEN_DOWN
from crowd.marketplace.desk.responses import ask, doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import Operator, Requester
from crowd.marketplace.services import hit_endings
from crowd.marketplace.services.work import settle


@require_safe
@operator_required
def index(request: HttpRequest, operator: Operator) -> HttpResponse:
    now = clock.now()
    settle(now=now)
    search = lists.searched(request)
    found = queries.hits_on_offer(now=now, search=search)
    if of := Requester.objects.filter(external_id=request.GET.get("requester", "").replace("\0", "")).first():
        found = found.filter(requester=of)
    context = {
        "page": lists.paged(request, found),
        "search": search,
        "of": of,
        "requesters": queries.requesters_with_offers(now=now),
    }
    return show(request, operator, "hits", context)


@require_safe
@operator_required
def detail(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    now = clock.now()
    settle(now=now)
    hit = _find(hit_id)
    context = {
        "hit": hit,
        "is_on_offer": not hit.closed_at and hit.expires_at > now,
        "page": lists.paged(request, hit.assignments.select_related("worker").order_by("-id")),
    }
    return show(request, operator, "hit", context)


@require_safe
@operator_required
def preview(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    """Show the HIT in the frame in which workers preview it, to an operator who is no worker."""
    hit = _find(hit_id)
    return show(request, operator, "hit_preview", {"hit": hit, "frame_url": frames.preview_url(hit)})


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def take_down(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    hit = _find(hit_id)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        return ask(
            request,
            operator,
            title=f"Take down “{hit.hit_type.title}”?",
            text=[
                f"{hit.requester} offers it. From now on nobody can accept it; it counts as expired.",
                "Begun work may still be finished and submitted, and is reviewed and paid as always.",
                "The money held for the other places becomes available to the requester again.",
                "The requester may open it again, or post another. Closing the requester stops them all.",
            ],
            button="Take it down",
            back=reverse("desk:hit", args=[hit_id]),
            form=form,
            is_grave=True,
        )
    note = f"{hit_id} – {form.cleaned_data['reason']}"
    with doing(request, operator, TAKEN_DOWN, about=hit.requester.external_id, note=note):
        hit_endings.expire_hit(hit=hit, now=clock.now())
    return tell("The HIT is off offer.", "desk:hit", hit_id)


def _find(external_id: str) -> HIT:
    hit = HIT.objects.select_related("hit_type", "requester").filter(external_id=external_id).first()
    if not hit:
        raise Http404
    return hit
