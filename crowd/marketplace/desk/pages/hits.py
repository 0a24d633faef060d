"""HITs: the list, the page of one, its preview, and taking one down."""

from collections.abc import Iterable
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from crowd.marketplace import clock, frames
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.forms import EndWorkForm, TakeDownForm
from crowd.marketplace.desk.responses import ask, doing, show, tell
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
    now = clock.now()
    settle(now=now)
    search, only = lists.searched(request), request.GET.get("only", "")
    only = only if only in FILTER_NAMES else "offer"
    of = Requester.objects.filter(external_id=request.GET.get("requester", "").replace("\0", "")).first()
    page = lists.paged(request, queries.hits(now=now, search=search, only=only, of=of))
    context = {
        "page": page,
        "rows": _with_states(page.object_list, now=now),
        "search": search,
        "only": only,
        "filters": FILTER_NAMES,
        "of": of,
        "requesters": queries.requesters_with_offers(now=now),
    }
    return show(request, operator, "hits", context)


def _with_states(hits: Iterable[HIT], *, now: datetime) -> list[tuple[HIT, str]]:
    down = set(take_downs.latest_taken_down())

    def state_of(hit: HIT) -> str:
        if _is_on_offer(hit, now=now):
            return "on offer"
        return "taken down" if hit.external_id in down else "ended"

    return [(hit, state_of(hit)) for hit in hits]


@require_safe
@operator_required
def detail(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    now = clock.now()
    settle(now=now)
    hit = _find(hit_id)
    context = {
        "hit": hit,
        "is_on_offer": _is_on_offer(hit, now=now),
        "acts": take_downs.list_acts(hit),
        "page": lists.paged(request, hit.assignments.select_related("worker").order_by("-id")),
    }
    return show(request, operator, "hit", context)


@require_safe
@operator_required
def preview(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    """Show the HIT in the frame in which workers preview it, to an operator who is no worker."""
    hit = _find(hit_id)
    # Never a page of this very site, whatever a row holds.
    is_shown = not hit.external_url or is_framable(hit.external_url)
    context = {"hit": hit, "frame_url": frames.look_url(hit, now=clock.now()) if is_shown else ""}
    return show(request, operator, "hit_preview", context)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def take_down(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    settle(now=clock.now())
    hit = _find(hit_id)
    if request.method != "POST" and not _is_on_offer(hit, now=clock.now()):
        return redirect("desk:hit", hit_id)  # it has ended since the page with the button was read
    form = TakeDownForm(request.POST or None, has_begun=bool(hit.pending))
    if not form.is_valid():
        return ask(
            request,
            operator,
            title=f"Take down “{hit.hit_type.title}”?",
            text=[
                f"{hit.requester} offers it. From now on nobody can accept it; it counts as expired.",
                *_say_begun(hit),
                "The money held for the other places becomes available to the requester again.",
                "The requester may open it again, or post another. Closing the requester stops them all.",
            ],
            button="Take it down",
            back=reverse("desk:hit", args=[hit_id]),
            form=form,
            is_grave=True,
        )
    reason, ends_work = form.cleaned_data["reason"], form.cleaned_data.get("ends_work", False)
    note = f"{hit_id}{take_downs.DASH}{reason}"
    with doing(request, operator, take_downs.TAKEN_DOWN, about=hit.requester.external_id, note=note) as entry:
        told = take_downs.take_down(
            hit=hit,
            reason=reason,
            tells_workers=form.cleaned_data.get("tells_reason", False),
            tells_requester=form.cleaned_data["tells_requester"],
            ends_work=ends_work,
            now=clock.now(),
        )
        if ends_work:
            entry.note = f"{note} (begun work ended: {told})"
    told_words = f" {told} worker{pluralize(told)} who had begun it {'is' if told == 1 else 'are'} told."
    return tell(f"The HIT is taken down.{told_words if told else ''}", "desk:hit", hit_id)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def end_work(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    """End what was begun before the HIT ended."""
    settle(now=clock.now())
    hit = _find(hit_id)
    if request.method != "POST" and (not hit.pending or _is_on_offer(hit, now=clock.now())):
        return redirect("desk:hit", hit_id)
    form = EndWorkForm(request.POST or None)
    if not form.is_valid():
        return ask(
            request,
            operator,
            title=f"End the work that was begun on “{hit.hit_type.title}”?",
            text=[
                f"The HIT is over, and workers may still submit what they have begun: {hit.pending}.",
                "That ends now. What they have entered is lost and not paid; it does not count against them.",
                "Each gets a message. What was submitted already is reviewed as always.",
            ],
            button="End the work",
            back=reverse("desk:hit", args=[hit_id]),
            form=form,
            is_grave=True,
        )
    reason = form.cleaned_data["reason"]
    note = f"{hit_id}{take_downs.DASH}{reason}"
    with doing(request, operator, take_downs.WORK_ENDED, about=hit.requester.external_id, note=note) as entry:
        told = take_downs.end_work(
            hit=hit, reason=reason, tells_workers=form.cleaned_data["tells_reason"], now=clock.now()
        )
        entry.note = f"{note} (workers: {told})"
    is_told = f"{told} worker{pluralize(told)} {'is' if told == 1 else 'are'} told."
    return tell(f"The begun work has ended. {is_told}", "desk:hit", hit_id)


def _say_begun(hit: HIT) -> list[str]:
    if not hit.pending:
        return ["Nobody is working on it."]
    return [
        f"Workers who have begun it: {hit.pending}. Each gets a message that it was taken down.",
        "They may still submit it, and it is reviewed and paid as always, unless you end it below.",
    ]


def _is_on_offer(hit: HIT, *, now: datetime) -> bool:
    return not hit.closed_at and hit.expires_at > now


def _find(external_id: str) -> HIT:
    hit = HIT.objects.select_related("hit_type", "requester").filter(external_id=external_id).first()
    if not hit:
        raise Http404
    return hit
