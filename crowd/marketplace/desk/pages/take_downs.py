"""Taking HITs down, and ending the work that was begun on them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from crowd.marketplace import clock
from crowd.marketplace.desk.forms import EndWorkForm, TakeDownForm
from crowd.marketplace.desk.pages.hits import find_hit, is_on_offer
from crowd.marketplace.desk.responses import ask, doing, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services.oversight import take_downs as services
from crowd.marketplace.services.work import settle


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
    reason, ends_work = form.cleaned_data["reason"], form.cleaned_data.get("ends_work", False)
    note = f"{hit_id}{services.DASH}{reason}"
    with doing(request, operator, services.TAKEN_DOWN, about=hit.requester.external_id, note=note) as entry:
        told = services.take_down(
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
