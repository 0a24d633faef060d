"""Picture sets for spymasters: the same seed draws the same sets from the same pictures of the pool."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

from django.db import transaction

from crowd.pictures.models import Picture
from crowd.pictures.models.pictures import are_near_duplicates
from crowd.pictures.services.picture_states import lock_pictures
from crowd.winogavil import domain
from crowd.winogavil.models import PictureSet
from crowd.winogavil.services.seeded_associations import seed_picture_sets
from crowd.winogavil.services.withdrawal import pull_or_restore
from hits.core.errors import RuleBroken
from hits.studies.models import Study
from hits.work.models.items import Item
from qualifications.models import SwowList
from qualifications.services.instance_generation import related_set

RANDOM = "random"
SWOW = "swow"
MOST_BOARDS = 2_000
# Tries for one set, after which the pool counts as too small.
TRIES = 50
COLUMNS = ("pk", "key", "sha256", "concept", "perceptual_hash")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Parameters of the sets to draw; with an association list, some pictures of each set share a word."""

    study: Study
    size: int
    count: int
    seed: int
    swow: SwowList | None = None
    # The task that the sets are for: spymasters' work, or the creator's test.
    task: str = domain.CREATE

    @property
    def kind(self) -> str:
        return RANDOM if self.swow is None else SWOW


@dataclass(frozen=True, kw_only=True)
class Drawn:
    pictures: tuple[Picture, ...]
    recipe: dict[str, Any]


def draw_picture_sets(plan: Plan, *, now: datetime) -> list[Item]:
    """Make all sets of the plan, or none; drawing continues where the study's last set of this seed ended."""
    drawn = look_ahead(plan)
    with transaction.atomic():
        lock_pictures({picture.pk for one in drawn for picture in one.pictures})
        picture_sets = [(one.pictures, one.recipe) for one in drawn]
        items = seed_picture_sets(study=plan.study, picture_sets=picture_sets, task=plan.task)
        # A picture may have been removed since the pool was read.
        pull_or_restore(Item.objects.filter(pk__in=[item.pk for item in items]), now=now)
    return items


def look_ahead(plan: Plan) -> list[Drawn]:
    """Sets that draw_picture_sets would make now. Raises RuleBroken if the pool has too little for them."""
    _check(plan)
    pool = Pool.read()
    draw = pool.at_random if plan.swow is None else pool.related_by(plan.swow)
    first = _number_after(plan)
    return [_draw(plan, number=number, draw=draw) for number in range(first, first + plan.count)]


Draw = Callable[[int, Random], Sequence[Picture]]


def _draw(plan: Plan, *, number: int, draw: Draw) -> Drawn:
    """Draw one set with a generator of its own, so that how many are drawn at once makes no difference."""
    rng = Random(f"{plan.kind} {plan.seed} {plan.size} {number}")  # noqa: S311 - to be drawn again, not secret
    for _ in range(TRIES):
        pictures = list(draw(plan.size, rng))
        if len(pictures) == plan.size and not has_near_duplicates(pictures):
            rng.shuffle(pictures)
            return Drawn(pictures=tuple(pictures), recipe=_recipe(plan, number=number))
    raise RuleBroken(
        "pool_too_small",
        f"No set of {plan.size} pictures of different concepts, none like another, was found in {TRIES} "
        "tries. Add pictures to the pool, or draw smaller sets.",
    )


class Pool:
    """Fit pictures by concept, in an order that every database shares."""

    @classmethod
    def read(cls) -> "Pool":
        return cls(list(Picture.objects.playable().only(*COLUMNS).order_by("sha256")))

    def __init__(self, pictures: Sequence[Picture]) -> None:
        self._by_concept: defaultdict[str, list[Picture]] = defaultdict(list)
        for picture in pictures:
            self._by_concept[picture.concept.casefold()].append(picture)
        self._concepts = sorted(self._by_concept)

    @property
    def concepts(self) -> list[str]:
        return self._concepts

    def at_random(self, size: int, rng: Random) -> list[Picture]:
        return self.one_of_each(rng.sample(self._concepts, min(size, len(self._concepts))), rng)

    def related_by(self, swow: SwowList) -> Draw:
        def draw(size: int, rng: Random) -> list[Picture]:
            related = related_set(swow=swow, concepts=self._concepts, size=size, rng=rng)
            return self.one_of_each(related.concepts, rng)

        return draw

    def one_of_each(self, concepts: Sequence[str], rng: Random) -> list[Picture]:
        return [rng.choice(self._by_concept[concept]) for concept in concepts]


def _check(plan: Plan) -> None:
    if plan.size not in domain.SIZES:
        raise RuleBroken("bad_size", f"A set has {', '.join(map(str, domain.SIZES))} pictures.")
    if not 1 <= plan.count <= MOST_BOARDS:
        raise RuleBroken("bad_count", f"Draw 1 to {MOST_BOARDS:,} sets at once.")


def _number_after(plan: Plan) -> int:
    same = PictureSet.objects.filter(
        item__study=plan.study, recipe__kind=plan.kind, recipe__seed=plan.seed, recipe__size=plan.size
    )
    return max((int(recipe["number"]) for recipe in same.values_list("recipe", flat=True)), default=0) + 1


def _recipe(plan: Plan, *, number: int) -> dict[str, Any]:
    recipe = {"kind": plan.kind, "seed": plan.seed, "size": plan.size, "number": number}
    return recipe if plan.swow is None else {**recipe, "list": plan.swow.sha256}


def has_near_duplicates(pictures: Sequence[Picture]) -> bool:
    return any(are_near_duplicates(one, other) for one, other in _pairs(pictures))


def _pairs(pictures: Sequence[Picture]) -> Iterator[tuple[Picture, Picture]]:
    for number, one in enumerate(pictures):
        for other in pictures[number + 1 :]:
            yield one, other
