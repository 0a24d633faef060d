"""Scores of people: the four of each example, and which examples they are right about."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from crowd.winoground.domain import PLACES, VALIDATE, YES
from crowd.winoground.domain.caption_scores import PairScores, Right, count_words
from crowd.winoground.models import Example, Pairing, Project, Tag
from hits.work.models.items import Item
from scoring.queries.vote_tallies import Tally, tallies

# Examples never change once workers were asked, so each score stays true of its example.
SCORED = Example.State.ASKED
AT_ONCE = 5_000
# One tally for each of PLACES; None where no worker has answered.
Votes = Sequence[Tally | None]


@dataclass(frozen=True, kw_only=True)
class Line:
    """An example as the results show it, in the order of the examples' numbers."""

    pk: int
    public_id: UUID
    number: int
    caption_0: str
    caption_1: str
    swap: str
    predicates: int
    is_symbolic: bool
    is_series: bool
    is_pragmatic: bool
    has_altered_morpheme: bool
    tags: Sequence[str] = ()

    @cached_property
    def words(self) -> int:
        """The number of words of both captions together."""
        return count_words(self.caption_0) + count_words(self.caption_1)


FIELDS = tuple(name for name in Line.__dataclass_fields__ if name != "tags")


@dataclass(frozen=True, kw_only=True)
class ProjectScores:
    """The results of a project: whether people are right about each example that has all four scores.

    `few`: examples that lack answers, so that people's scores may change.
    """

    lines: Sequence[Line]
    few: int
    rights: Mapping[int, Right]


def scored(project: Project) -> ProjectScores:
    """The results of a project, in a number of queries that does not grow with its rows."""
    votes = votes_of(project)
    return ProjectScores(
        lines=lines_of(project),
        few=sum(fewest_answers(four) < project.answers_wanted for four in votes.values()),
        rights=_rights_of(votes),
    )


def scored_examples(project: Project) -> QuerySet[Example]:
    return project.examples.filter(state=SCORED).order_by("number")


def lines_of(project: Project) -> list[Line]:
    tags = defaultdict(list)
    linked = Tag.examples.through.objects.filter(example__project=project)
    for example, name in linked.order_by("tag__name").values_list("example", "tag__name"):
        tags[example].append(name)
    rows = scored_examples(project).values(*FIELDS)
    return [Line(**row, tags=tuple(tags.get(row["pk"], ()))) for row in rows]


def votes_of(project: Project, *, states: Collection[str] = (SCORED,)) -> dict[int, Votes]:
    """Votes on each example in one of these states; an example without answers has four times None."""
    counted = tallies(Item.objects.filter(study=project.study_id, task=VALIDATE), measures=[YES])
    found: dict[int, list[Tally | None]] = {}
    for item, example, place in _places(project, "item", states=states):
        found.setdefault(example, [None] * len(PLACES))[place] = counted.get((item, YES))
    return {example: tuple(votes) for example, votes in found.items()}


def rights_of_pairs(project: Project) -> list[bool]:
    """Whether most workers are right about each combination with all its answers; a tie is not right."""
    return [
        vote.is_majority if caption == image else vote.no > vote.yes
        for votes in votes_of(project).values()
        for (caption, image), vote in zip(PLACES, votes, strict=True)
        if vote is not None and vote.answers >= project.answers_wanted
    ]


def four_of(votes: Votes) -> PairScores | None:
    """The four shares of yes, or None while one of the combinations has no answer."""
    shares = [vote.share for vote in votes if vote is not None]
    return PairScores(*shares) if len(shares) == len(PLACES) else None


def fewest_answers(votes: Votes) -> int:
    """The number of answers to the combination that has fewest."""
    return min(0 if vote is None else vote.answers for vote in votes)


def _rights_of(votes: Mapping[int, Votes]) -> dict[int, Right]:
    fours = {example: four_of(found) for example, found in votes.items()}
    return {example: four.right for example, four in fours.items() if four is not None}


def _places(
    project: Project, field: str, *, states: Collection[str] = (SCORED,)
) -> Iterator[tuple[Any, int, int]]:
    """Yield the given field of every pairing, its example, and its index in PLACES."""
    pairings = Pairing.objects.filter(example__project=project, example__state__in=states)
    rows: Any = pairings.values_list(field, "example", "caption", "image")
    for value, example, caption, image in rows.iterator(chunk_size=AT_ONCE):
        yield value, example, PLACES.index((caption, image))
