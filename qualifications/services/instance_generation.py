"""Instances for tests and validation, and picture sets, from a list of associations and a pool of concepts.

The same list, concepts and seed give the same instances, on every database.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from random import Random

from hits.core.errors import RuleBroken
from qualifications.domain import instances
from qualifications.domain.association_files import fold
from qualifications.domain.instances import Instance, RelatedSet
from qualifications.models import SwowList
from qualifications.queries import association_graph as graph

# Cues whose edges are read at a time.
AT_ONCE = 200
# A concept may be linked to no other; of this many, one almost surely is.
MOST_TRIES = 40
HUBS_TRIED = 3


@dataclass(frozen=True, kw_only=True)
class InstanceSource:
    """The list and concepts from which instances are drawn.

    Concepts are folded; `given` keeps their spelling.
    """

    swow: SwowList
    given: dict[str, str]
    texts: dict[int, str]
    pool: list[str]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A cue and the associations chosen for it, an instance as soon as there are distractors."""

    cue_id: int
    cue: str
    chosen: tuple[str, ...]
    strength: Fraction


def generate_instances(
    *,
    swow: SwowList,
    concepts: Collection[str],
    size: int,
    count: int,
    seed: int,
    associations: Collection[int] | None = None,
    fewest: int | None = None,
    without: Collection[str] = (),
    or_fewer: bool = False,
) -> list[Instance]:
    """Draw `count` random instances, each with a cue of its own. Raises RuleBroken if fewer are possible.

    `associations`: how many of the candidates belong to the cue, 2 to 4 unless said otherwise. `fewest`: how
    many people must have made an association for it to be asked for; distractors were named by nobody.
    `without`: cues that are left out, whatever their case. `or_fewer`: all that are possible, without an
    error.
    """
    rng = Random(seed)  # noqa: S311 - repeatable on purpose
    ground = _ground(swow, concepts)
    plans = _plans(
        ground,
        wanted=_wanted(associations, size=size),
        fewest=fewest or swow.fewest,
        rng=rng,
        weakest=False,
        without={fold(cue) for cue in without},
    )
    return _make(plans, ground=ground, size=size, count=count, rng=rng, or_fewer=or_fewer)


def generate_challenging(
    *,
    swow: SwowList,
    concepts: Collection[str],
    size: int,
    count: int,
    seed: int,
    associations: Collection[int] | None = None,
    fewest: int | None = None,
    or_fewer: bool = False,
) -> list[Instance]:
    """Draw instances from the weakest associations of each cue, the cues with the weakest of all first.

    The arguments and errors are those of `generate_instances`.
    """
    rng = Random(seed)  # noqa: S311 - repeatable on purpose
    ground = _ground(swow, concepts)
    plans = _plans(
        ground, wanted=_wanted(associations, size=size), fewest=fewest or swow.fewest, rng=rng, weakest=True
    )
    weakest_first = iter(sorted(plans, key=lambda plan: plan.strength))
    return _make(weakest_first, ground=ground, size=size, count=count, rng=rng, or_fewer=or_fewer)


def related_set(*, swow: SwowList, concepts: Collection[str], size: int, rng: Random) -> RelatedSet:
    """Concepts for one set of pictures, of which some share an associate.

    Raises RuleBroken if none are found.
    """
    _check_ready(swow)
    _allowed(size)
    given = _folded(concepts)
    pool = list(given)
    for concept in islice(instances.shuffled(pool, rng=rng), MOST_TRIES):
        hubs = sorted(text for text in graph.neighbors(swow=swow, word=concept) if text != concept)
        for hub in rng.sample(hubs, min(HUBS_TRIED, len(hubs))):
            near = graph.neighbors(swow=swow, word=hub)
            linked = {text for text, count in near.items() if count >= swow.fewest}
            drawn = instances.draw_related(
                through=hub, linked=linked, related=near, pool=pool, size=size, rng=rng
            )
            if drawn is not None:
                return RelatedSet(
                    concepts=tuple(given[text] for text in drawn.concepts),
                    linked=tuple(given[text] for text in drawn.linked),
                    through=hub,
                )
    raise RuleBroken(
        "swow.nothing_related",
        f"Among these {len(pool)} concepts none were found that {swow.name} links through a word and that "
        f"leave enough others for a set of {size}. Add pictures of more concepts, or draw the set at random.",
    )


