"""Tables of a gate's scores, each with a histogram around its bar."""

from collections.abc import Mapping
from typing import Any

from hits.datasets.columns import TEXT
from hits.datasets.stat_table import StatTable, head
from hits.datasets.vega_charts import BELOW, LOOK, Chart, quantity, rule
from qualifications.models import Gate
from qualifications.queries.attempt_scores import MeasureScores, ScoreStep, scores_of

HEIGHT = 180


def score_tables(gate: Gate) -> list[StatTable]:
    return [score_table(scores) for scores in scores_of(gate) if scores.count]


def score_table(scores: MeasureScores) -> StatTable:
    return StatTable(
        name=f"scores-{scores.measure}".replace("_", "-"),
        title=f"Scores of tests: {scores.measure}",
        columns=[
            head("Score", TEXT, of=lambda step: f"{step.low} to {step.high} %"),
            head("Met the bar", of=lambda step: step.met),
            head("Missed it", of=lambda step: step.missed),
        ],
        rows=scores.steps,
        files=(),
        charts=[_histogram(scores)],
        is_folded=True,
        note="The newest 2,000 that are graded. A test counts by the bar that it was graded by.",
    )


def _histogram(scores: MeasureScores) -> Chart:
    met = sum(step.met for step in scores.steps)
    most = max(step.met + step.missed for step in scores.steps)
    return Chart(
        name=f"scores-{scores.measure}".replace("_", "-"),
        caption="Tests by their score. Dark: met the bar; light: missed it; dashed: the bar of now",
        words=f"{scores.count} tests by their score in steps of 10 per cent; the bar is {scores.bar} "
        f"per cent, and {met} met theirs. {BELOW}",
        spec={
            "config": LOOK,
            "height": HEIGHT,
            "layer": [
                {
                    "data": {"values": [bar for step in scores.steps for bar in _stack(step)]},
                    "mark": {"type": "bar", "style": "main", "orient": "vertical"},
                    "encoding": {
                        "x": {**quantity("low", low=0, high=100, title="score, per cent"), "bin": BINNED},
                        "x2": {"field": "high"},
                        "y": {**_counts(most), "field": "from"},
                        "y2": {"field": "to"},
                        "opacity": {
                            "field": "graded",
                            "type": "nominal",
                            "scale": {"domain": ["met", "missed"], "range": [1, 0.35]},
                            "legend": None,
                        },
                        "tooltip": [{"field": "score"}, {"field": "graded"}, {"field": "tests"}],
                    },
                },
                {
                    "data": {"values": [{"bar": scores.bar}]},
                    "mark": rule("plain", width=2, is_dashed=True),
                    "encoding": {"x": {"field": "bar", "type": "quantitative"}},
                },
            ],
        },
    )


BINNED: Mapping[str, Any] = {"binned": True, "step": 10}


def _counts(most: int) -> Mapping[str, Any]:
    axis = quantity("from", low=0, high=most, title="tests", ticks=min(most, 5))
    return {**axis, "axis": {**axis["axis"], "tickMinStep": 1, "format": "d"}}


def _stack(step: ScoreStep) -> list[Mapping[str, Any]]:
    """Return the two parts of a column: what met the bar from the ground, and what missed it above."""
    shared = {"low": step.low, "high": step.high, "score": f"{step.low} to {step.high} %"}
    both = step.met + step.missed
    return [
        {**shared, "graded": "met", "tests": step.met, "from": 0, "to": step.met},
        {**shared, "graded": "missed", "tests": step.missed, "from": step.met, "to": both},
    ]
