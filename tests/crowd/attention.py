"""Attention items of any task, for the tests of its family."""

from collections.abc import Callable, Iterable
from unittest.mock import patch

from hits import families
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services import leasing
from hits.work.services.attention_items import KnownChoice, know_answers
from scoring.quality.attention_shares import Attention
from scoring.queries.attention_candidates import candidates
from scoring.queries.judged_answers import judged_crowd
from tests.factories import NOW, make_user


def take_over(batch: Batch, *, least: int = 2) -> set[int]:
    """Make attention items of what people answered alike; return their keys."""
    study, task = batch.study, families.get(batch.task)
    found = candidates(study, task, least=least, most=100)
    answers = {
        key: [KnownChoice(question=one.question, about=one.about, label=one.label) for one in choices]
        for key, choices in found.items()
    }
    know_answers(answers, study=study, task=batch.task, by=make_user(), now=NOW)
    return set(answers)


def mix(batch: Batch, *, items: int) -> Batch:
    """Have half of the places on pages of so many items be for attention items."""
    batch.attention_rate, batch.items_per_assignment = 50, items
    batch.save()
    return batch


def open_mixed(open_one: Callable[[], Assignment]) -> Assignment:
    """Open work whose page has one attention item beside the others: where one stands is else drawn."""
    with patch.object(leasing, "_places_drawn", lambda _: 1):
        work = open_one()
    statuses = set(work.leases.values_list("status", flat=True))
    assert statuses == {Lease.Status.ATTENTION, Lease.Status.LEASED}
    return work


def attention_of(work: Assignment) -> set[int]:
    return set(work.leases.filter(status=Lease.Status.ATTENTION).values_list("item", flat=True))


def met(work: Assignment) -> Attention:
    """What the page of quality says that the worker met, and how much of it was as known."""
    batch = work.hit.batch
    crowd = judged_crowd(families.get(batch.task), Batch.objects.filter(pk=batch.pk))
    return crowd.attention[work.worker.pseudonym]


def needs(items: Iterable[int]) -> list[tuple[int, int, bool]]:
    rows = Item.objects.filter(pk__in=items).order_by("pk")
    return [(row.answers_needed, row.wanted, row.recount) for row in rows]
