"""Models beside people and chance on one release: the paper's Table 4."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from django.db.models import Count

from crowd.releases.models import Release
from crowd.winogavil.humans import baseline_of
from crowd.winogavil.releases.domain import ALL, BASELINE, GROUPS, per_cent, random_expectation
from crowd.winogavil.releases.models import Prediction, Tally
from crowd.winogavil.releases.origins import holds_baseline, holds_game

# Columns of the game in the paper's order, many candidates first; the baseline's follows them.
COLUMNS: Mapping[str, tuple[int, ...]] = {"10 & 12": GROUPS["10 & 12"], "5 & 6": GROUPS["5 & 6"], ALL: ()}

# The people whose answers decided the selection.
SOLVERS = "Solvers"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row: whose picks, over how many items, and the mean Jaccard index in percent by column."""

    name: str
    items: int
    means: Mapping[str, Decimal | None]
    notes: str = ""
    prediction: Prediction | None = None
    is_people: bool = False


# By origin (True: the SWOW baseline) and number of candidates: how many items, and the sum of their indices.
Sums = Mapping[tuple[bool, int], tuple[int, Fraction]]
Part = tuple[bool, int, int, Fraction]


def columns_of(release: Release) -> list[str]:
    """Names of the table's columns; only a release that holds the baseline has a column for it."""
    return [*(COLUMNS if holds_game(release) else ()), *([BASELINE] if holds_baseline(release) else ())]


def table(release: Release) -> Sequence[Line]:
    """Rows of the table: models in the order in which they came, then people, then chance."""
    columns = columns_of(release)
    predictions = list(release.predictions.select_related("made_by"))
    tallies: defaultdict[int, list[Tally]] = defaultdict(list)
    for tally in Tally.objects.filter(prediction__release=release):
        tallies[tally.prediction_id].append(tally)
    models = [
        _line(one.model, _added(_parts(tallies[one.pk])), columns, notes=one.notes, prediction=one)
        for one in predictions
    ]
    return [*models, *_people(release, columns), _chance(release, columns)]


def _people(release: Release, columns: Sequence[str]) -> Iterable[Line]:
    found = baseline_of(release.study)
    if found is not None:
        notes = "people new to the study, over its whole selection"
        held = {False: holds_game(release), True: holds_baseline(release)}
        of_people = {key: each for key, each in found.sums.items() if held[key[0]]}
        yield replace(_line("Humans", of_people, columns, notes=notes), is_people=True)
    rows = release.items.filter(selected=True).order_by()
    counted = rows.values_list("from_list", "size", "numerator", "denominator").annotate(times=Count("pk"))
    sums = _added(
        (from_list, size, times, Fraction(top, bottom) * times)
        for from_list, size, top, bottom, times in counted
    )
    solvers = _line(SOLVERS, sums, columns, notes="the people whose answers decided the selection")
    yield replace(solvers, is_people=True)


def _chance(release: Release, columns: Sequence[str]) -> Line:
    shapes = release.items.filter(selected=True).order_by().values_list("from_list", "size", "k")
    counted = shapes.annotate(times=Count("pk"))
    sums = _added(
        (from_list, size, times, random_expectation(size, k) * times) for from_list, size, k, times in counted
    )
    return _line("Random", sums, columns, notes="expected of blind picks, as many as were chosen")


def _parts(tallies: Iterable[Tally]) -> Iterable[Part]:
    for tally in tallies:
        yield tally.from_list, tally.size, tally.items, Fraction(tally.numerator, tally.denominator)


def _added(parts: Iterable[Part]) -> Sums:
    found: dict[tuple[bool, int], tuple[int, Fraction]] = {}
    for from_list, size, count, total in parts:
        items, so_far = found.get((from_list, size), (0, Fraction(0)))
        found[from_list, size] = (items + count, so_far + total)
    return found


def _line(
    name: str, sums: Sums, columns: Sequence[str], *, notes: str = "", prediction: Prediction | None = None
) -> Line:
    means = {column: per_cent(_mean(sums, column)) for column in columns}
    items = sum(count for count, _ in sums.values())
    return Line(name=name, items=items, means=means, notes=notes, prediction=prediction)


def _mean(sums: Sums, column: str) -> Fraction | None:
    """Mean of a column; those of the game, “all” among them, leave the baseline out."""
    wanted, sizes = column == BASELINE, COLUMNS.get(column, ())
    chosen = [
        found
        for (from_list, size), found in sums.items()
        if from_list == wanted and (not sizes or size in sizes)
    ]
    items = sum(count for count, _ in chosen)
    return sum((total for _, total in chosen), Fraction(0)) / items if items else None