def _plans(
    ground: InstanceSource,
    *,
    wanted: Sequence[int],
    fewest: int,
    rng: Random,
    weakest: bool,
    without: Collection[str] = (),
) -> Iterator[Plan]:
    """Plans of all cues to which enough of the pool belongs, in random order."""
    cues = [
        row for row in graph.cues(swow=ground.swow) if instances.is_playable(row[1]) and row[1] not in without
    ]
    rng.shuffle(cues)
    for start in range(0, len(cues), AT_ONCE):
        some = cues[start : start + AT_ONCE]
        said: dict[int, dict[str, int]] = {pk: {} for pk, _, _ in some}
        for cue_id, response_id, count in graph.said_to(list(said), fewest=fewest):
            if response_id in ground.texts:
                said[cue_id][ground.texts[response_id]] = count
        for pk, cue, total in some:
            ordered = sorted(said[pk])
            rng.shuffle(ordered)
            if weakest:
                ordered.sort(key=said[pk].__getitem__)
            chosen = _choose(ordered, cue=cue, wanted=wanted, rng=rng)
            if chosen:
                people = sum(said[pk][text] for text in chosen)
                yield Plan(cue_id=pk, cue=cue, chosen=chosen, strength=Fraction(people, total * len(chosen)))


def _choose(texts: Sequence[str], *, cue: str, wanted: Sequence[int], rng: Random) -> tuple[str, ...]:
    """The first texts that do not give one another away, as many as drawn or are left; empty if too few."""
    picked = instances.pick_distinct(texts, wanted=rng.choice(wanted), cue=cue)
    most = max((number for number in wanted if number <= len(picked)), default=0)
    return picked[:most]


def _make(
    plans: Iterator[Plan], *, ground: InstanceSource, size: int, count: int, rng: Random, or_fewer: bool
) -> list[Instance]:
    made: list[Instance] = []
    while len(made) < count and (some := list(islice(plans, AT_ONCE))):
        linked = graph.linked_to([plan.cue_id for plan in some])
        made.extend(_draw(some, linked=linked, ground=ground, size=size, rng=rng))
    if len(made) < count and not or_fewer:
        raise RuleBroken(
            "swow.too_few",
            f"Only {len(made)} instances of {size} candidates are possible with {ground.swow.name} and the "
            f"{len(ground.pool)} concepts it knows, not {count}. Ask for fewer, or add pictures of more "
            "concepts.",
        )
    return made[:count]


def _draw(
    plans: Sequence[Plan], *, linked: dict[int, set[int]], ground: InstanceSource, size: int, rng: Random
) -> Iterator[Instance]:
    for plan in plans:
        related = {ground.texts[pk] for pk in linked[plan.cue_id] if pk in ground.texts}
        drawn = instances.draw_instance(
            cue=plan.cue, chosen=plan.chosen, related=related, pool=ground.pool, size=size, rng=rng
        )
        if drawn is not None:
            yield Instance(
                cue=drawn.cue,
                candidates=tuple(ground.given[text] for text in drawn.candidates),
                chosen=tuple(ground.given[text] for text in drawn.chosen),
            )


def _ground(swow: SwowList, concepts: Collection[str]) -> InstanceSource:
    """Ground without concepts unknown to the list: nobody was asked whether they belong to a cue."""
    _check_ready(swow)
    given = _folded(concepts)
    rows = graph.words(swow=swow, texts=given)
    return InstanceSource(
        swow=swow, given=given, texts={pk: text for text, pk in rows.items()}, pool=sorted(rows)
    )


def _folded(concepts: Collection[str]) -> dict[str, str]:
    """Concepts by folded text, in that order; of two that differ by case alone the first counts."""
    given: dict[str, str] = {}
    for concept in sorted(concepts):
        given.setdefault(fold(concept), concept)
    return dict(sorted(given.items()))


def _wanted(associations: Collection[int] | None, *, size: int) -> Sequence[int]:
    allowed = _allowed(size)
    wanted = sorted(set(allowed if associations is None else associations))
    if not wanted or not set(wanted) <= set(allowed):
        raise RuleBroken(
            "swow.bad_associations",
            f"Of {size} candidates {allowed[0]} to {allowed[-1]} can be associations.",
        )
    return wanted


def _allowed(size: int) -> Sequence[int]:
    try:
        return instances.allowed_chosen(size)
    except ValueError as error:
        raise RuleBroken("swow.bad_size", str(error)) from None


def _check_ready(swow: SwowList) -> None:
    if not swow.is_ready:
        raise RuleBroken(
            "swow.not_ready", f"{swow.name} is not ready ({swow.get_status_display()}). Import it to its end."
        )
