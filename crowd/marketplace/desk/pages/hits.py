"""HITs: the list, the page of one, and its preview."""

from collections.abc import Iterable
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from crowd.marketplace import clock, frames
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.responses import show
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import Operator, Requester
from crowd.marketplace.questions import is_framable
from crowd.marketplace.services.oversight import take_downs
from crowd.marketplace.services.work import settle

FILTER_NAMES = {"offer": "On offer", "ended": "Ended", "down": "Taken down", "all": "All"}


@require_safe
@operator_required
def index(request: HttpRequest, operator: Operator) -> HttpResponse:
    settle(now=clock.now())
    return show_list(request, operator)


def show_list(request: HttpRequest, operator: Operator, *, problem: str = "") -> HttpResponse:
    now = clock.now()
    search, only = lists.searched(request), request.GET.get("only", "")
    only = only if only in FILTER_NAMES else "offer"
    of = Requester.objects.filter(external_id=request.GET.get("requester", "").replace("\0", "")).first()
    page = lists.paged(request, queries.hits(now=now, search=search, only=only, of=of))
    rows = _with_states(page.object_list, now=now)
    context = {
        "problem": problem,
        "page": page,
        "rows": rows,
        "has_offers": any(is_on_offer(hit, now=now) for hit, _state in rows),
        "search": search,
        "only": only,
        "filters": FILTER_NAMES,
        "of": of,
        "requesters": queries.requesters_with_offers(now=now),
    }
    return show(request, operator, "hits", context, status=409 if problem else 200)


def _with_states(hits: Iterable[HIT], *, now: datetime) -> list[tuple[HIT, str]]:
    down = set(take_downs.latest_taken_down())

    def state_of(hit: HIT) -> str:
        if is_on_offer(hit, now=now):
            return "on offer"
        return "taken down" if hit.external_id in down else "ended"

    return [(hit, state_of(hit)) for hit in hits]


@require_safe
@operator_required
def detail(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    now = clock.now()
    settle(now=now)
    hit = find_hit(hit_id)
    context = {
        "hit": hit,
        "is_on_offer": is_on_offer(hit, now=now),
        "acts": take_downs.list_acts(hit),
        "page": lists.paged(request, hit.assignments.select_related("worker").order_by("-id")),
    }
    return show(request, operator, "hit", context)


@require_safe
@operator_required
def preview(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    """Show the HIT in the frame in which workers preview it, to an operator who is no worker."""
    hit = find_hit(hit_id)
    # Never a page of this very site, whatever a row holds.
    is_shown = not hit.external_url or is_framable(hit.external_url)
    context = {"hit": hit, "frame_url": frames.inspection_url(hit, now=clock.now()) if is_shown else ""}
    return show(request, operator, "hit_preview", context)


def is_on_offer(hit: HIT, *, now: datetime) -> bool:
    return not hit.closed_at and hit.expires_at > now


def find_hit(external_id: str) -> HIT:
    hit = HIT.objects.select_related("hit_type", "requester").filter(external_id=external_id).first()
    if not hit:
        raise Http404
    return hit
