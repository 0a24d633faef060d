"""The SWOW baseline: random instances of an association list, to be solved beside the game's associations.

They are the own items of a batch, marked by their source. People and models are asked about them as about all
others, and the same threshold selects them; every figure keeps them apart from the game's.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from random import Random

from django.db import transaction
from django.db.models import QuerySet

from crowd.winogavil import domain
from crowd.winogavil.models import Association
from crowd.winogavil.services.list_questions import Question, add_to_draft, draw_questions
from crowd.winogavil.services.picture_set_draw import Pool
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Batch, Study
from hits.work.models.items import Item
from qualifications.domain.instances import Instance
from qualifications.models import SwowList
from qualifications.services.instance_generation import generate_instances

SIZES = (5, 6)
MOST = 2_000
# The paper generates so many, of which people solve a thousand well enough.
PAPER_COUNT = 1_200
SWOW = Association.Source.SWOW


@dataclass(frozen=True, kw_only=True)
class Order:
    """Parameters of the instances to make, as many of each size as of any other."""

    batch: Batch
    swow: SwowList
    sizes: tuple[int, ...]
    count: int
    seed: int


def look_ahead(order: Order) -> list[Question]:
    """Instances that add_baseline would make now. Raises RuleBroken if list or pool have too little."""
    _check(order)
    pool = Pool.read()
    known, found = _cues_of(order.batch.study), list[Question]()
    for size, count in _shares(order).items():
        generate = partial(_generate, order, pool, known, size)
        some = draw_questions(generate, pool=pool, count=count, seed=order.seed, known=known)
        known = known | {one.cue.casefold() for one in some}
        found += some
    # People are asked in the order of the items: no size comes before the others.
    Random(order.seed).shuffle(found)  # noqa: S311 - repeatable on purpose
    return found


def add_baseline(order: Order, *, by: User, seen: int | None = None, now: datetime) -> int:
    """Add all instances to the draft, or raise RuleBroken; `seen` is how many items the page showed."""
    questions = look_ahead(order)
    with transaction.atomic():
        added = add_to_draft(questions, batch=order.batch, seen=seen, now=now)
        _refuse_cues_of_others(order.batch.study, questions)
        # The draft is locked by now: its newest items are these.
        newest = Item.objects.filter(batch=order.batch).order_by("-pk").values_list("pk", flat=True)[:added]
        Association.objects.filter(item__in=list(newest)).update(source=SWOW)
        sizes = " or ".join(map(str, order.sizes))
        words = (
            f"{added} instances of the SWOW baseline were added to a draft: {order.swow.name}, "
            f"{sizes} pictures, seed {order.seed}, SHA-256 of the list {order.swow.sha256}."
        )
        audit_trail.note("swow_baseline.added", words, by=by, now=now, study=order.batch.study)
    return added


def baseline_items(study: Study) -> QuerySet[Item]:
    return Item.objects.filter(study=study, association__source=SWOW)


def count_shapes(questions: Sequence[Question]) -> list[tuple[int, int, int]]:
    """Numbers of candidates and of associations, with how many of the questions have them."""
    shapes = Counter((len(one.pictures), sum(belongs for _, belongs in one.pictures)) for one in questions)
    return [(*shape, count) for shape, count in sorted(shapes.items())]


def _generate(order: Order, pool: Pool, known: Collection[str], size: int, count: int) -> Sequence[Instance]:
    return generate_instances(
        swow=order.swow,
        concepts=pool.concepts,
        size=size,
        count=count,
        seed=order.seed,
        without=known,
        or_fewer=True,
    )


def _shares(order: Order) -> dict[int, int]:
    """How many instances of each size are to be made; what cannot be divided goes to the first sizes."""
    each, rest = divmod(order.count, len(order.sizes))
    shares = {size: each + (number < rest) for number, size in enumerate(order.sizes)}
    return {size: count for size, count in shares.items() if count}


def _cues_of(study: Study) -> frozenset[str]:
    """Cues of the study's baseline, by whatever batch: no cue is asked twice."""
    cues = Association.objects.filter(item__study=study, source=SWOW).values_list("cue", flat=True)
    return frozenset(cue.casefold() for cue in cues)


def _refuse_cues_of_others(study: Study, questions: Sequence[Question]) -> None:
    """Raise RuleBroken if another draft has got one of the cues meanwhile. The study is held from here on."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if _cues_of(study).intersection(one.cue.casefold() for one in questions):
        raise RuleBroken(
            "stale", "Instances of these cues were added to another draft meanwhile. Look again."
        )


def _check(order: Order) -> None:
    if order.batch.task != domain.SOLVE:
        raise RuleBroken("no_solving", "The baseline is solved: choose a batch of the task that solves.")
    if not order.sizes or not set(order.sizes) <= set(SIZES):
        raise RuleBroken("bad_size", "An instance of the baseline has 5 or 6 pictures.")
    if not 1 <= order.count <= MOST:
        raise RuleBroken("bad_count", f"Make 1 to {MOST:,} instances at once.")
