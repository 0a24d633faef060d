"""Tables of trained models: each beside itself untrained, over its runs; and epoch by epoch, as charts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import groupby
from statistics import stdev
from typing import Any

from crowd.benchmarks.models import Benchmark, Training, TrainingRun
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.benchmarks.services.training_jobs import recipes_of
from crowd.benchmarks.training_recipes import Test, TrainingRecipe
from hits.datasets.columns import INTEGER, TEXT
from hits.datasets.stat_table import SHARE, UNKNOWN, WORDS, ShownCell, StatColumn, StatTable, head
from hits.datasets.vega_charts import BELOW, LOOK, Chart, quantity

UNTRAINED, TRAINED = "untrained", "trained"
SHAPES = ("circle", "square", "triangle-up", "diamond")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
MOST_TICKS = 10
Means = Sequence[Fraction]


@dataclass(frozen=True, kw_only=True)
class TrainedLine:
    """A training at one epoch: its runs' means in each test."""

    training: Training
    epoch: int
    state: str
    runs: int
    means: Mapping[str, Means]
    url: str = ""


def trained_tables(benchmark: Benchmark, *, urls: Mapping[int, str] | None = None) -> list[StatTable]:
    """Return two tables for each recipe of which there is a complete run. `urls`: pages by training."""
    measured = TrainingRun.objects.filter(training__benchmark=benchmark).exclude(points=[])
    rows = measured.select_related("training__rival")
    runs = {
        training: list(some)
        for training, some in groupby(rows.order_by("training", "seed"), lambda run: run.training)
    }
    return [
        table
        for recipe in recipes_of(benchmark)
        if (found := {one: some for one, some in runs.items() if one.recipe == recipe.key})
        for table in _tables(benchmark, recipe, found, urls or {})
    ]


def _tables(
    benchmark: Benchmark,
    recipe: TrainingRecipe,
    runs: Mapping[Training, Sequence[TrainingRun]],
    urls: Mapping[int, str],
) -> Iterator[StatTable]:
    measure = task_of(benchmark).single_measures[-1].name
    lines = [line for training, some in runs.items() for line in _epochs(training, some, urls)]
    yield StatTable(
        name=f"trained-{recipe.key}",
        title=recipe.name,
        columns=[
            _who(),
            head("Training", TEXT, of=lambda line: line.state),
            *(column for test in recipe.tests if not test.is_watched for column in _over_runs(test)),
            head("Runs", INTEGER, of=lambda line: line.runs),
            head("Settings", TEXT, of=lambda line: settings_in_words(line.training, recipe)),
        ],
        rows=[line for line in lines if line.state],
        about=recipe.about,
        exact=True,
        note=recipe.note,
    )
    yield StatTable(
        name=f"trained-{recipe.key}-by-epoch",
        title=f"{recipe.name}, epoch by epoch",
        columns=[
            _who(),
            head("Epoch", INTEGER, of=lambda line: line.epoch),
            *(head(test.title, SHARE, name=test.key, of=partial(_mean, test.key)) for test in recipe.tests),
            head("Runs", INTEGER, of=lambda line: line.runs),
        ],
        rows=lines,
        about=f"{measure}, as the mean over runs. Epoch 0 is the untrained model.",
        charts=[_chart(training, recipe, lines, measure) for training in runs],
        exact=True,
    )


def _epochs(
    training: Training, runs: Sequence[TrainingRun], urls: Mapping[int, str]
) -> Iterator[TrainedLine]:
    """Yield a line for each epoch; the first and the last have a state in words."""
    for points in zip(*(run.points for run in runs), strict=True):
        epoch, last = points[0]["epoch"], runs[0].points[-1]["epoch"]
        yield TrainedLine(
            training=training,
            epoch=epoch,
            state={0: UNTRAINED, last: TRAINED}.get(epoch, ""),
            runs=len(runs),
            means={test: list(_means(points, test)) for one in points for test in one["means"]},
            url=urls.get(training.pk, ""),
        )


def _means(points: Sequence[Mapping[str, Any]], test: str) -> Iterator[Fraction]:
    for point in points:
        if test in point["means"]:
            found = point["means"][test]
            yield Fraction(found["sum"]) / found["items"]


