"""The association game: solving, and the annotation of what was solved."""

from collections.abc import Iterator, Mapping

from crowd.winogavil import domain
from crowd.winogavil.annotation import domain as labels
from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.models import Association
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.winogavil.annotation.annotators import draw, make_selected
from tests.factories import NOW, make_association
from tests.promise.families.given import Ask, Given, workers


def ask_solving(study: Study, author: Worker) -> None:
    make_association(study=study)


def ask_types(study: Study, author: Worker) -> None:
    """Ask about types of an association that was solved elsewhere: no worker is asked to solve it here."""
    made = make_selected(study)
    draw(study, Kind.TYPES)
    Item.objects.filter(association=made).update(pulled_at=NOW)


ASKS: Mapping[str, Ask] = {domain.SOLVE: ask_solving, labels.TYPES: ask_types}


def found() -> Iterator[str]:
    yield from ("an association" for _ in Association.objects.filter(solutions__assignment__isnull=False)[:1])
    yield from ("an annotation" for _ in Annotation.objects.filter(final_at__isnull=False)[:1])


def disagreements(given: Given) -> Iterator[str]:
    yield from _associations(given)
    yield from _labels(given)


def _associations(given: Given) -> Iterator[str]:
    """Differences of associations, except for those that were solved elsewhere."""
    for one in Association.objects.exclude(solutions__assignment=None, solutions__isnull=False):
        found = set(one.solutions.values_list("worker_id", flat=True))
        yield from _compare(f"association {one.pk}", one.item_id, given, found, is_final=bool(one.final_at))


def _labels(given: Given) -> Iterator[str]:
    for one in Annotation.objects.all():
        found = set(one.judgements.values_list("worker_id", flat=True))
        yield from _compare(f"annotation {one.pk}", one.item_id, given, found, is_final=bool(one.final_at))


def _compare(name: str, item: int, given: Given, found: set[int], *, is_final: bool) -> Iterator[str]:
    """Final means three answers that count; one that came late may be added."""
    there = workers(given, item)
    is_ripe = len(there) >= 3 and not Item.objects.get(pk=item).wanted
    if is_final != is_ripe or not found <= there or (is_final and len(found) < 3):
        yield f"{name} is final: {is_final}, by {sorted(found)} of {sorted(there)}"
