"""Questions for the solver's test, made of an association list: its weakest associations, shown in pictures.

The same list, pool and seed make the same questions, and continue where those of the batch ended.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from crowd.winogavil import domain
from crowd.winogavil.models import Association
from crowd.winogavil.services.list_questions import Question, add_to_draft, draw_questions
from crowd.winogavil.services.picture_set_draw import Pool
from hits.core.errors import RuleBroken
from hits.studies.models import Batch
from qualifications.domain.instances import Instance
from qualifications.models import SwowList
from qualifications.services.instance_generation import generate_challenging

SIZES = (5, 6)
MOST = 500


@dataclass(frozen=True, kw_only=True)
class Order:
    """Parameters of the questions to make."""

    batch: Batch
    swow: SwowList
    size: int
    count: int
    seed: int


def look_ahead(order: Order) -> list[Question]:
    """Questions that add_questions would make now. Raises RuleBroken if list or pool have too little."""
    _check(order)
    pool = Pool.read()
    known = {cue.casefold() for cue in _cues_of(order.batch)}
    generate = partial(_generate, order, pool, len(known))
    return draw_questions(generate, pool=pool, count=order.count, seed=order.seed, known=known)


def add_questions(order: Order, *, seen: int | None = None, now: datetime) -> int:
    """Add all questions to the draft, or raise RuleBroken; `seen` is how many items the page showed."""
    return add_to_draft(look_ahead(order), batch=order.batch, seen=seen, now=now)


def _generate(order: Order, pool: Pool, known: int, count: int) -> list[Instance]:
    """Draw as many more as the batch has already: with its own seed, these come first."""
    return generate_challenging(
        swow=order.swow,
        concepts=pool.concepts,
        size=order.size,
        count=count + known,
        seed=order.seed,
        or_fewer=True,
    )


def _check(order: Order) -> None:
    if order.batch.task != domain.SOLVER_TEST:
        raise RuleBroken("no_test", "Questions are made for batches of the solver's test only.")
    if order.size not in SIZES:
        raise RuleBroken("bad_size", "A question of the test has 5 or 6 pictures.")
    if not 1 <= order.count <= MOST:
        raise RuleBroken("bad_count", f"Make 1 to {MOST} questions at once.")


def _cues_of(batch: Batch) -> list[str]:
    return list(Association.objects.filter(item__batch=batch).values_list("cue", flat=True))
