"""Associations as rows of the data: read in chunks, under pseudonyms, so that memory stays flat."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count

from crowd.pictures.models import Picture
from crowd.winogavil.given_labels import GivenLabels, labels_of
from crowd.winogavil.models import Association, Place, Solution
from crowd.winogavil.queries.associations import Rows
from crowd.winogavil.releases.domain import deviation
from hits.core.chunks import in_chunks
from hits.data import exports
from hits.datasets.columns import utc_text
from scoring.domain import mean
from scoring.models import RivalQuery, Verdict

AT_ONCE = 500
# Digits of a picture's SHA-256 that follow its concept where several pictures have the same one.
DIGITS = 10
# Fields that a row needs; above all not the workers' sealed ids.
OF_ASSOCIATIONS = (
    "source", "set_key", "recorded_as", "cue", "model_score", "asked_at", "final_at",
    "solvers_numerator", "solvers_denominator", "item__public_id", "item__created_at",
    "item__study__public_id", "item__author__public_id", "item__rival_query__assignment__submitted_at",
)  # fmt: skip
OF_PLACES = (
    "association", "position", "label", "chosen", "predicted",
    "picture__sha256", "picture__licence", "picture__credit", "picture__source", "picture__caption",
)  # fmt: skip
OF_SOLUTIONS = (
    "association", "worker__public_id", "picked", "numerator", "denominator", "assignment__submitted_at",
)  # fmt: skip
OF_CUE_PICTURES = ("concept", "sha256", "licence", "credit", "source", "caption")
NOT_OF_VERDICTS = ("preprocessing", "candidates", "scores", "rival_query__pictures")


class ReleasedCandidate(NamedTuple):
    """A candidate as plain values, since there are about ten of them for each association."""

    association: int
    position: int
    label: str
    chosen: bool
    predicted: bool | None
    sha256: str | None
    licence: str | None
    credit: str | None
    source: str | None
    caption: str | None


class Solved(NamedTuple):
    association: int
    solver: UUID
    picked: Sequence[int]
    numerator: int
    denominator: int
    submitted_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Naming(exports.Naming):
    """Names of people and pictures in one set of files."""

    family: str = "release"
    # Concepts of more than one picture: the name alone would not tell which.
    ambiguous: frozenset[str] = frozenset()

    def picture(self, shown: ReleasedCandidate) -> str:
        if shown.sha256 is None or shown.label not in self.ambiguous:
            return shown.label
        return f"{shown.label}~{shown.sha256[:DIGITS]}"


@dataclass(frozen=True, kw_only=True)
class ChunkRows:
    """Rows that belong to the associations of one chunk, by their keys."""

    places: Mapping[int, Sequence[ReleasedCandidate]]
    solutions: Mapping[int, Sequence[Solved]]
    verdicts: Mapping[int | None, Sequence[Verdict]]
    labels: Mapping[int, GivenLabels]
    cue_pictures: Mapping[str, Picture]


def ambiguous_names(associations: Rows) -> list[str]:
    """Concepts that name more than one picture of these associations."""
    places = Place.objects.filter(association__in=associations.order_by(), picture__isnull=False)
    counted = places.order_by().values("label").annotate(pictures=Count("picture", distinct=True))
    return sorted(counted.filter(pictures__gt=1).values_list("label", flat=True))


def chunks(associations: Rows, *, after: int = 0, size: int = AT_ONCE) -> Iterator[list[Association]]:
    related = associations.select_related("item__study", "item__author", "item__rival_query__assignment")
    return in_chunks(related.only(*OF_ASSOCIATIONS), after=after, size=size)


def full_rows(associations: Sequence[Association], *, naming: Naming, threshold: int) -> list[dict[str, Any]]:
    """Rows of one chunk; those below the threshold, in per cent, are marked as not selected.

    An association reopened while it was read is left out: it is no longer final.
    """
    around = _around(associations)
    return [
        _row(one, around, naming=naming, threshold=threshold)
        for one in associations
        if _of_solvers(around.solutions[one.pk])[0] == one.solvers_mean
    ]


def stream(associations: Rows, *, naming: Naming, threshold: int) -> Iterator[dict[str, Any]]:
    for some in chunks(associations):
        yield from full_rows(some, naming=naming, threshold=threshold)


def _around(associations: Sequence[Association]) -> ChunkRows:
    keys = [one.pk for one in associations]
    places: defaultdict[int, list[ReleasedCandidate]] = defaultdict(list)
    for values in Place.objects.filter(association__in=keys).order_by("position").values_list(*OF_PLACES):
        places[values[0]].append(ReleasedCandidate(*values))
    solutions: defaultdict[int, list[Solved]] = defaultdict(list)
    for values in Solution.objects.filter(association__in=keys).order_by("pk").values_list(*OF_SOLUTIONS):
        solutions[values[0]].append(Solved(*values))
    verdicts: defaultdict[int | None, list[Verdict]] = defaultdict(list)
    told = Verdict.objects.filter(rival_query__item__association__in=keys).select_related(
        "rival_query", "rival"
    )
    for verdict in told.defer(*NOT_OF_VERDICTS).order_by("pk"):
        verdicts[verdict.rival_query.item_id].append(verdict)
    return ChunkRows(
        places=places,
        solutions=solutions,
        verdicts=verdicts,
        labels=labels_of(keys),
        cue_pictures=_pictures_of_cues({one.cue for one in associations}),
    )


def _pictures_of_cues(cues: Collection[str]) -> dict[str, Picture]:
    """Return the first picture of the pool that shows what a word names, by the word in small letters."""
    names = {name for cue in cues for name in (cue, cue.casefold(), cue.capitalize())}
    found: dict[str, Picture] = {}
    for picture in Picture.objects.playable().filter(concept__in=names).order_by("pk").only(*OF_CUE_PICTURES):
        found.setdefault(picture.concept.casefold(), picture)
    return found


def _row(one: Association, around: ChunkRows, *, naming: Naming, threshold: int) -> dict[str, Any]:
    places, solutions = around.places[one.pk], around.solutions[one.pk]
    names = _names(places, naming)
    chosen = [names[place.position] for place in places if place.chosen]
    average, spread = _of_solvers(solutions)
    author = one.item.author
    labels = around.labels.get(one.pk, GivenLabels())
    return {
        "ID": str(one.item.public_id),
        "candidates": list(names.values()),
        "cue": one.cue,
        "associations": chosen,
        "score_fool_the_ai": one.fool_score,
        "num_associations": len(chosen),
        "num_candidates": len(names),
        "solvers_jaccard_mean": None if average is None else float(average),
        "solvers_jaccard_std": spread,
        "study": str(one.item.study.public_id),
        "source": one.source,
        "selected": one.is_selected(threshold=threshold),
        "recorded_as": one.recorded_as,
        "picture_set": one.set_key,
        "author": naming.person(author.public_id) if author else None,
        "made_at": utc_text(_made_at(one)),
        "solvers_jaccard_exact": None if average is None else str(average),
        "asked_at": utc_text(one.asked_at),
        "final_at": utc_text(one.final_at),
        "pictures": [_picture(names[place.position], place) for place in places],
        "solvers": [_solver(solution, names, naming) for solution in solutions],
        "verdicts": [_verdict(verdict, names) for verdict in around.verdicts[one.item_id]],
        "types": [labels.types.get(place.position, "") for place in places],
        "skills": labels.skills,
        "concepts": [place.label for place in places],
        "captions": [place.caption or "" for place in places],
        "cue_picture": _cue_picture(around.cue_pictures.get(one.cue.casefold())),
    }


def _names(places: Iterable[ReleasedCandidate], naming: Naming) -> dict[int, str]:
    """Names by position. No two of an association are the same, whatever a recording has called them."""
    names: dict[int, str] = {}
    times: Counter[str] = Counter()
    for place in places:
        name = naming.picture(place)
        times[name] += 1
        names[place.position] = name if times[name] == 1 else f"{name} ({times[name]})"
    return names


def _picture(name: str, place: ReleasedCandidate) -> dict[str, Any]:
    return {
        "name": name,
        "sha256": place.sha256 or "",
        "licence": place.licence or "",
        "credit": place.credit or "",
        "source": place.source or "",
        "chosen": place.chosen,
        "predicted": place.predicted,
    }


def _cue_picture(picture: Picture | None) -> list[dict[str, str]]:
    if picture is None:
        return []
    told = {name: getattr(picture, name) for name in OF_CUE_PICTURES if name != "concept"}
    return [{"name": picture.concept, **told}]


def _solver(solution: Solved, names: Mapping[int, str], naming: Naming) -> dict[str, Any]:
    return {
        "solver": naming.person(solution.solver),
        "picked": [names[position] for position in solution.picked],
        "jaccard": str(Fraction(solution.numerator, solution.denominator)),
        "submitted_at": utc_text(solution.submitted_at),
    }


def _verdict(verdict: Verdict, names: Mapping[int, str]) -> dict[str, Any]:
    return {
        "rival": verdict.rival.name,
        "paid_on": verdict.rival_id == verdict.rival_query.paid_on_id,
        "model": verdict.model,
        "weights_sha256": verdict.weights_sha256,
        "prompt": verdict.prompt,
        "code_version": verdict.code_version,
        "model_score": verdict.model_score,
        "predicted": [names[position] for position in verdict.places],
        "answered_at": utc_text(verdict.answered_at),
    }


def _of_solvers(solutions: Sequence[Solved]) -> tuple[Fraction | None, float | None]:
    """Mean and deviation of the solvers' Jaccard indices, cached since few combinations of them occur."""
    return _summary(tuple(sorted((one.numerator, one.denominator) for one in solutions)))


@lru_cache(maxsize=4096)
def _summary(shares: tuple[tuple[int, int], ...]) -> tuple[Fraction | None, float | None]:
    values = [Fraction(*share) for share in shares]
    return (mean(values), float(deviation(values))) if values else (None, None)


def _made_at(one: Association) -> datetime:
    """Instant when the author submitted it; for files and recordings, when it was added here."""
    rival_query: RivalQuery | None = getattr(one.item, "rival_query", None)
    work = rival_query.assignment if rival_query else None
    return (work.submitted_at if work else None) or one.item.created_at
