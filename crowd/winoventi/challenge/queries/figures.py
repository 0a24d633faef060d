"""The paper's figures of a project, from posted pairs to their authors. Nothing is stored: all is counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.db.models import Count, Q

from crowd.winoventi.challenge.domain.sentence_lengths import Third, mean_length, place_of, thirds
from crowd.winoventi.challenge.queries.prompt_rows import settled_pairs
from crowd.winoventi.domain.outcomes import QUESTIONS
from crowd.winoventi.models import Generic, Judgement, Premise, Project
from crowd.winoventi.queries import count_pairs, judged_times

MOST_WORKERS = 50


@dataclass(frozen=True, kw_only=True)
class ByK:
    """Counts of one k: statements posted, statements that make no sense, and valid pairs."""

    k: int
    posted: int
    nonsense: int
    pairs: int


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """Figures of the sentences of the valid pairs that have a bracket."""

    count: int
    mean_words: Fraction | None
    thirds: Mapping[Third, int]


@dataclass(frozen=True, kw_only=True)
class Author:
    """Counts of one worker's work, under the pseudonym that the admin shows."""

    pseudonym: str
    statements: int
    premises: int
    judgements: int

    @property
    def all(self) -> int:
        return self.statements + self.premises + self.judgements


@dataclass(frozen=True, kw_only=True)
class Statistics:
    counts: Mapping[str, Any]
    by_k: Sequence[ByK]
    sentences: Sentences
    # How often validators said yes to each question.
    objections: Mapping[str, int]
    judged: Mapping[int, int]
    workers: Sequence[Author]
    workers_count: int


def statistics_of(project: Project) -> Statistics:
    authors = _authors(project)
    return Statistics(
        counts=count_pairs(project),
        by_k=_by_k(project),
        sentences=_sentences(project),
        objections=_objections(project),
        judged=judged_times(project),
        workers=authors[:MOST_WORKERS],
        workers_count=len(authors),
    )


def _by_k(project: Project) -> list[ByK]:
    posted = project.generics.filter(state__in=Generic.POSTED_ONES).order_by("k")
    counted = posted.values("k").annotate(
        posted=Count("pk"), nonsense=Count("pk", filter=Q(state=Generic.State.NONSENSE))
    )
    valid = settled_pairs(project, everything=False).order_by()
    pairs = dict(valid.values_list("alternative__generic__k").annotate(count=Count("pk")))
    return [ByK(**row, pairs=pairs.get(row["k"], 0)) for row in counted]


def _sentences(project: Project) -> Sentences:
    pairs = settled_pairs(project, everything=False).filter(Premise.HAS_BRACKET)
    places = [place_of(sentence) for sentence in pairs.values_list("sentence", flat=True).iterator()]
    return Sentences(count=len(places), mean_words=mean_length(places), thirds=thirds(places))


def _objections(project: Project) -> dict[str, int]:
    given = Judgement.objects.filter(premise__project=project)
    found = given.aggregate(**{str(one): Count("pk", filter=Q(**{str(one): True})) for one in QUESTIONS})
    return {str(one): found[str(one)] for one in QUESTIONS}


def _authors(project: Project) -> list[Author]:
    """Workers with their counts, the busiest first."""
    judged = Judgement.objects.filter(premise__project=project)
    taken = project.generics.filter(worker__isnull=False)
    written = project.premises.filter(is_kept=True)
    counts: dict[str, dict[str, int]] = {}
    for name, rows in (("statements", taken), ("premises", written), ("judgements", judged)):
        for pseudonym, count in rows.order_by().values_list("worker__pseudonym").annotate(n=Count("pk")):
            counts.setdefault(pseudonym, dict.fromkeys(("statements", "premises", "judgements"), 0))
            counts[pseudonym][name] = count
    authors = [Author(pseudonym=pseudonym, **found) for pseudonym, found in counts.items()]
    return sorted(authors, key=lambda author: (-author.all, author.pseudonym))
