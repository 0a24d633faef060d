"""The verbs on a batch that runs: each a button, or a page that says what it does before it is done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits import access, domain
from hits.admin.actions import Confirm
from hits.admin.parts import in_words
from hits.admin.sums import cost_in_words
from hits.errors import RuleBroken
from hits.models import HIT, Assignment, Batch, BatchEvent, User
from hits.queries.live import Posting, posting_of
from hits.services import steering

STEER = "hits.steer_batch"
Status = Batch.Status
HITStatus = HIT.Status
IN_FLIGHT = (Assignment.Status.OPENED, Assignment.Status.SAVED)
LONGEST_HOURS = 365 * 24
OVER_BUDGET = "That is more than is left. Raise the study's budget first, or ask for less."
CHANGED = "Somebody did something to this batch since you opened the page. Look at it again, then decide."


@dataclass(frozen=True, kw_only=True)
class Verb:
    """`form` asks for a number first; `warns` shows what cannot be taken back; else a button is enough."""

    label: str
    statuses: Sequence[Status]
    done: str
    question: str = ""
    form: type[forms.Form] | None = None
    warns: bool = False

    @property
    def asks(self) -> bool:
        return self.warns or self.form is not None


class HoursForm(forms.Form):
    hours = forms.IntegerField(
        min_value=1, max_value=LONGEST_HOURS, initial=24, help_text="Added to the time when starting ends."
    )


class CountForm(forms.Form):
    count = forms.IntegerField(label="HITs", min_value=1, max_value=100_000, initial=1)


class PlacesForm(forms.Form):
    places = forms.IntegerField(
        label="More places on each HIT",
        min_value=1,
        max_value=1000,
        initial=1,
        help_text="A HIT of fewer than ten places cannot grow to ten or more: providers charge it otherwise.",
    )


RUNNING = (Status.LAUNCHING, Status.OPEN, Status.PAUSED, Status.PAUSED_FUNDS)
GROWING = (*RUNNING, Status.COMPLETE)
VERBS: Mapping[str, Verb] = {
    "resume": Verb(
        label="Resume", statuses=(Status.PAUSED, Status.PAUSED_FUNDS), done="Resumed: the rest is on its way."
    ),
    "release-pilot": Verb(
        label="Send the rest",
        statuses=(Status.LAUNCHING, Status.OPEN, Status.PAUSED, Status.PAUSED_FUNDS),
        done="The rest of the HITs is on its way.",
    ),
    "pause": Verb(
        label="Pause",
        statuses=(Status.LAUNCHING, Status.OPEN),
        done="Paused: nothing more is sent, and nobody new starts. Work in progress still counts.",
    ),
    "extend": Verb(
        label="Extend",
        statuses=GROWING,
        done="The HITs stay open longer.",
        question="Give workers more time to start?",
        form=HoursForm,
    ),
    "add-hits": Verb(
        label="Add HITs",
        statuses=GROWING,
        done="More HITs are on their way.",
        question="Add more HITs?",
        form=CountForm,
    ),
    "add-places": Verb(
        label="Add places",
        statuses=GROWING,
        done="More places are on their way.",
        question="Ask more workers for each HIT?",
        form=PlacesForm,
    ),
    "drain": Verb(
        label="Drain",
        statuses=RUNNING,
        done="Draining: nobody starts any more, and the batch ends when the last work is in.",
        question="Drain the batch?",
        warns=True,
    ),
    "cancel": Verb(
        label="Cancel",
        statuses=RUNNING,
        done="Cancelled: nobody starts any more.",
        question="Cancel the batch?",
        warns=True,
    ),
}


def urls(batches: admin.ModelAdmin[Batch]) -> list[URLPattern]:
    view = batches.admin_site.admin_view(partial(steer_view, batches))
    return [path("<int:batch_id>/steer/<slug:verb>/", view, name="hits_batch_steer")]


def verbs_of(batch: Batch, *, posting: Posting) -> list[dict[str, object]]:
    """What may be done to it as it stands, for the buttons; the services decide in the end."""
    # What a person has paused is opened again by resuming, and by nothing else.
    is_held = batch.status == Status.PAUSED and not batch.problem
    return [
        {"key": key, "verb": verb, "url": reverse("admin:hits_batch_steer", args=[batch.pk, key])}
        for key, verb in VERBS.items()
        if batch.status in verb.statuses
        and (key != "release-pilot" or posting.held_back)
        and (key not in ("extend", "add-places") or not is_held)
    ]


def steer_view(
    batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int, verb: str
) -> HttpResponse:
    batch = get_batch(batches, request, batch_id)
    if not request.user.has_perm(STEER):
        raise PermissionDenied
    if verb not in VERBS:
        raise Http404
    asked = VERBS[verb]
    # `confirmed` says that the page with the consequences was seen; a form from elsewhere lands there.
    if request.method == "POST" and ("confirmed" in request.POST or not asked.asks):
        answer = _form(asked, request.POST)
        if answer is None or answer.is_valid():
            return _steer(request, batch, verb, **(answer.cleaned_data if answer else {}))
    return _ask(batches, request, batch, verb)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a number means for some HITs, and what it costs at most."""

    words: Sequence[str]
    cost: Decimal = Decimal(0)
    # None: no budget, or several of them.
    left: Decimal | None = None

    def asked(self, confirm: Confirm) -> Confirm:
        is_over_budget = self.left is not None and self.cost > self.left
        return replace(
            confirm,
            consequences=[*confirm.consequences, *self.words],
            cost=cost_in_words(self.cost, left=self.left, at_most=True) if self.cost else "",
            problem=OVER_BUDGET if is_over_budget else "",
        )


