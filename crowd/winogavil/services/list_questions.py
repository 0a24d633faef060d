"""Questions for the solver's test, made of an association list: its weakest associations, shown in pictures.

The same list, pool and seed make the same questions, and go on where those of the batch ended.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

from django.db import transaction

from crowd.pictures.models import Picture
from crowd.pictures.profanity import is_profane
from crowd.pictures.services.picture_states import lock_pictures
from crowd.winogavil import domain
from crowd.winogavil.files import write_lines
from crowd.winogavil.models import Association
from crowd.winogavil.services.picture_set_draw import Pool, has_near_duplicates
from crowd.winogavil.services.withdrawal import pull_or_restore
from hits.batches.services import drafting
from hits.core.errors import InvalidItems, RuleBroken
from hits.studies.models import Batch
from hits.work.models.items import Item
from qualifications.domain.instances import Instance
from qualifications.models import SwowList
from qualifications.services.instance_generation import generate_challenging

SIZES = (5, 6)
MOST = 500
# What cannot be shown is replaced by more of the list; so often at most.
TRIES = 5


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be made."""

    batch: Batch
    swow: SwowList
    size: int
    count: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Question:
    cue: str
    # In the order drawn, each with whether it belongs to the cue.
    pictures: tuple[tuple[Picture, bool], ...]


def look_ahead(order: Order) -> list[Question]:
    """What add_questions would make now. Raises RuleBroken where list and pool have too little for it."""
    _check(order)
    pool = Pool.read()
    known = {cue.casefold() for cue in _cues_of(order.batch)}
    wanted = order.count + len(known)
    for _ in range(TRIES):
        found = generate_challenging(
            swow=order.swow, concepts=pool.concepts, size=order.size, count=wanted, seed=order.seed
        )
        fit = list(_show(found, pool=pool, order=order, known=known))
        if len(fit) >= order.count:
            return fit[: order.count]
        wanted += order.count - len(fit)
    raise RuleBroken(
        "nothing_to_show",
        "Too much of what this list gives cannot be shown: its words are coarse, or its pictures are nearly "
        "alike. Use another seed, or add pictures to the pool.",
    )


def add_questions(order: Order, *, seen: int | None = None, now: datetime) -> int:
    """To the draft's own items: all of them, or RuleBroken and none. `seen`: how many there were."""
    questions = look_ahead(order)
    with transaction.atomic():
        lock_pictures({picture.pk for one in questions for picture, _ in one.pictures})
        batch = order.batch
        if batch.items_from == Batch.ItemsFrom.POOL:
            source = {"items_from": Batch.ItemsFrom.FILE, "source_batch": None}
            batch = drafting.save_step(batch=batch, step="what", values=source)
        try:
            added = drafting.add_items(batch=batch, content=_as_file(questions), seen=seen)
        except InvalidItems as problem:
            raise RuleBroken(
                "pool_changed", f"The pool has changed meanwhile. Look again. {' '.join(problem.problems)}"
            ) from problem
        pull_or_restore(Item.objects.filter(batch=batch), now=now)
    return added


def _show(found: Sequence[Instance], *, pool: Pool, order: Order, known: set[str]) -> Iterator[Question]:
    """Not what the batch has, is coarse, or has two pictures that are nearly alike."""
    for instance in found:
        if instance.cue.casefold() in known or is_profane(instance.cue):
            continue
        # A generator of its own for each: how many are made at once makes no difference.
        rng = Random(f"{order.seed} {order.size} {instance.cue}")  # noqa: S311 - to be repeated, not secret
        pictures = pool.one_of_each([text.casefold() for text in instance.candidates], rng)
        if not has_near_duplicates(pictures):
            belongs = [text in instance.chosen for text in instance.candidates]
            yield Question(cue=instance.cue, pictures=tuple(zip(pictures, belongs, strict=True)))


def _check(order: Order) -> None:
    if order.batch.task != domain.SOLVER_TEST:
        raise RuleBroken("no_test", "Questions are made for batches of the solver's test only.")
    if order.size not in SIZES:
        raise RuleBroken("bad_size", "A question of the test has 5 or 6 pictures.")
    if not 1 <= order.count <= MOST:
        raise RuleBroken("bad_count", f"Make 1 to {MOST} questions at once.")


def _cues_of(batch: Batch) -> list[str]:
    return list(Association.objects.filter(item__batch=batch).values_list("cue", flat=True))


def _as_file(questions: Sequence[Question]) -> bytes:
    """As a researcher would write it: what is checked there is checked here."""
    return write_lines(
        *(
            (
                one.cue,
                [picture.key for picture, _ in one.pictures],
                [picture.key for picture, belongs in one.pictures if belongs],
            )
            for one in questions
        )
    ).encode()
