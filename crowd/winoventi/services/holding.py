"""Projects are held one at a time, and all items that hang on what is counted before anything is."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from crowd.winoventi.models import Alternative, Generic, Premise, Project, Prompt

AT_ONCE = 500


@contextmanager
def held(project: Project) -> Iterator[Project]:
    """As it is now, for one transaction."""
    with transaction.atomic():
        yield Project.objects.select_for_update(no_key=True).select_related(None).get(pk=project.pk)


def items_of_generics(generics: Iterable[Generic]) -> set[int]:
    """And what hangs on their words: where one is withdrawn, somebody else's same words may stand for it."""
    rows = Generic.objects.filter(pk__in=[row.pk for row in generics])
    given = Alternative.objects.filter(generic__in=rows)
    same = Alternative.objects.filter(project__in=given.values("project"), key__in=given.values("key"))
    return {*_items(rows), *_around(same)}


def items_of_alternatives(alternatives: Iterable[Alternative]) -> set[int]:
    """And those of the premises that are written of them."""
    return _around(Alternative.objects.filter(pk__in=[row.pk for row in alternatives]))


def items_of_premises(premises: Iterable[Premise]) -> set[int]:
    """And those of their prompts."""
    return _behind(Premise.objects.filter(pk__in=[row.pk for row in premises]))


def items_of_prompts(prompts: Iterable[Prompt]) -> set[int]:
    return {row.item_id for row in prompts if row.item_id}


def _around(alternatives: QuerySet[Alternative]) -> set[int]:
    premises = Premise.objects.filter(alternative__in=alternatives)
    return {*_items(alternatives), *_behind(premises)}


def _behind(premises: QuerySet[Premise]) -> set[int]:
    return {*_items(premises), *_items(Prompt.objects.filter(premise__in=premises))}


def _items(rows: QuerySet[Any]) -> set[int]:
    return set(rows.filter(item__isnull=False).order_by().values_list("item_id", flat=True))
