"""Taking HITs down, and ending the work that was begun on them."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from crowd.marketplace import clock
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.forms import EndWorkForm, TakeDownForm
from crowd.marketplace.desk.pages.hits import find_hit, is_on_offer, show_list
from crowd.marketplace.desk.responses import ask, doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services.oversight import take_downs as services
from crowd.marketplace.services.work import settle

NONE_TICKED = (
    "Nothing was done, because no HIT on offer is ticked. Tick HITs in the list, and press again. Ticks "
    "count on the page that shows them, and go with another search."
)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def take_down(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    settle(now=clock.now())
    hit = find_hit(hit_id)
    if request.method != "POST" and not is_on_offer(hit, now=clock.now()):
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
    told = _carry_out(request, operator, hit, form)
    told_words = f" {told} worker{pluralize(told)} who had begun it {'is' if told == 1 else 'are'} told."
    return tell(f"The HIT is taken down.{told_words if told else ''}", "desk:hit", hit_id)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def take_down_several(request: HttpRequest, operator: Operator) -> HttpResponse:
    """Ask about the HITs that are ticked in the list, and then take each down for the same reason."""
    if request.method != "POST":
        return redirect(f"{reverse('desk:hits')}?{request.GET.urlencode()}")
    settle(now=clock.now())
    hits = _ticked(request)
    if not hits:
        return show_list(request, operator, problem=NONE_TICKED)
    is_asked = "reason" in request.POST
    form = TakeDownForm(request.POST if is_asked else None, has_begun=any(hit.pending for hit in hits))
    if not form.is_valid():
        context = {"hits": hits, "begun": sum(hit.pending for hit in hits), "form": form}
        return show(request, operator, "hits_take_down", context, status=422 if form.errors else 200)
    told, left_out = 0, 0
    for hit in hits:  # each for itself, so that no HIT is locked while another is taken down
        try:
            told += _carry_out(request, operator, hit, form, part=hit.external_id)
        except RuleBroken:  # over since the page was read
            left_out += 1
    return tell(_say_done(len(hits) - left_out, told=told, left_out=left_out), "desk:hits")


def _ticked(request: HttpRequest) -> Sequence[HIT]:
    ids = [one for one in request.POST.getlist("hit") if queries.AN_ID.fullmatch(one)]
    return list(queries.hits_on_offer(now=clock.now()).filter(external_id__in=ids[: lists.ROWS_ON_A_PAGE]))


def _carry_out(
    request: HttpRequest, operator: Operator, hit: HIT, form: TakeDownForm, *, part: str = ""
) -> int:
    """Take a HIT down as the form says; return how many workers are told."""
    wish, about = form.cleaned_data, hit.requester.external_id
    note = f"{hit.external_id}{services.DASH}{wish['reason']}"
    with doing(request, operator, services.TAKEN_DOWN, about=about, note=note, part=part) as entry:
        told = services.take_down(
            hit=hit,
            reason=wish["reason"],
            tells_workers=wish.get("tells_reason", False),
            tells_requester=wish["tells_requester"],
            ends_work=wish.get("ends_work", False),
            now=clock.now(),
        )
        if wish.get("ends_work"):
            entry.note = f"{note} (begun work ended: {told})"
    return told


def _say_done(done: int, *, told: int, left_out: int) -> str:
    words = [f"{done} HIT{pluralize(done)} {'is' if done == 1 else 'are'} taken down."]
    if told:
        words.append(f"{told} worker{pluralize(told)} who had begun {'is' if told == 1 else 'are'} told.")
    if left_out:
        words.append(f"{left_out} {'was' if left_out == 1 else 'were'} over already.")
    return " ".join(words)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def end_work(request: HttpRequest, operator: Operator, hit_id: str) -> HttpResponse:
    """End what was begun before the HIT ended."""
    settle(now=clock.now())
    hit = find_hit(hit_id)
    if request.method != "POST" and (not hit.pending or is_on_offer(hit, now=clock.now())):
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
    note = f"{hit_id}{services.DASH}{reason}"
    with doing(request, operator, services.WORK_ENDED, about=hit.requester.external_id, note=note) as entry:
        told = services.end_work(
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
