"""Examples become questions for workers, and stop being asked."""

from collections.abc import Collection, Sequence
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from crowd.pictures.models import Picture
from crowd.pictures.services.picture_states import lock_pictures
from crowd.winoground.domain import PLACES, VALIDATE
from crowd.winoground.models import Example, Pairing, Project
from hits.core import crypto
from hits.core.errors import RuleBroken
from hits.work.models.items import Item
from hits.work.services.answers_needed import ask_about, new_item, want_answers
from hits.work.services.locking import held, lock_items

AT_ONCE = 500
MOST_NAMED = 10
State = Example.State
log = structlog.get_logger()


def ask_examples(*, project: Project, examples: Collection[int], now: datetime) -> int:
    """Ask workers about examples, on a click; return how many. Raises RuleBroken, and then asks none."""
    chosen = project.examples.filter(pk__in=examples, state=State.READY)
    with transaction.atomic():
        pictures = lock_pictures(_pictures_of(chosen))
        with held(project) as locked:
            rows = list(chosen.order_by("pk").select_for_update(no_key=True))
            _refuse(rows, pictures=pictures)
            _post(rows, project=locked)
            asked = Example.objects.filter(pk__in=[row.pk for row in rows])
            asked.update(state=State.ASKED, asked_at=Coalesce("asked_at", Value(now)))
    log.info("winoground.asked", study=str(project.study.public_id), examples=len(rows))
    return len(rows)


def pull(example: Example, *, now: datetime) -> None:
    """Ask no new worker about the example; answers stay. The caller withdraws it in its transaction."""
    items = lock_items(Item.objects.filter(winoground_pairing__example=example))
    Item.objects.filter(pk__in=[item.pk for item in items], pulled_at=None).update(pulled_at=now)


def want_anew(project: Project) -> None:
    """Ask for as many answers as the project's rule says now, counting those there or on their way."""
    last = 0
    with held(project) as locked:
        pairings = Pairing.objects.filter(example__project=locked, item__isnull=False).order_by("pk")
        lock_items(set(pairings.values_list("item_id", flat=True)))
        while some := list(pairings.filter(pk__gt=last)[:AT_ONCE]):
            last = some[-1].pk
            _want(some, project=locked)


def follow_pictures(*, picture_ids: Collection[int], shown: bool, now: datetime) -> None:
    """Follow pictures that go away or come back. Called by the pool of pictures, in its transaction.

    Questions about a picture that is away are asked of nobody. Once it is back, examples are asked about
    again; a first question has to be put back by a person.
    """
    items = Item.objects.filter(pk__in=items_of_pictures(picture_ids))
    if not shown:
        items.filter(pulled_at=None).update(pulled_at=now)
        return
    asked = Pairing.objects.filter(item=OuterRef("pk"), example__state=State.ASKED)
    items.filter(Exists(asked)).update(pulled_at=None)


def items_of_pictures(picture_ids: Collection[int]) -> set[int]:
    """Items that show these pictures; the pool locks them while it changes the pictures."""
    first = Q(winoground_pairing__image=0, winoground_pairing__example__image_0__in=picture_ids)
    second = Q(winoground_pairing__image=1, winoground_pairing__example__image_1__in=picture_ids)
    of_tests = Q(winoground_first_question__picture__in=picture_ids)
    return set(Item.objects.filter(first | second | of_tests).values_list("pk", flat=True))


def _pictures_of(examples: QuerySet[Example]) -> set[int]:
    return {pk for pair in examples.values_list("image_0", "image_1") for pk in pair if pk}


def _refuse(rows: Sequence[Example], *, pictures: Sequence[Picture]) -> None:
    if not rows:
        raise RuleBroken("nothing_waits", "None of these examples waits to be asked any more.")
    fit = {picture.pk for picture in pictures if picture.status == Picture.Status.FIT}
    away = [str(row) for row in rows if not {row.image_0_id, row.image_1_id} <= fit]
    if away:
        named = ", ".join(away[:MOST_NAMED]) + (" and more" if len(away) > MOST_NAMED else "")
        raise RuleBroken(
            "picture_away",
            f"A picture of these was taken away or exchanged just now: {named}. "
            "Nothing was asked. Look at them, or leave them out.",
        )


def _post(rows: Sequence[Example], *, project: Project) -> None:
    """Make the four items of each example in random order: else its first answers would all be of matches."""
    Pairing.objects.bulk_create(
        (Pairing(example=row, caption=caption, image=image) for row in rows for caption, image in PLACES),
        ignore_conflicts=True,
    )
    pairings = sorted(Pairing.objects.filter(example__in=rows), key=_lot)
    lacking = [one for one in pairings if one.item_id is None]
    known = [one for one in pairings if one.item_id]
    lock_items({one.item_id for one in known if one.item_id})
    needed = project.answers_wanted
    ask_about(lacking, lambda _: new_item(study_id=project.study_id, task=VALIDATE, answers_needed=needed))
    _ask_again(known, project=project)


def _ask_again(pairings: Sequence[Pairing], *, project: Project) -> None:
    """Ask again about examples that had been withdrawn: earlier answers count. The items are held."""
    for start in range(0, len(pairings), AT_ONCE):
        some = pairings[start : start + AT_ONCE]
        _want(some, project=project)
        Item.objects.filter(winoground_pairing__in=some).update(pulled_at=None)


def _want(pairings: Sequence[Pairing], *, project: Project) -> None:
    items = [one.item_id for one in pairings if one.item_id]
    want_answers(dict.fromkeys(items, project.answers_wanted))


def _lot(pairing: Pairing) -> tuple[int, str]:
    return pairing.example_id, crypto.blind_index("pairing", str(pairing.pk))
