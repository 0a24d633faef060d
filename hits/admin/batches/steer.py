"""What steering a batch or some HITs means and costs; and a form that is sent twice acts only once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from hits.admin.actions import Confirm
from hits.admin.page_parts import in_words
from hits.admin.sums import cost_in_words
from hits.batches.models import BatchEvent
from hits.common.currencies import sum_each
from hits.core.domain.counted_nouns import plural
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Batch
from hits.work import access
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

STEER = "hits.steer_batch"
Status = Batch.Status
HITStatus = HIT.Status
IN_FLIGHT = (Assignment.Status.OPENED, Assignment.Status.SAVED)
LONGEST_HOURS = 365 * 24
OVER_BUDGET = "That is more than is left. Raise the study's budget first, or ask for less."
CHANGED = "Another person changed this batch since you opened the page. Look at it again, then decide."


class HoursForm(forms.Form):
    hours = forms.IntegerField(
        min_value=1,
        max_value=LONGEST_HOURS,
        initial=24,
        help_text="Added to the end of starting.",
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


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a number means for some HITs, and the most it can cost."""

    words: Sequence[str]
    costs: Mapping[str, Decimal] = field(default_factory=dict)
    # The budget left. None: no budget, or several of them.
    left: Decimal | None = None

    def asked(self, confirm: Confirm) -> Confirm:
        # A budget is that of one study, whose batches have one currency.
        is_over_budget = self.left is not None and any(cost > self.left for cost in self.costs.values())
        return replace(
            confirm,
            consequences=[*confirm.consequences, *self.words],
            cost=cost_in_words(self.costs, left=self.left, at_most=True) if self.costs else "",
            problem=OVER_BUDGET if is_over_budget else "",
        )


def get_batch(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int) -> Batch:
    """The batch; 404 if it belongs to a study that this user may not see."""
    if not batches.has_view_permission(request):
        raise PermissionDenied
    seen = access.visible(Batch.objects.select_related("study", "account"), request.user)
    return get_object_or_404(seen, pk=batch_id)


def last_deed(batch_ids: Sequence[int]) -> int:
    """The last action that a page was made from: a user who acts after another one must look again first."""
    deeds = BatchEvent.objects.filter(batch__in=batch_ids, by__isnull=False).exclude(kind="exported")
    return deeds.order_by("-pk").values_list("pk", flat=True).first() or 0


def do_once(*, by: Any, batch_ids: Sequence[int], as_of: str | None, deed: Callable[[], Any]) -> Any:
    """Act once if a form is sent twice: the second sending waits for the first, and finds its event.

    The lock is on the person's own row, for batches and HITs have an order of locking of their own.
    Without `as_of` it is a button's action, which the service itself does once.
    """
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.pk)
        if as_of is not None and as_of != str(last_deed(batch_ids)):
            raise RuleBroken("changed_meanwhile", CHANGED)
        return deed()


def extend_facts(batches: Sequence[Batch], hits: QuerySet[HIT], *, hours: int) -> Facts:
    """The cost of more time: places that nobody took are open again and cost again.

    `batches`: all batches of these HITs.
    """
    by_key = {batch.pk: batch for batch in batches}
    taken = Assignment.objects.filter(hit=OuterRef("pk"), submitted_at__isnull=False).order_by()
    counted = Subquery(taken.values("hit").annotate(n=Count("pk")).values("n"), output_field=IntegerField())
    rows = hits.order_by().annotate(taken=Coalesce(counted, 0))
    groups = rows.values_list("batch_id", "status", "time_left", "max_assignments", "taken")
    costs: list[tuple[str, Decimal]] = []
    longer = 0
    for batch_id, status, time_left, size, filled, n in groups.annotate(n=Count("pk")):
        room = max(0, size - filled)
        longer += n if room else 0
        if status == HITStatus.CLOSED and time_left is None:
            costs.append(_cost(by_key[batch_id], n * room, size=size))
    words = [f"{plural(longer, 'HIT')} can be started for {in_words(3600 * hours)} longer."]
    if found := _costs(costs):
        words.append("HITs that are over and have places left open again.")
    return Facts(words=words, costs=found, left=_left(batches))


def places_facts(batches: Sequence[Batch], hits: QuerySet[HIT], *, places: int) -> Facts:
    """The highest cost of so many more places on each HIT. `batches`: all batches of these HITs."""
    by_key = {batch.pk: batch for batch in batches}
    sizes = hits.order_by().values_list("batch_id", "max_assignments").annotate(n=Count("pk"))
    costs, count = [], 0
    for batch_id, size, n in sizes:
        costs.append(_cost(by_key[batch_id], n * places, size=size))
        count += n
    words = [f"{plural(places, 'more place')} on each of {plural(count, 'HIT')}."]
    return Facts(words=words, costs=_costs(costs), left=_left(batches))


def _cost(batch: Batch, places: int, *, size: int) -> tuple[str, Decimal]:
    return batch.currency, places * batch.prices.place(assignments_per_hit=size)


def _costs(costs: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    return {currency: cost for currency, cost in sum_each(costs).items() if cost}


def _left(batches: Sequence[Batch]) -> Decimal | None:
    """The budget left of a single batch; None for several, which may have several budgets."""
    return batches[0].study.budget_left if len(batches) == 1 else None
