"""Tallies of associations, creators and solvers, as plain values. Nothing here uses the database."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations
from typing import NamedTuple

from crowd.winogavil.domain import SELECTION_THRESHOLD, reaches
from crowd.winogavil.releases.domain import Mean, Spread

WHOLE = 100  # scores of models are whole per cent


class Fact(NamedTuple):
    """An association's values, in the order in which the query names them."""

    key: int
    author: int | None
    model_score: int | None
    numerator: int | None
    denominator: int | None
    final_at: datetime | None
    size: int
    k: int


class Answer(NamedTuple):
    """A solver's answer; `picked` are positions."""

    association: int
    worker: int
    picked: Sequence[int]
    numerator: int
    denominator: int


@dataclass(slots=True)
class Scores:
    """Number of some associations, and the means of those that have scores."""

    count: int = 0
    model: Mean = field(default_factory=Mean)
    human: Mean = field(default_factory=Mean)

    def add(self, fact: Fact) -> None:
        self.count += 1
        if fact.model_score is not None:
            self.model.add(fact.model_score, WHOLE)
        if fact.final_at and fact.numerator is not None and fact.denominator:
            self.human.add(fact.numerator, fact.denominator)

    def merge(self, other: "Scores") -> None:
        self.count += other.count
        self.model.merge(other.model)
        self.human.merge(other.human)


@dataclass(slots=True)
class Shape:
    """Associations with one number of candidates and of chosen ones: all that were made, and the selected."""

    final: int = 0
    made: Scores = field(default_factory=Scores)
    selected: Scores = field(default_factory=Scores)


@dataclass(slots=True)
class Creator:
    selected: int = 0
    # The model's scores; 100 minus their mean is the creator's.
    made: Scores = field(default_factory=Scores)

    def merge(self, other: "Creator") -> None:
        self.selected += other.selected
        self.made.merge(other.made)


@dataclass(slots=True)
class Agreement:
    """Agreement of solvers: by pairs, of all of an association together, and within each association."""

    pairs: Spread = field(default_factory=Spread)
    together: Spread = field(default_factory=Spread)
    # How often each combination of an association's solvers' shares occurs.
    within: Counter[tuple[tuple[int, int], ...]] = field(default_factory=Counter)

    @property
    def author(self) -> Spread:
        """Agreement with the author's choice, over all answers."""
        found = Spread()
        for shares, times in self.within.items():
            for share in shares:
                found.shares[share] += times
        return found

    def merge(self, other: "Agreement") -> None:
        self.pairs.shares.update(other.pairs.shares)
        self.together.shares.update(other.together.shares)
        self.within.update(other.within)


@dataclass(slots=True)
class Cues:
    """How often each selected word occurs, and in how many sets no two authors had the same idea."""

    words: Counter[str] = field(default_factory=Counter)
    sets: int = 0
    different: int = 0


@dataclass(slots=True)
class Tallies:
    """Tallies by size and number chosen, and by person and size; everything shown is a sum of these."""

    shapes: defaultdict[tuple[int, int], Shape] = field(default_factory=lambda: defaultdict(Shape))
    creators: defaultdict[tuple[int, int], Creator] = field(default_factory=lambda: defaultdict(Creator))
    solvers: defaultdict[tuple[int, int], Mean] = field(default_factory=lambda: defaultdict(Mean))
    agreement: defaultdict[int, Agreement] = field(default_factory=lambda: defaultdict(Agreement))
    cues: Cues = field(default_factory=Cues)
    # The least mean of the solvers of a selected association, in per cent.
    threshold: int = SELECTION_THRESHOLD
    # How often each mean of the solvers of a final association occurs.
    means: Counter[tuple[int, int]] = field(default_factory=Counter)

    def add(self, fact: Fact, answers: Sequence[Answer]) -> None:
        is_selected = is_solved(fact.final_at, fact.numerator, fact.denominator, threshold=self.threshold)
        shape = self.shapes[fact.size, fact.k]
        shape.made.add(fact)
        if is_selected:
            shape.selected.add(fact)
        if fact.author is not None:
            creator = self.creators[fact.author, fact.size]
            creator.selected += is_selected
            creator.made.add(fact)
        if fact.final_at is not None:
            shape.final += 1
            self.means[fact.numerator or 0, fact.denominator or 1] += 1
            for answer in answers:
                self.solvers[answer.worker, fact.size].add(answer.numerator, answer.denominator)
            if answers:
                _add_agreement(self.agreement[fact.size], answers)


def is_solved(
    final_at: datetime | None, numerator: int | None, denominator: int | None, *, threshold: int
) -> bool:
    """True for a final association whose solvers' mean reaches the threshold."""
    if final_at is None or numerator is None or not denominator:
        return False
    return reaches(numerator, denominator, threshold=threshold)


def add_set(cues: Cues, rows: Iterable[tuple[int | None, str, bool]]) -> None:
    """Add all cues for one set of pictures: author, cue, whether it was selected."""
    owners: defaultdict[str, set[int]] = defaultdict(set)
    authors: set[int] = set()
    for author, cue, selected in rows:
        word = cue.casefold()
        if selected:
            cues.words[word] += 1
        if author is not None:
            owners[word].add(author)
            authors.add(author)
    if len(authors) > 1:
        cues.sets += 1
        cues.different += all(len(found) == 1 for found in owners.values())


def joined(facts: Iterable[Fact], answers: Iterable[Answer]) -> Iterator[tuple[Fact, list[Answer]]]:
    """Yield each association with its answers; both come in the associations' order, so none is held."""
    remaining = iter(answers)
    waiting = next(remaining, None)
    for fact in facts:
        found = []
        while waiting is not None and waiting.association <= fact.key:
            if waiting.association == fact.key:
                found.append(waiting)
            waiting = next(remaining, None)
        yield fact, found


def _add_agreement(agreement: Agreement, answers: Sequence[Answer]) -> None:
    """Add the agreement of an association's solvers; their picks are bits, one for each position."""
    picks = [sum(1 << position for position in answer.picked) for answer in answers]
    shares = sorted((answer.numerator, answer.denominator) for answer in answers)
    agreement.within[tuple(shares)] += 1
    for one, other in combinations(picks, 2):
        agreement.pairs.add(*_jaccard((one, other)))
    if len(picks) > 1:
        agreement.together.add(*_jaccard(picks))


def _jaccard(picks: Sequence[int]) -> tuple[int, int]:
    """Jaccard index of bit sets: shared by all, over picked by any. Solvers who all pick nothing agree."""
    shared = either = picks[0]
    for one in picks[1:]:
        shared, either = shared & one, either | one
    return (shared.bit_count(), either.bit_count()) if either else (1, 1)
