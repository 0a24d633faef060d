"""The one mistake in the first questions that a worker is warned of, once."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from crowd.winoground.models import SecondChance
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


def second_chance_of(assignment: Assignment) -> SecondChance | None:
    return SecondChance.objects.select_related("item").filter(assignment=assignment.pk).first()


def give_second_chance(
    *, assignment: Assignment, item: Item, answer: Mapping[str, str], now: datetime
) -> SecondChance | None:
    """Fix the first answers, of two tabs the first one's, and warn of the item. None: already submitted."""
    with transaction.atomic():
        held = Assignment.objects.select_for_update(no_key=True).only("status").get(pk=assignment.pk)
        if held.status != Assignment.Status.OPENED:
            return None
        chance, _ = SecondChance.objects.get_or_create(
            assignment=assignment, defaults={"item": item, "first_answer": dict(answer), "at": now}
        )
    return chance
