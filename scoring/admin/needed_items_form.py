"""The form of a wanted interval: how wide, how sure, and what is expected of the items."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from django import forms

from scoring.quality.needed_items import (
    MOST_SPREAD,
    UNKNOWN_SHARE,
    WidthOf,
    alpha_width,
    cautious_share,
    cautious_spread,
    mean_width,
    share_width,
)
from scoring.queries.planned_figures import Kind, Pilot, PlannedFigure

POINTS = 100
REACH, CONFIDENCE = 5, "95"
CONFIDENCES = [(one, f"{one} %") for one in ("90", "95", "99")]
# What is expected of the items, by the figure; alpha takes its pilot as it is.
EXPECTED: Mapping[Kind, str] = {Kind.SHARE: "share", Kind.MEAN: "spread"}
SHARE_HELP = (
    "Per cent, from 0 to 100. At 50 the interval is widest, so 50 is the choice where nothing is known."
)
SPREAD_HELP = (
    "Standard deviation of the items' values, which go from 0 to 100. Above 50 there is none; of values "
    "that are mostly alike it is small."
)


class IntervalForm(forms.Form):
    reach = forms.FloatField(
        label="Plus or minus, points",
        min_value=0.1,
        max_value=50,
        help_text="Of 100, to either side: 5 for an interval that is 10 points wide. Of alpha, hundredths.",
    )
    confidence = forms.ChoiceField(
        label="Confidence", choices=CONFIDENCES, help_text="How often such an interval holds the true figure."
    )
    share = forms.FloatField(
        label="Expected share, per cent", min_value=0, max_value=100, help_text=SHARE_HELP
    )
    spread = forms.FloatField(
        label="Spread of the items, points", min_value=0.1, max_value=100 * MOST_SPREAD, help_text=SPREAD_HELP
    )
    settled = forms.BooleanField(required=False)

    def __init__(
        self, asked: Mapping[str, Any], *, figure: PlannedFigure, pilot: Pilot | None, settled: int
    ) -> None:
        """`asked`: what was sent; what was not begins as usual. `settled`: items to offer to count too."""
        start = {"reach": REACH, "confidence": CONFIDENCE, **expected_of(figure.kind, pilot)}
        super().__init__({**start, **asked}, label_suffix="")
        self.figure, self.pilot = figure, pilot
        self._keep({EXPECTED.get(figure.kind), "settled" if settled else None})
        if settled:
            words = f"Count the {settled} items of this study too that need no answer any more"
            self.fields["settled"].label = words

    def _keep(self, names: Collection[str | None]) -> None:
        for name in {*EXPECTED.values(), "settled"}.difference(names):
            del self.fields[name]

    @property
    def width_of(self) -> WidthOf:
        """The width by the number of items, as the form has it; it is valid."""
        pilot, values, kind = self.pilot, self.cleaned_data, self.figure.kind
        confidence = int(values["confidence"]) / POINTS
        if kind == Kind.SHARE:
            return partial(share_width, share=values["share"] / POINTS, confidence=confidence)
        if kind == Kind.MEAN:
            return partial(mean_width, spread=values["spread"] / POINTS, confidence=confidence)
        if pilot is None or pilot.interval is None:
            raise ValueError("Without a pilot nothing is known of alpha's interval.")
        return partial(alpha_width, interval=pilot.interval, of=pilot.items, confidence=confidence)


def expected_of(kind: Kind, pilot: Pilot | None) -> dict[str, float]:
    """Return what is expected at first: the pilot's figure on the safe side, or the worst case."""
    if kind == Kind.SHARE:
        share = cautious_share(pilot.value * pilot.items, pilot.items) if pilot else UNKNOWN_SHARE
        return {"share": round(POINTS * share, 1)}
    if kind == Kind.MEAN:
        spread = cautious_spread(pilot.spread, pilot.items) if pilot else MOST_SPREAD
        return {"spread": max(0.1, round(POINTS * spread, 1))}
    return {}