def _who() -> StatColumn:
    return head("Who", TEXT, of=lambda line: ShownCell(words=str(line.training), url=line.url))


def _over_runs(test: Test) -> Iterator[StatColumn]:
    """Yield a column of the page, and two of files: the mean, and the standard deviation of the runs."""
    yield head(test.title, WORDS, name="", of=partial(_spread_in_words, test.key))
    yield head("", SHARE, name=f"{test.key}: mean", of=partial(_mean, test.key))
    yield head("", SHARE, name=f"{test.key}: standard deviation", of=partial(_deviation, test.key))


def _mean(test: str, line: TrainedLine) -> float | None:
    means = line.means.get(test)
    return float(sum(means, Fraction()) / len(means)) if means else None


def _deviation(test: str, line: TrainedLine) -> float | None:
    """Return the standard deviation of a sample; None for a single run."""
    means = line.means.get(test, ())
    return stdev(map(float, means)) if len(means) > 1 else None


def _spread_in_words(test: str, line: TrainedLine) -> str:
    mean, deviation = _mean(test, line), _deviation(test, line)
    if mean is None:
        return UNKNOWN
    return f"{100 * mean:.1f}" if deviation is None else f"{100 * mean:.1f} ± {100 * deviation:.1f}"


def settings_in_words(training: Training, recipe: TrainingRecipe) -> str:
    """Say which settings differ from the recipe's own."""
    differing = [
        f"{setting.label.lower()} {training.settings[setting.key]:g}"
        for setting in recipe.settings
        if training.settings.get(setting.key, setting.default) != setting.default
    ]
    return ", ".join(differing) or "by default"


def _chart(training: Training, recipe: TrainingRecipe, lines: Sequence[TrainedLine], measure: str) -> Chart:
    """A line for each test, told apart by dashes and shapes and not by colors."""
    mine = [line for line in lines if line.training == training]
    said = "; ".join(
        f"{test.title.lower()} from {100 * first:.1f} to {100 * last:.1f} %"
        for test in recipe.tests
        if (first := _mean(test.key, mine[0])) is not None and (last := _mean(test.key, mine[-1])) is not None
    )
    titles, most = [test.title for test in recipe.tests], mine[-1].epoch
    return Chart(
        name=f"training-{training.pk}",
        caption=str(training),
        words=f"{recipe.name}: {measure.lower()} of {training} after each of {most} epochs; {said}. {BELOW}",
        spec={
            "config": LOOK,
            "height": 240,
            "data": {"values": list(_values(mine, recipe))},
            "encoding": {
                "x": quantity("epoch", low=0, high=most, title="epochs", ticks=min(most, MOST_TICKS)),
                "y": quantity("share", low=0, high=1, form=".0%", title=measure.lower()),
            },
            "layer": [
                {
                    "mark": {"type": "line", "style": "main", "strokeWidth": 2},
                    "encoding": {"strokeDash": _told_by(DASHES, titles)},
                },
                {
                    "mark": {"type": "point", "style": "main", "filled": True, "size": 60, "opacity": 1},
                    "encoding": {
                        "shape": _told_by(SHAPES, titles),
                        "tooltip": [
                            {"field": "test"}, {"field": "epoch"}, {"field": "words", "title": measure}
                        ],
                    },
                },
            ],
        },
    )  # fmt: skip


def _told_by(marks: Sequence[Any], titles: Sequence[str]) -> Mapping[str, Any]:
    """Return the encoding of a test by one of these marks; the legend has both of a test's in one line."""
    scale = {"domain": list(titles), "range": list(marks[: len(titles)])}
    return {"field": "test", "type": "nominal", "scale": scale, "legend": {"direction": "vertical"}}


def _values(lines: Sequence[TrainedLine], recipe: TrainingRecipe) -> Iterator[Mapping[str, Any]]:
    for test in recipe.tests:
        for line in lines:
            if (share := _mean(test.key, line)) is not None:
                words = f"{100 * share:.1f} %"
                yield {"test": test.title, "epoch": line.epoch, "share": share, "words": words}
