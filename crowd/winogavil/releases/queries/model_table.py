"""Models beside people and chance on one release: the paper's Table 4."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from django.db.models import Count

from crowd.winogavil.humans import baseline_of
from crowd.winogavil.releases.domain import ALL, GROUPS, per_cent, random_expectation
from crowd.winogavil.releases.models import Prediction, Release, Tally

# Columns of the game in the paper's order, many candidates first; the baseline's follows them.
COLUMNS: Mapping[str, tuple[int, ...]] = {"10 & 12": GROUPS["10 & 12"], "5 & 6": GROUPS["5 & 6"], ALL: ()}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row: whose picks, over how many items, and the mean Jaccard index in percent by column."""

    name: str
    items: int
    means: Mapping[str, Decimal | None]
    notes: str = ""
    prediction: Prediction | None = None


Sums = Mapping[int, tuple[int, Fraction]]


def table(release: Release) -> Sequence[Line]:
    """Models in the order in which they came, then people, then chance."""
    predictions = list(release.predictions.select_related("made_by"))
    tallies: defaultdict[int, list[Tally]] = defaultdict(list)
    for tally in Tally.objects.filter(prediction__release=release):
        tallies[tally.prediction_id].append(tally)
    models = [
        _line(one.model, _added(_parts(tallies[one.pk])), notes=one.notes, prediction=one)
        for one in predictions
    ]
    return [*models, *_people(release), _chance(release)]


def _people(release: Release) -> Iterable[Line]:
    found = baseline_of(release.study)
    if found is not None:
        notes = "people new to the study, over its whole selection"
        yield _line("Humans", found.sums, notes=notes)
    rows = release.items.filter(selected=True).order_by().values_list("size", "numerator", "denominator")
    counted = rows.annotate(times=Count("pk"))
    sums = _added((size, times, Fraction(top, bottom) * times) for size, top, bottom, times in counted)
    yield _line("Solvers", sums, notes="the people whose answers the selection was made by")


def _chance(release: Release) -> Line:
    shapes = release.items.filter(selected=True).order_by().values_list("size", "k")
    counted = shapes.annotate(times=Count("pk"))
    sums = _added((size, times, random_expectation(size, k) * times) for size, k, times in counted)
    return _line("Random", sums, notes="expected of who picks as many as were chosen, blindly")


def _parts(tallies: Iterable[Tally]) -> Iterable[tuple[int, int, Fraction]]:
    for tally in tallies:
        yield tally.size, tally.items, Fraction(tally.numerator, tally.denominator)


def _added(parts: Iterable[tuple[int, int, Fraction]]) -> Sums:
    found: dict[int, tuple[int, Fraction]] = {}
    for size, count, total in parts:
        items, so_far = found.get(size, (0, Fraction(0)))
        found[size] = (items + count, so_far + total)
    return found


def _line(name: str, sums: Sums, *, notes: str = "", prediction: Prediction | None = None) -> Line:
    means = {column: per_cent(_mean(sums, sizes)) for column, sizes in COLUMNS.items()}
    items = sum(count for count, _ in sums.values())
    return Line(name=name, items=items, means=means, notes=notes, prediction=prediction)


def _mean(sums: Sums, sizes: Sequence[int]) -> Fraction | None:
    chosen = [found for size, found in sums.items() if not sizes or size in sizes]
    items = sum(count for count, _ in chosen)
    return sum((total for _, total in chosen), Fraction(0)) / items if items else None
