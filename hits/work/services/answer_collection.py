"""Collection of answers into a family's rows: counted once in, and again when one goes or returns.

Each row asks about something, by its item, and belongs to an owner: a project of the family or a study.
Counting reads nothing but raw answers, whatever was made of them before: it may be repeated, or be killed.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import structlog
from django.db import transaction
from django.db.models import Model, Q, QuerySet

from hits.common.sweep_parts import in_parts
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.services.leasing import find_recounts, take_recounts
from hits.work.services.locking import held, lock_items

AT_ONCE = 500
Keys = Collection[int]
log = structlog.get_logger()


class Count(Protocol):
    def __call__(self, *, owner: Any, rows: Sequence[Any], now: datetime) -> int:
        """Count the answers that count now; return how many rows are done. Everything is locked."""


@dataclass(frozen=True, kw_only=True)
class Collect:
    """One kind of question, and how its answers are counted."""

    tasks: Collection[str]
    owners: type[Model]
    # All rows that workers were ever asked about, and the paths from each to its owner and to its item.
    rows: QuerySet[Any]
    owner: str = "project"
    item: str = "item"
    # Rows whose answers are to be counted now: one query for each way in which a row becomes ripe.
    ripe: Sequence[QuerySet[Any]]
    # The items that counting these rows reads or changes.
    items: Callable[[Keys], Iterable[int]]
    # Locks what these rows need locked before any item is.
    lock: Callable[[Keys], object] = lambda _: None
    count: Count


def collect_answers(collects: Sequence[Collect], *, now: datetime) -> int:
    """Count the answers of all owners; return the number of rows. A failing owner holds up no other."""
    owners = _with_answers(collects)
    counted = in_parts(owners, lambda owner: sum(_collect(one, owner, now) for one in collects))
    if counted:
        log.info("answers.counted", tasks=[task for one in collects for task in one.tasks], count=counted)
    return counted


def count_all(collects: Sequence[Collect], *, owner: Any, now: datetime) -> None:
    """Count all raw answers of the owner again."""
    for one in collects:
        _in_slices(one, [one.rows.filter(**{f"{one.item}__isnull": False})], owner=owner, now=now)


def _with_answers(collects: Sequence[Collect]) -> list[Any]:
    """Return the owners with answers to count, in one query: mostly there are none."""
    tasks = {task for one in collects for task in one.tasks}
    recounts = Item.objects.filter(task__in=tasks, recount=True).values("study")
    owners = collects[0].owners
    found = Q(pk__in=recounts) if owners is Study else Q(study__in=recounts)
    for one in collects:
        for rows in one.ripe:
            found |= Q(pk__in=rows.order_by().values(one.owner))
    return list(owners._default_manager.filter(found).order_by("pk"))


def _collect(one: Collect, owner: Any, now: datetime) -> int:
    return _recount(one, owner, now=now) + _in_slices(one, one.ripe, owner=owner, now=now)


def _recount(one: Collect, owner: Any, *, now: datetime) -> int:
    """Count again where a counted answer was kept out or rejected since, or counts once more."""
    study_id = owner.pk if isinstance(owner, Study) else owner.study_id
    done = 0
    while items := find_recounts(tasks=one.tasks, most=AT_ONCE, study_id=study_id):
        with _begun(owner) as locked:
            rows = one.rows.filter(**{f"{one.item}__in": items, one.owner: locked})
            done += _count(
                one, set(rows.values_list("pk", flat=True)), recounted=items, owner=locked, now=now
            )
    return done


def _in_slices(one: Collect, ripe: Iterable[QuerySet[Any]], *, owner: Any, now: datetime) -> int:
    own = [rows.filter(**{one.owner: owner.pk}).order_by().values_list("pk", flat=True) for rows in ripe]
    done, last = 0, 0
    while True:
        with _begun(owner) as locked:
            first, *others = (keys.filter(pk__gt=last) for keys in own)
            some = list(first.union(*others).order_by("pk")[:AT_ONCE])
            if not some:
                return done
            done += _count(one, some, owner=locked, now=now)
        last = some[-1]


def _count(one: Collect, keys: Keys, *, owner: Any, now: datetime, recounted: Keys = ()) -> int:
    """Count rows, read after everything is locked, so that what a faster process counted is seen."""
    one.lock(keys)
    items = set(one.items(keys))
    if recounted:
        take_recounts(recounted, along=items)
    else:
        lock_items(items)
    rows = list(one.rows.filter(pk__in=keys).order_by("pk"))
    return one.count(owner=owner, rows=rows, now=now)


@contextmanager
def _begun(owner: Any) -> Iterator[Any]:
    """Begin a transaction and lock a project. A study is last in the lock order: its items are enough."""
    if not isinstance(owner, Study):
        with held(owner) as locked:
            yield locked
        return
    with transaction.atomic():
        yield owner
