"""A scatter of words: how each fooled the model, and how people solved it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from crowd.winogavil.releases.queries.scored_words import MOST, ScoredWord
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import ShownCell, StatTable, head
from hits.datasets.vega_charts import BELOW, LOOK, Chart, quantity, rule

SHAPES = ("circle", "cross")
STATES = ("selected", "not selected")
SIDE = 320


def words_table(words: Sequence[ScoredWord], *, threshold: int) -> StatTable:
    return StatTable(
        name="scored-words",
        title="Words by both of their scores",
        columns=[
            head("Word", TEXT, of=_named),
            head("Fool-the-AI", of=lambda one: one.fool),
            head("Solvable by humans", NUMBER, of=lambda one: float(one.solvable), digits=1),
            head("Selected", TEXT, of=lambda one: "yes" if one.is_selected else "no"),
        ],
        rows=words,
        about="To the right: words that fooled the model. Upwards: words that people solve. Good words are "
        "in the upper right corner.",
        empty="No word is final yet. A word is drawn once its solvers have answered.",
        note=f"The newest {MOST:,} that are final and that the model was asked about.",
        charts=_scatter(words, threshold=threshold) if words else (),
        is_folded=bool(words),
        files=("csv",),
    )


def _named(word: ScoredWord) -> ShownCell:
    return ShownCell(words=word.cue, url=reverse("admin:winogavil_association_change", args=[word.pk]))


def _scatter(words: Sequence[ScoredWord], *, threshold: int) -> Sequence[Chart]:
    good = sum(one.is_selected for one in words)
    return [
        Chart(
            name="scored-words",
            caption=f"{len(words)} words; dashed: the least at which a word is selected",
            words=f"{len(words)} words, {good} of them selected: fool-the-AI to the right, solvable by "
            f"humans upwards; the dashed line is at {threshold} per cent. {BELOW}",
            spec={
                "config": LOOK,
                "height": SIDE,
                "layer": [
                    {
                        "data": {"values": [_point(one) for one in words]},
                        "mark": {"type": "point", "style": "main", "size": 55, "opacity": 0.6},
                        "encoding": {
                            "x": quantity("fool", low=0, high=100, title="fool-the-AI, per cent"),
                            "y": quantity("solvable", low=0, high=100, title="solvable by humans, per cent"),
                            "shape": {
                                "field": "state",
                                "type": "nominal",
                                "scale": {"domain": list(STATES), "range": list(SHAPES)},
                            },
                            "tooltip": [{"field": one} for one in ("word", "fool", "solvable", "state")],
                        },
                    },
                    {
                        "data": {"values": [{"limit": threshold}]},
                        "mark": rule("plain", is_dashed=True),
                        "encoding": {"y": {"field": "limit", "type": "quantitative"}},
                    },
                ],
            },
        )
    ]


def _point(word: ScoredWord) -> Mapping[str, Any]:
    return {
        "word": word.cue,
        "fool": word.fool,
        "solvable": round(float(word.solvable), 1),
        "state": STATES[not word.is_selected],
    }
