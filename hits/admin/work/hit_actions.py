"""Actions that expire, extend or widen HITs, one by one or as a selection."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from hits.admin.actions import Action, Call, Confirm, Outcome, RowButton
from hits.admin.actions.action_pages import ActionPages
from hits.admin.batches.steer import (
    STEER,
    Facts,
    HoursForm,
    PlacesForm,
    do_once,
    extend_facts,
    last_deed,
    places_facts,
)
from hits.batches.services import batch_lifecycle
from hits.core.domain.counted_nouns import plural
from hits.identity.models.users import User
from hits.studies.models import Batch
from hits.work import access
from hits.work.models.hits import HIT

AT_PROVIDER = (HIT.Status.OPEN, HIT.Status.CLOSED)
NONE_THERE = "The provider has none of these HITs: there is nothing to change."
EXPIRED = (
    "Nobody can start them any more. Workers who have started may finish, and are paid.",
    "They can be opened again later: extend them.",
)


@dataclass(kw_only=True)
class SelectedHITs:
    """Some HITs, without those the provider lacks. A filter may find many: they are never read whole."""

    chosen: QuerySet[HIT]

    @property
    def hits(self) -> QuerySet[HIT]:
        return self.chosen.filter(status__in=AT_PROVIDER)

    @cached_property
    def counts(self) -> Mapping[int, int]:
        """The number of HITs by their batch's key."""
        return dict(self.hits.order_by().values_list("batch").annotate(n=Count("pk")))

    @property
    def count(self) -> int:
        return sum(self.counts.values())

    @property
    def batches(self) -> list[Batch]:
        return list(Batch.objects.filter(pk__in=[*self.counts]).select_related("study", "account"))


def offered_for(hit: HIT, *, user: User) -> list[RowButton]:
    """Actions offered for a HIT: only one that the provider has, and no expiry for one that is over."""
    pages: ActionPages[Any] = ActionPages(actions=VERBS, url=_address)
    offered = pages.offered(hit, user=user) if hit.status in AT_PROVIDER else []
    return [one for one in offered if one.key != "expire" or hit.status == HIT.Status.OPEN]


def pages_of(hits: admin.ModelAdmin[HIT]) -> ActionPages[SelectedHITs]:
    def find(request: HttpRequest, hit_id: int) -> list[SelectedHITs]:
        if not hits.has_view_permission(request):
            raise PermissionDenied
        hit = get_object_or_404(access.visible(HIT.objects.all(), request.user), pk=hit_id)
        return [SelectedHITs(chosen=HIT.objects.filter(pk=hit.pk))]

    return ActionPages(
        actions=VERBS,
        find=find,
        back=lambda found: reverse("admin:hits_hit_change", args=[found[0].chosen.get().pk]),
        shared=lambda _: {"trail": [("HITs", reverse("admin:hits_hit_changelist"))]},
    )


def _address(hit: HIT, verb: str) -> str:
    return reverse("admin:hits_hit_steer", args=[hit.pk, verb])


def _is_nothing_there(call: Call[SelectedHITs]) -> str:
    return "" if call.row.counts else NONE_THERE


def _ask(call: Call[SelectedHITs], *, question: str, facts: Callable[..., Facts]) -> Confirm:
    selected = call.row
    about = Confirm(title=question, hidden=[("as_of", f"{last_deed([*selected.counts])}-{selected.count}")])
    return facts(selected, **call.values).asked(about)


def _of_how_many(selected: SelectedHITs) -> str:
    batches = len(selected.counts)
    return f"{plural(selected.count, 'HIT')} of {batches} batch{'' if batches == 1 else 'es'}."


def _do(call: Call[SelectedHITs], *, deed: Callable[..., Any]) -> Outcome:
    selected = call.row
    as_of, _, count = call.sent.get("as_of", "").partition("-")
    # A selection by filters may hold other rows now than when it was counted.
    as_of = as_of if count == str(selected.count) else ""
    done = do_once(
        by=call.by,
        batch_ids=[*selected.counts],
        as_of=as_of,
        deed=partial(deed, hits=selected.hits, by=call.by, now=call.now, **call.values),
    )
    return Outcome(said=f"{plural(done or 0, 'change')} on the way to the provider.")


def _verb(
    label: str,
    *,
    question: str,
    deed: Callable[..., Any],
    facts: Callable[..., Facts],
    form: type[forms.Form] | None = None,
) -> Action[SelectedHITs]:
    """An action that asks for a number first, if it needs one, then shows what it means."""
    return Action(
        label=label,
        permissions=[STEER],
        refuses=_is_nothing_there,
        form=(lambda data, _: form(data)) if form else None,
        two_steps=form is not None,
        needs_confirmed=True,
        is_grave=form is None,
        confirm=partial(_ask, question=question, facts=facts),
        run=partial(_do, deed=deed),
    )


def _expiring(selected: SelectedHITs) -> Facts:
    return Facts(words=[_of_how_many(selected), *EXPIRED])


def _extending(selected: SelectedHITs, *, hours: int | None = None) -> Facts:
    if hours is None:
        return Facts(words=[_of_how_many(selected)])
    return extend_facts(selected.batches, selected.hits, hours=hours)


def _widening(selected: SelectedHITs, *, places: int | None = None) -> Facts:
    if places is None:
        return Facts(words=[_of_how_many(selected)])
    return places_facts(selected.batches, selected.hits, places=places)


def _extend(*, hours: int, **given: Any) -> int:
    return batch_lifecycle.extend_hits(seconds=3600 * hours, **given)


VERBS: Mapping[str, Action[SelectedHITs]] = {
    "expire": _verb(
        "Expire", question="Expire these HITs?", facts=_expiring, deed=batch_lifecycle.expire_hits
    ),
    "extend": _verb(
        "Extend",
        question="Give workers more time to start?",
        form=HoursForm,
        facts=_extending,
        deed=_extend,
    ),
    "add-places": _verb(
        "Add places",
        question="Ask more workers for each HIT?",
        form=PlacesForm,
        facts=_widening,
        deed=batch_lifecycle.add_places,
    ),
}
