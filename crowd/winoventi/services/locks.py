"""Ids of all items that depend on rows to be counted: they are locked before anything is counted."""

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet

from crowd.winoventi.models import Alternative, Generic, Premise, Prompt

AT_ONCE = 500


def items_of_generics(generics: Collection[int]) -> set[int]:
    """Items of these generics and of all rows with their words, as one row may replace another."""
    rows = Generic.objects.filter(pk__in=generics)
    given = Alternative.objects.filter(generic__in=rows)
    same = Alternative.objects.filter(project__in=given.values("project"), key__in=given.values("key"))
    return {*_items(rows), *_around(same)}


def items_of_alternatives(alternatives: Collection[int]) -> set[int]:
    """Items of these alternatives, of their premises and of their prompts."""
    return _around(Alternative.objects.filter(pk__in=alternatives))


def items_of_premises(premises: Collection[int]) -> set[int]:
    """Items of these premises, and of their prompts."""
    return _behind(Premise.objects.filter(pk__in=premises))


def items_of_prompts(prompts: Collection[int]) -> set[int]:
    return _items(Prompt.objects.filter(pk__in=prompts))


def _around(alternatives: QuerySet[Alternative]) -> set[int]:
    premises = Premise.objects.filter(alternative__in=alternatives)
    return {*_items(alternatives), *_behind(premises)}


def _behind(premises: QuerySet[Premise]) -> set[int]:
    return {*_items(premises), *_items(Prompt.objects.filter(premise__in=premises))}


def _items(rows: QuerySet[Any]) -> set[int]:
    return set(rows.filter(item__isnull=False).order_by().values_list("item_id", flat=True))
