"""Columns of one solved word in a file of solvers' work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from crowd.winogavil.models import Association, Place
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, TEXT, TEXTS, column
from scoring import domain as scores
from scoring.models import RivalQuery


@dataclass(frozen=True, kw_only=True)
class SolvedWord:
    """A word with a solver's picks, by the pictures' keys. None: it was taken away during the work."""

    association: Association
    picks: Sequence[str] | None
    # The model whose verdict counts; empty where no model was asked.
    model: str
    # The places as the worker saw them.
    shown: Sequence[Place]

    @property
    def candidates(self) -> list[Place]:
        return [place for place in self.association.places.all() if place.picture]

    @property
    def picked(self) -> list[Place]:
        return [
            place for place in self.candidates if place.picture and place.picture.key in (self.picks or ())
        ]

    @property
    def jaccard(self) -> float | None:
        value = self._jaccard
        return None if value is None else float(value)

    @property
    def is_right(self) -> bool | None:
        return None if self._jaccard is None else self._jaccard == 1

    @property
    def solvers_mean(self) -> float | None:
        mean = self.association.solvers_mean
        return None if mean is None else float(mean)

    @property
    def _jaccard(self) -> Fraction | None:
        return None if self.picks is None else scores.jaccard(set(self.picks), self.association.chosen_keys)


def _concepts(places: Sequence[Place]) -> list[str]:
    return [place.label for place in places]


def _files(places: Sequence[Place]) -> list[str]:
    return [place.picture.sha256 for place in places if place.picture]


FLAT = (
    column("item", TEXT, "the id of the question", of=lambda one: str(one.association.item.public_id)),
    column("cue", TEXT, "the word", of="association.cue"),
    column(
        "source",
        TEXT,
        "who made the word: file, worker, player, recorded, test or swow",
        of="association.source",
    ),
    column(
        "candidates",
        TEXTS,
        "what the pictures show, in the author's order",
        of=lambda one: _concepts(one.candidates),
    ),
    column(
        "candidates_sha256",
        TEXTS,
        "the SHA-256 of their files, in the same order",
        of=lambda one: _files(one.candidates),
    ),
    column(
        "shown",
        TEXTS,
        "what the pictures show, in the order in which this worker saw them",
        of=lambda one: _concepts(one.shown),
    ),
    column(
        "shown_sha256", TEXTS, "the SHA-256 of their files, in that order", of=lambda one: _files(one.shown)
    ),
    column("picked", TEXTS, "the pictures that the worker picked", of=lambda one: _concepts(one.picked)),
    column("picked_sha256", TEXTS, "the SHA-256 of their files", of=lambda one: _files(one.picked)),
    column(
        "associations",
        TEXTS,
        "the pictures that the author chose: the right answer",
        of=lambda one: [place.label for place in one.candidates if place.chosen],
    ),
    column("jaccard", NUMBER, "Jaccard index of the picks with the right answer, from 0 to 1"),
    column("is_right", FLAG, "whether they are the same"),
    column("model", TEXT, "the model that was asked, whose verdict counts"),
    column(
        "model_picked",
        TEXTS,
        "the pictures that it picked",
        of=lambda one: [place.label for place in one.candidates if place.predicted],
    ),
    column(
        "model_score_percent", INTEGER, "its Jaccard index in whole per cent", of="association.model_score"
    ),
    column("score_fool_the_ai_percent", INTEGER, "100 minus that", of="association.fool_score"),
    column(
        "solvers_jaccard_mean",
        NUMBER,
        "mean Jaccard index of the word's solvers, from 0 to 1, once it is final",
        of="solvers_mean",
    ),
    column("final_at", MOMENT, "when the word's last solver was in", of="association.final_at"),
)


def models_asked(associations: Sequence[Association]) -> Mapping[int, str]:
    """Return the names of the models whose verdicts count, by the keys of associations, in one query."""
    keys = [association.pk for association in associations]
    asked = RivalQuery.objects.filter(item__association__in=keys)
    return dict(asked.values_list("item__association", "paid_on__name"))
