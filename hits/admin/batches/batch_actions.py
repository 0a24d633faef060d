"""The verbs on a running batch: each is a button, or a page that says first what it does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits.admin.actions import Action, Call, Confirm, Outcome, RowButton, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.batches.steer import (
    IN_FLIGHT,
    STEER,
    CountForm,
    Facts,
    HoursForm,
    PlacesForm,
    do_once,
    extend_facts,
    get_batch,
    last_deed,
    places_facts,
)
from hits.admin.page_parts import batch_trail
from hits.batches.queries.live_figures import Posting, posting_of
from hits.batches.services import batch_lifecycle
from hits.common.currencies import in_money
from hits.core.domain import money
from hits.core.domain.counted_nouns import plural
from hits.identity.models.users import User
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

Status = Batch.Status
RUNNING = (Status.LAUNCHING, Status.OPEN, Status.PAUSED, Status.PAUSED_FUNDS)
GROWING = (*RUNNING, Status.COMPLETE)


@dataclass(kw_only=True)
class SteeredBatch:
    """A batch and the state of its HITs."""

    batch: Batch
    known: Posting | None = None

    @cached_property
    def posting(self) -> Posting:
        return self.known or posting_of(self.batch, now=timezone.now())

    @property
    def hits(self) -> Any:
        """HITs that the provider has."""
        return HIT.objects.filter(batch=self.batch, status__in=(HIT.Status.OPEN, HIT.Status.CLOSED))

    @property
    def is_held(self) -> bool:
        """Whether a person has paused the batch: resuming opens it again, and nothing else does."""
        return self.batch.status == Status.PAUSED and not self.batch.problem


def offered_for(batch: Batch, *, posting: Posting, user: User) -> Sequence[RowButton]:
    """Actions that the batch's state allows; the services decide in the end."""
    steered = SteeredBatch(batch=batch, known=posting)
    return ActionPages(actions=VERBS, url=_address).offered(steered, user=user)


def urls(batches: admin.ModelAdmin[Batch]) -> list[URLPattern]:
    view = batches.admin_site.admin_view(partial(steer_view, batches))
    return [path("<int:batch_id>/steer/<slug:verb>/", view, name="hits_batch_steer")]


def steer_view(
    batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int, verb: str
) -> HttpResponse:
    pages = ActionPages(
        actions=VERBS,
        find=lambda request, batch_id: [SteeredBatch(batch=get_batch(batches, request, batch_id))],
        back=lambda found: reverse("admin:hits_batch_live", args=[found[0].batch.pk]),
        shared=lambda found: {"trail": batch_trail(found[0].batch)},
    )
    return pages.answer(request, verb, batch_id=batch_id)


def _address(steered: SteeredBatch, verb: str) -> str:
    return reverse("admin:hits_batch_steer", args=[steered.batch.pk, verb])


def _about(call: Call[SteeredBatch], *, title: str, button: str = "") -> Confirm:
    batch = call.row.batch
    return Confirm(
        title=title,
        text=emphasize("Batch {} of {} on {}.", batch.title, batch.study, batch.account),
        button=button,
        hidden=[("as_of", last_deed([batch.pk]))],
    )


def _do(call: Call[SteeredBatch], *, deed: Callable[..., Any], done: str, is_asked: bool) -> Outcome:
    """Do what a button or a confirmed page asked for; the latter only if nothing has changed meanwhile."""
    batch = call.row.batch
    do_once(
        by=call.by,
        batch_ids=[batch.pk],
        as_of=call.sent.get("as_of", "") if is_asked else None,
        deed=partial(deed, call.row, by=call.by, now=call.now, **call.values),
    )
    return Outcome(said=done)


def _of_batch(service: Callable[..., Any]) -> Callable[..., Any]:
    return lambda steered, **given: service(batch=steered.batch, **given)


def _button(
    label: str,
    *,
    service: Callable[..., Any],
    done: str,
    statuses: Sequence[Status],
    offered: Callable[[SteeredBatch], bool] = lambda _: True,
) -> Action[SteeredBatch]:
    return Action(
        label=label,
        permissions=[STEER],
        one_click=True,
        offered=lambda steered: steered.batch.status in statuses and offered(steered),
        confirm=partial(_ask_at_once, title=f"{label}?"),
        run=partial(_do, deed=_of_batch(service), done=done, is_asked=False),
    )


def _ask_at_once(call: Call[SteeredBatch], *, title: str) -> Confirm:
    return Facts(words=[_hits_there(call.row)]).asked(_about(call, title=title))


def _ending(label: str, *, service: Callable[..., Any], done: str, end: str) -> Action[SteeredBatch]:
    return Action(
        label=label,
        permissions=[STEER],
        offered=lambda steered: steered.batch.status in RUNNING,
        needs_confirmed=True,
        is_grave=True,
        confirm=partial(_ask_to_end, label=label, end=end),
        run=partial(_do, deed=_of_batch(service), done=done, is_asked=True),
    )