def get_batch(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int) -> Batch:
    """A batch of somebody else's study does not exist for who may not see it."""
    if not batches.has_view_permission(request):
        raise PermissionDenied
    seen = access.visible(Batch.objects.select_related("study", "account"), request.user)
    return get_object_or_404(seen, pk=batch_id)


def last_deed(batch_ids: Sequence[int]) -> int:
    """What a page was made from: whoever acts on it after somebody else's deed looks again first."""
    deeds = BatchEvent.objects.filter(batch__in=batch_ids, by__isnull=False).exclude(kind="exported")
    return deeds.order_by("-pk").values_list("pk", flat=True).first() or 0


def do_once(*, by: Any, batch_ids: Sequence[int], as_of: str | None, deed: Callable[[], Any]) -> Any:
    """A form sent twice does it once: its second sending waits for the first, and finds its event.

    The person's own row is what they wait on: batches and HITs have an order of locking of their own.
    Without `as_of` it is a button's deed, which the service itself does once.
    """
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.pk)
        if as_of is not None and as_of != str(last_deed(batch_ids)):
            raise RuleBroken("changed_meanwhile", CHANGED)
        return deed()


def _steer(request: HttpRequest, batch: Batch, verb: str, **numbers: int) -> HttpResponse:
    as_of = request.POST.get("as_of", "") if VERBS[verb].asks else None
    try:
        do_once(
            by=request.user,
            batch_ids=[batch.pk],
            as_of=as_of,
            deed=lambda: _do(request, batch, verb, **numbers),
        )
    except RuleBroken as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, VERBS[verb].done)
    return redirect("admin:hits_batch_live", batch.pk)


def _do(request: HttpRequest, batch: Batch, verb: str, **numbers: int) -> None:
    common: dict[str, Any] = {"by": request.user, "now": timezone.now()}
    hits = hits_to_steer(batch)
    if verb == "extend":
        steering.extend_hits(hits=hits, seconds=3600 * numbers["hours"], **common)
    elif verb == "add-places":
        steering.add_places(hits=hits, places=numbers["places"], **common)
    elif verb == "add-hits":
        steering.add_hits(batch=batch, count=numbers["count"], **common)
    else:
        simple = {
            "pause": steering.pause_batch,
            "resume": steering.resume_batch,
            "release-pilot": steering.release_pilot,
            "drain": steering.drain_batch,
            "cancel": steering.cancel_batch,
        }
        simple[verb](batch=batch, **common)


def hits_to_steer(batch: Batch) -> QuerySet[HIT]:
    """Those that the provider has."""
    return HIT.objects.filter(batch=batch, status__in=(HITStatus.OPEN, HITStatus.CLOSED))


def _ask(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch: Batch, verb: str) -> HttpResponse:
    asked = VERBS[verb]
    form = _form(asked, request.POST if request.method == "POST" else None)
    is_checked = form is None or (form.is_bound and form.is_valid())
    posting = posting_of(batch)
    numbers = form.cleaned_data if form is not None and is_checked else {}
    facts = _consequences(batch, verb, posting=posting, **numbers)
    context = {
        **batches.admin_site.each_context(request),
        "title": asked.question or f"{asked.label}?",
        "batch": batch,
        "form": form,
        "is_checked": is_checked,
        "button": asked.label,
        "warns": asked.warns,
        "as_of": last_deed([batch.pk]),
        "back": reverse("admin:hits_batch_live", args=[batch.pk]),
        "facts": facts.asked(Confirm()),
    }
    return TemplateResponse(request, "admin/hits/steer.html", context)


