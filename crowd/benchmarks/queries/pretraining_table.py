"""Whether models that have learned from more are better: correlations over models, and a chart of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from statistics import median

from crowd.benchmarks.benchmark_tasks import BenchmarkTask, Measure
from crowd.benchmarks.models import Result
from crowd.benchmarks.services.score_sums import ALL
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.correlations import FEWEST, chance_of, correlate
from hits.datasets.stat_table import StatTable, head
from hits.datasets.vega_charts import LOOK, Chart, quantity

# A model that has learned from more than so many times the median is an outlier, as papers have them.
OUTLYING = 10
MILLION = 10**6
COUNTED: Mapping[str, str] = {"pretraining_images": "images", "pretraining_captions": "captions"}
COLUMNS = (
    head("Pretraining", TEXT),
    head("Measure", TEXT),
    head("r", NUMBER, digits=2),
    head("p", NUMBER, digits=4),
    head("Models"),
    head("Left out", TEXT),
)


@dataclass(frozen=True, kw_only=True)
class Learned:
    """A model with what it has learned from, and its means by measure."""

    name: str
    count: int
    means: Mapping[str, Fraction]


def pretraining_table(task: BenchmarkTask, results: Sequence[Result]) -> Iterator[StatTable]:
    """Yield the table, or none while fewer than three models state what they have learned from."""
    known = {name: _models(results, name) for name in COUNTED}
    told = {name: models for name, models in known.items() if len(models) >= FEWEST}
    if told:
        yield StatTable(
            name="pretraining",
            title="By size of the pretraining",
            columns=COLUMNS,
            rows=[row for name, models in told.items() for row in _rows(task, COUNTED[name], models)],
            about="Pearson's r over models, between what they have learned from and how they do; p by "
            f"Student's t, both sides. A model with more than {OUTLYING} times the median is an outlier: "
            "there are figures without such models, and with all.",
            charts=[_chart(task, name, models) for name, models in told.items() if task.single_measures],
        )


def _models(results: Sequence[Result], name: str) -> list[Learned]:
    return [
        Learned(name=result.name, count=count, means=_means(result))
        for result in results
        if result.is_of_model and (count := getattr(result.facts, name)) is not None
    ]


def _means(result: Result) -> dict[str, Fraction]:
    whole = [one for one in result.sums if one["group"] == ALL]
    return {str(one["measure"]): Fraction(str(one["sum"])) / int(str(one["items"])) for one in whole}


def _rows(task: BenchmarkTask, what: str, models: Sequence[Learned]) -> Iterator[Sequence[object]]:
    usual = _without_outliers(models)
    outlying = [one.name for one in models if one not in usual]
    for chosen, left_out in [(usual, ", ".join(outlying)), *([(models, "")] if outlying else [])]:
        for measure in task.measures:
            pairs = [(one.count, one.means[measure.key]) for one in chosen if measure.key in one.means]
            found = correlate(pairs)
            r, p = (found.r, chance_of(found)) if found else (None, None)
            yield (what, measure.name, r, p, len(pairs), left_out)


def _without_outliers(models: Sequence[Learned]) -> list[Learned]:
    limit = OUTLYING * median(one.count for one in models)
    return [one for one in models if one.count <= limit]


def _chart(task: BenchmarkTask, name: str, models: Sequence[Learned]) -> Chart:
    """A point for each model and measure, without the outliers; the shape says which measure."""
    usual, what = _without_outliers(models), f"pretraining {COUNTED[name]}, in millions"
    measures = task.single_measures
    points = [_point(one, measure) for one in usual for measure in measures if measure.key in one.means]
    most = max(one.count for one in usual) / MILLION
    highest = max((float(str(point["mean"])) for point in points), default=1)
    return Chart(
        name=name,
        caption=what.capitalize(),
        words=f"How {len(usual)} models do, by {what}. The table of the models has their sizes, and the "
        "table of all results has their means.",
        spec={
            "config": LOOK,
            "height": 240,
            "data": {"values": points},
            "mark": {"type": "point", "style": "main", "size": 70, "opacity": 1},
            "encoding": {
                "x": quantity("count", low=0, high=most or 1, title=what),
                "y": quantity("mean", low=0, high=ceil(10 * highest) / 10 or 1, form=".0%"),
                "shape": {"field": "measure", "type": "nominal", "sort": [one.name for one in measures]},
                "tooltip": [
                    {"field": "model", "title": "model"},
                    {"field": "measure", "title": "measure"},
                    {"field": "words", "title": "mean"},
                ],
            },
        },
    )


def _point(one: Learned, measure: Measure) -> Mapping[str, object]:
    mean = float(one.means[measure.key])
    return {
        "model": one.name,
        "measure": measure.name,
        "count": one.count / MILLION,
        "mean": mean,
        "words": f"{100 * mean:.1f} %",
    }