def _ask_to_end(call: Call[SteeredBatch], *, label: str, end: str) -> Confirm:
    about = _about(call, title=f"{label} the batch?", button=f"{label} the batch")
    batch, posting = call.row.batch, call.row.posting
    working = Assignment.objects.filter(hit__batch=batch, status__in=IN_FLIGHT).count()
    set_aside = in_money(batch.reserved, batch.currency)
    words = [
        f"Nobody can start any more. HITs expired at the provider: {posting.open}.",
        f"HITs not sent yet, which are withdrawn: {posting.unsent}.",
        f"Workers who have started may finish, and are paid. Assignments in progress: {working}.",
        f"Submitted work stays, and is paid. Set aside for this batch: {set_aside}.",
        "The part that is not needed goes back to the study's budget.",
        f"The batch then ends as {end}. This cannot be taken back.",
    ]
    return Facts(words=words).asked(replace(about, back="Keep it"))


def _growing(
    label: str,
    *,
    question: str,
    form: type[forms.Form],
    first: Callable[[SteeredBatch], Sequence[str]],
    facts: Callable[..., Facts],
    deed: Callable[..., Any],
    done: str,
    offered: Callable[[SteeredBatch], bool] = lambda _: True,
) -> Action[SteeredBatch]:
    """An action that asks for a number first, then shows what it means."""

    def ask(call: Call[SteeredBatch]) -> Confirm:
        found = facts(call.row, **call.values) if call.values else Facts(words=first(call.row))
        return found.asked(_about(call, title=question))

    return Action(
        label=label,
        permissions=[STEER],
        offered=lambda steered: steered.batch.status in GROWING and offered(steered),
        form=lambda data, _: form(data),
        two_steps=True,
        confirm=ask,
        run=partial(_do, deed=deed, done=done, is_asked=True),
    )


def _hits_there(steered: SteeredBatch) -> str:
    count = steered.posting.open + steered.posting.closed
    return f"This is about {plural(count, 'HIT')} that the provider has."


def _hits_now(steered: SteeredBatch) -> list[str]:
    return [
        f"The batch has {plural(steered.posting.intended, 'HIT')} now.",
        f"Each one more asks {plural(steered.batch.assignments_per_hit, 'worker')}.",
    ]


def _hits_more(steered: SteeredBatch, *, count: int) -> Facts:
    batch = steered.batch
    sizes = batch.sizes * count
    words = [f"{plural(len(sizes), 'HIT')} with {plural(sum(sizes), 'place')} in all."]
    cost = money.cost_of(sizes, prices=batch.prices).total
    return Facts(words=words, costs={batch.currency: cost} if cost else {}, left=batch.study.budget_left)


def _extend(steered: SteeredBatch, *, hours: int, **given: Any) -> None:
    batch_lifecycle.extend_hits(hits=steered.hits, seconds=3600 * hours, **given)


def _add_places(steered: SteeredBatch, *, places: int, **given: Any) -> None:
    batch_lifecycle.add_places(hits=steered.hits, places=places, **given)


VERBS: Mapping[str, Action[SteeredBatch]] = {
    "resume": _button(
        "Resume",
        service=batch_lifecycle.resume_batch,
        statuses=(Status.PAUSED, Status.PAUSED_FUNDS),
        done="Resumed: the rest is on its way.",
    ),
    "release-pilot": _button(
        "Send the rest",
        service=batch_lifecycle.release_pilot,
        statuses=RUNNING,
        offered=lambda steered: bool(steered.posting.held_back),
        done="The rest of the HITs is on its way.",
    ),
    "pause": _button(
        "Pause",
        service=batch_lifecycle.pause_batch,
        statuses=(Status.LAUNCHING, Status.OPEN),
        done="Paused: nothing more is sent, and no further worker starts. Work in progress still counts.",
    ),
    "extend": _growing(
        "Extend",
        question="Give workers more time to start?",
        form=HoursForm,
        first=lambda steered: [_hits_there(steered)],
        facts=lambda steered, hours: extend_facts([steered.batch], steered.hits, hours=hours),
        deed=_extend,
        offered=lambda steered: not steered.is_held,
        done="The HITs stay open longer.",
    ),
    "add-hits": _growing(
        "Add HITs",
        question="Add more HITs?",
        form=CountForm,
        first=_hits_now,
        facts=_hits_more,
        deed=_of_batch(batch_lifecycle.add_hits),
        done="More HITs are on their way.",
    ),
    "add-places": _growing(
        "Add places",
        question="Ask more workers for each HIT?",
        form=PlacesForm,
        first=lambda steered: [_hits_there(steered)],
        facts=lambda steered, places: places_facts([steered.batch], steered.hits, places=places),
        deed=_add_places,
        offered=lambda steered: not steered.is_held,
        done="More places are on their way.",
    ),
    "drain": _ending(
        "Drain",
        service=batch_lifecycle.drain_batch,
        end="complete",
        done="Draining: no new work starts, and the batch ends when the last work is in.",
    ),
    "cancel": _ending(
        "Cancel",
        service=batch_lifecycle.cancel_batch,
        end="cancelled",
        done="Cancelled: nobody starts any more.",
    ),
}