def _consequences(batch: Batch, verb: str, *, posting: Posting, **numbers: int) -> Facts:
    if verb in ("drain", "cancel"):
        return Facts(words=_what_ending_does(batch, verb, posting))
    if not numbers:
        return Facts(words=_what_is(batch, verb, posting))
    if verb == "extend":
        return extend_facts([batch], hits_to_steer(batch), hours=numbers["hours"])
    if verb == "add-hits":
        sizes = batch.sizes * numbers["count"]
        cost = domain.cost_of(sizes, prices=batch.prices).total
        words = [f"{plural(len(sizes), 'HIT')} with {plural(sum(sizes), 'place')} in all."]
        return Facts(words=words, cost=cost, left=batch.study.budget_left)
    return places_facts([batch], hits_to_steer(batch), places=numbers["places"])


def _what_is(batch: Batch, verb: str, posting: Posting) -> list[str]:
    if verb == "add-hits":
        return [
            f"The batch has {plural(posting.intended, 'HIT')} now.",
            f"Each one more asks {plural(batch.assignments_per_hit, 'worker')}.",
        ]
    return [f"This is about {plural(posting.open + posting.closed, 'HIT')} that the provider has."]


def _what_ending_does(batch: Batch, verb: str, posting: Posting) -> list[str]:
    working = Assignment.objects.filter(hit__batch=batch, status__in=IN_FLIGHT).count()
    end = "cancelled" if verb == "cancel" else "complete"
    return [
        f"Nobody can start any more. HITs expired at the provider: {posting.open}.",
        f"HITs not sent yet, which are withdrawn: {posting.unsent}.",
        f"Whoever is at work may finish, and is paid. Assignments in progress: {working}.",
        f"What was handed in stays, and is paid. Set aside for this batch: ${batch.reserved:.2f}.",
        "What of that is not needed goes back to the study's budget.",
        f"The batch then ends as {end}. This cannot be taken back.",
    ]


def extend_facts(batches: Sequence[Batch], hits: QuerySet[HIT], *, hours: int) -> Facts:
    """Places that nobody took before the end are open again, and cost again. `batches`: all of these."""
    prices = {batch.pk: batch.prices for batch in batches}
    taken = Assignment.objects.filter(hit=OuterRef("pk"), submitted_at__isnull=False).order_by()
    counted = Subquery(taken.values("hit").annotate(n=Count("pk")).values("n"), output_field=IntegerField())
    rows = hits.order_by().annotate(taken=Coalesce(counted, 0))
    groups = rows.values_list("batch_id", "status", "time_left", "max_assignments", "taken")
    cost, longer = Decimal(0), 0
    for batch_id, status, time_left, size, filled, n in groups.annotate(n=Count("pk")):
        room = max(0, size - filled)
        longer += n if room else 0
        if status == HITStatus.CLOSED and time_left is None:
            cost += n * room * prices[batch_id].place(assignments_per_hit=size)
    words = [f"{plural(longer, 'HIT')} can be started for {in_words(3600 * hours)} longer."]
    if cost:
        words.append("HITs that are over and have places left open again.")
    return Facts(words=words, cost=cost, left=_left(batches))


def places_facts(batches: Sequence[Batch], hits: QuerySet[HIT], *, places: int) -> Facts:
    """What so many more places on each of these HITs cost at most. `batches`: all that the HITs are of."""
    prices = {batch.pk: batch.prices for batch in batches}
    sizes = hits.order_by().values_list("batch_id", "max_assignments").annotate(n=Count("pk"))
    cost, count = Decimal(0), 0
    for batch_id, size, n in sizes:
        cost += n * places * prices[batch_id].place(assignments_per_hit=size)
        count += n
    words = [f"{plural(places, 'more place')} on each of {plural(count, 'HIT')}."]
    return Facts(words=words, cost=cost, left=_left(batches))


def _left(batches: Sequence[Batch]) -> Decimal | None:
    """Several batches may have several budgets: the cost stands alone then."""
    return batches[0].study.budget_left if len(batches) == 1 else None


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _form(verb: Verb, data: Any) -> forms.Form | None:
    return verb.form(data) if verb.form else None
