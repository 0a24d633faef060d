"""The scores of one worker over time, on the worker's page: a chart, and the table behind it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from hits.admin.people.worker_sections import SCORES, WorkerSection, announce
from hits.core.domain.days import moment_in_words
from hits.datasets.columns import TEXT
from hits.datasets.stat_table import SHARE, ShownCell, StatTable, head
from hits.datasets.vega_charts import BELOW, LOOK, Chart, quantity
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from scoring.queries.scores_over_time import MOST, ScoredWork, scores_over_time

NAME = "scores-over-time"
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross")
DASHES: Sequence[Sequence[int]] = ([], [6, 4], [2, 3], [8, 3, 2, 3], [1, 2])


def _scores(worker: Worker, user: User) -> Mapping[str, Any]:
    works = scores_over_time(worker, user)
    measures = sorted({measure for one in works for measure in one.means})
    return {"table": scores_table(works, measures), "has_charts": bool(works)}


def scores_table(works: Sequence[ScoredWork], measures: Sequence[str]) -> StatTable:
    """The table of works, newest first. Its chart goes from the oldest to the newest."""
    return StatTable(
        name=NAME,
        title="Scores over time",
        columns=[
            head("Submitted", TEXT),
            head("Batch", TEXT),
            *(head(_name(measure), SHARE, name=f"mean_{measure}", digits=0) for measure in measures),
        ],
        rows=[_row(one, measures) for one in reversed(works)],
        empty="No work of this worker in your studies has a score yet.",
        note=f"Mean of the scores of each work, of the newest {MOST} that are scored.",
        charts=[_chart(works, measures)] if works else (),
        files=(),
    )


def _row(one: ScoredWork, measures: Sequence[str]) -> list[Any]:
    url = reverse("admin:hits_assignment_work", args=[one.work.pk])
    when = moment_in_words(one.work.submitted_at) if one.work.submitted_at else "–"
    return [
        ShownCell(words=when, url=url),
        one.work.hit.batch.title,
        *(one.means.get(measure) for measure in measures),
    ]


def _chart(works: Sequence[ScoredWork], measures: Sequence[str]) -> Chart:
    names = [_name(measure) for measure in measures]
    return Chart(
        name=NAME,
        words=f"Mean score of each of {len(works)} works, from the oldest to the newest, by measure: "
        f"{', '.join(names)}. {BELOW.replace(' and its files have', ' has')}",
        spec={
            "config": LOOK,
            "data": {"values": _values(works)},
            "encoding": {
                "x": quantity("number", low=1, high=max(2, len(works)), title="works, from the oldest on"),
                "y": quantity("mean", low=0, high=1, form=".0%", title="mean score"),
                "tooltip": [{"field": "when"}, {"field": "measure"}, {"field": "mean", "format": ".0%"}],
            },
            "layer": [
                {
                    "mark": {"type": "line", "style": "main", "strokeWidth": 1.5},
                    "encoding": {"strokeDash": _by_measure(names, DASHES)},
                },
                {
                    "mark": {"type": "point", "style": "main", "size": 60, "opacity": 1},
                    "encoding": {"shape": _by_measure(names, SHAPES)},
                },
            ],
        },
    )


def _by_measure(names: Sequence[str], looks: Sequence[Any]) -> Mapping[str, Any]:
    """A measure is told by its shape and its dashes, and not by a color."""
    shown = [looks[at % len(looks)] for at in range(len(names))]
    return {"field": "measure", "type": "nominal", "scale": {"domain": names, "range": shown}}


def _values(works: Sequence[ScoredWork]) -> list[Mapping[str, Any]]:
    return [
        {
            "number": number,
            "when": moment_in_words(one.work.submitted_at) if one.work.submitted_at else "–",
            "measure": _name(measure),
            "mean": mean,
        }
        for number, one in enumerate(works, start=1)
        for measure, mean in sorted(one.means.items())
    ]


def _name(measure: str) -> str:
    """The measure as the worker's other figures name it."""
    return measure.replace("_", " ")


announce(
    WorkerSection(
        tab=SCORES,
        template="admin/scoring/worker_scores.html",
        permissions=["hits.view_assignment"],
        context=_scores,
    )
)
