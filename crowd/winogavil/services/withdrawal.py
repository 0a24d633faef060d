"""Reasons why nobody is asked about an association: a picture is away, its cue reported, its author kept out.

The reason is never stored: it is read from the facts, so that they can change back.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Protocol

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.models import Association, CueReport, PictureSetPlace, Place
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import find_recounts, take_recounts
from hits.work.services.locking import lock_items
from scoring.models import RivalQuery

MOST_DISOWNED = 500
LONGEST_TEXT = 500
Status = CueReport.Status
log = structlog.get_logger()


class Listener(Protocol):
    """Callback for items that may have been pulled or restored; the caller has locked them and its own."""

    def __call__(self, *, items: Collection[int], now: datetime) -> None: ...


_listeners: dict[Listener, Callable[[Collection[int]], Collection[int]]] = {}


def on_change(listener: Listener, *, items: Callable[[Collection[int]], Collection[int]]) -> None:
    """Register a listener once, in its AppConfig.ready; `items` finds its own items about given ones."""
    _listeners[listener] = items


def pull_or_restore(items: QuerySet[Item], *, now: datetime) -> int:
    """Pull or restore items by the current facts; return how many changed. The caller has a transaction."""
    keys = list(items.values_list("pk", flat=True))
    lock_items(with_followers(keys))
    rows = Item.objects.filter(pk__in=keys)
    pulled = rows.filter(_unfit(), pulled_at=None).update(pulled_at=now)
    restored = rows.filter(~_unfit(), pulled_at__isnull=False).update(pulled_at=None)
    for listener in _listeners:
        listener(items=keys, now=now)
    if pulled or restored:
        log.info("association.pulled", pulled=pulled, restored=restored)
    return pulled + restored


def with_followers(keys: Collection[int]) -> set[int]:
    """The items themselves, and the listeners' items about them."""
    return {*keys, *(key for items in _listeners.values() for key in items(keys))}


def items_of_pictures(picture_ids: Collection[int]) -> set[int]:
    return with_followers(list(_showing(picture_ids).values_list("pk", flat=True)))


def follow_pictures(*, picture_ids: Collection[int], shown: bool, now: datetime) -> None:
    """Pull or restore items when pictures go away or come back; the pool calls it in its transaction."""
    pull_or_restore(_showing(picture_ids), now=now)


def report_cue(
    *, association: Association, worker: Worker, reason: str, text: str, now: datetime
) -> CueReport:
    """Report a cue: at once nobody else is shown it. Idempotent: a worker's second report is the first."""
    if reason not in CueReport.Reason.values:
        raise RuleBroken("no_reason", "Say what is wrong with the word.")
    with transaction.atomic():
        report, _ = CueReport.objects.get_or_create(
            association=association,
            worker=worker,
            defaults={"reason": reason, "text": text.strip()[:LONGEST_TEXT], "reported_at": now},
        )
        pull_or_restore(_asking(association), now=now)
    return report


def decide_report(*, report: CueReport, uphold: bool, by: User, now: datetime) -> None:
    """Uphold or dismiss a report; a decision can be reversed. Raises RuleBroken if it is no change."""
    to = Status.UPHELD if uphold else Status.DISMISSED
    with transaction.atomic():
        if not move(report, to, decided_at=now, decided_by=by):
            raise RuleBroken("decided_already", f"This report is {report.status} already.")
        pull_or_restore(_asking(report.association), now=now)
        words = f"The report of the cue “{report.association}” was {to}."
        study = report.association.item.study
        audit_trail.note(f"cue_report.{to}", words, by=by, now=now, study=study)


def pull_disowned(*, now: datetime) -> int:
    """Pull words whose author's work was rejected or kept out, and restore those that count again."""
    changed = 0
    while picture_sets := find_recounts(tasks=domain.CREATING, most=MOST_DISOWNED):
        with transaction.atomic():
            made = Item.objects.filter(association__picture_set__item__in=picture_sets)
            take_recounts(picture_sets, along=with_followers(list(made.values_list("pk", flat=True))))
            changed += pull_or_restore(made, now=now)
    return changed


def _showing(picture_ids: Collection[int]) -> QuerySet[Item]:
    on_places = Place.objects.filter(picture__in=picture_ids).values("association__item")
    on_picture_sets = PictureSetPlace.objects.filter(picture__in=picture_ids).values("picture_set__item")
    return Item.objects.filter(Q(pk__in=on_places) | Q(pk__in=on_picture_sets))


def _asking(association: Association) -> QuerySet[Item]:
    """Items that show this word with these pictures: the first of them, and those that ask it again."""
    first = association.item.repeats_id or association.item_id
    return Item.objects.filter(Q(pk=first) | Q(repeats=first) | Q(pk=association.item_id))


def _unfit() -> Q:
    """Condition for items that nobody may be asked; for picture sets, only the pictures matter."""
    away = Q(picture__isnull=False) & ~Q(picture__status=Picture.Status.FIT)
    standing = CueReport.objects.filter(status__in=(Status.OPEN, Status.UPHELD))
    reported = (
        standing.filter(association__item=OuterRef("pk")),
        standing.filter(association__item=OuterRef("repeats")),
        standing.filter(association__item__repeats=OuterRef("pk")),
        standing.filter(association__item__repeats=OuterRef("repeats")),
    )
    disowned = RivalQuery.objects.filter(item=OuterRef("pk")).filter(
        Q(assignment__kept_out=True) | Q(assignment__status=Assignment.Status.REJECTED)
    )
    return (
        Q(Exists(Place.objects.filter(away, association__item=OuterRef("pk"))))
        | Q(Exists(PictureSetPlace.objects.filter(away, picture_set__item=OuterRef("pk"))))
        | reduce(or_, (Q(Exists(reports)) for reports in reported))
        | Q(Exists(disowned))
    )
