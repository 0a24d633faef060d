"""Rows of examples and of answers, read in chunks so that memory stays flat."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from django.db.models import QuerySet

from crowd.winoground.domain import PLACES, YES
from crowd.winoground.domain.caption_scores import PairScores
from crowd.winoground.models import Example, Project
from crowd.winoground.queries.scoring import SCORED, Votes, four_of, votes_of
from hits.core.chunks import in_chunks
from hits.work.models.items import Item
from scoring.models import Score
from scoring.queries.vote_tallies import counting_scores

AT_ONCE = 250
ANSWERS_AT_ONCE = 2_000
State = Example.State
Examples = QuerySet[Example]
NONE: Votes = (None,) * len(PLACES)


@dataclass(frozen=True, kw_only=True)
class ExampleRows:
    """An example with people's votes."""

    example: Example
    votes: Votes

    @cached_property
    def four(self) -> PairScores | None:
        return four_of(self.votes)


def asked_examples(project: Project, *, everything: bool) -> Examples:
    """Examples that workers are asked about; with `everything`, also those withdrawn after that."""
    asked = project.examples.filter(asked_at__isnull=False)
    return asked.filter(state__in=[SCORED, State.WITHDRAWN]) if everything else asked.filter(state=SCORED)


def read_examples(project: Project, *, everything: bool, in_full: bool = False) -> Iterator[ExampleRows]:
    votes = votes_of(project, states=(SCORED, State.WITHDRAWN))
    examples = asked_examples(project, everything=everything)
    if in_full:
        examples = examples.prefetch_related("gendered_confirmations__by")
    for example in _in_order(examples):
        yield ExampleRows(example=example, votes=votes.get(example.pk, NONE))


def read_answers(project: Project, *, everything: bool) -> Iterator[Score]:
    """Every answer that counts, in the order in which they were recorded."""
    examples = asked_examples(project, everything=everything)
    items = Item.objects.filter(winoground_pairing__example__in=examples)
    counting = counting_scores(items).filter(measure=YES)
    related = counting.select_related("assignment__worker", "item__winoground_pairing__example")
    return chain.from_iterable(in_chunks(_slim(related), size=ANSWERS_AT_ONCE))


def _slim(scores: QuerySet[Score]) -> QuerySet[Score]:
    pairing = "item__winoground_pairing"
    return scores.only(
        "numerator",
        "assignment__submitted_at",
        "assignment__worker__public_id",
        "item__id",
        f"{pairing}__caption",
        f"{pairing}__image",
        f"{pairing}__example__public_id",
        f"{pairing}__example__number",
    )


def _in_order(examples: Examples) -> Iterator[Example]:
    related = examples.select_related("project__study", "author", "image_0", "image_1")
    return chain.from_iterable(in_chunks(related.prefetch_related("tags"), by="number", size=AT_ONCE))
