"""Scores with their intervals as plain SVG: lengths and lines, so that no color carries a meaning."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crowd.winoground.domain.scores import CHANCE, Kind
from crowd.winoground.domain.statistics import Share

# Within a picture of 400 wide, as the template says.
LEFT, RIGHT, TOP, ROW = 128, 330, 22, 28
LONGEST_LABEL = 14


@dataclass(frozen=True, kw_only=True)
class Bar:
    """`low` and `high`: the ends of its interval, if it has one, which lies below it."""

    label: str
    y: int
    below: int
    width: int
    low: int | None
    high: int | None
    words: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    kind: Kind
    bars: Sequence[Bar]
    chance: int
    height: int


def draw_chart(kind: Kind, shares: Iterable[tuple[str, Share]]) -> Chart | None:
    """None where there is nothing to draw."""
    known = [(name, share) for name, share in shares if share.of]
    if not known:
        return None
    bars = [_bar(row, name, share) for row, (name, share) in enumerate(known)]
    chance = _across(float(CHANCE[kind]))
    return Chart(kind=kind, bars=bars, chance=chance, height=TOP + ROW * len(bars) + 4)


def _bar(row: int, name: str, share: Share) -> Bar:
    value, interval, top = float(share.value or 0), share.interval, TOP + ROW * row
    return Bar(
        label=name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 1]}…",
        y=top,
        below=top + 19,
        width=_across(value) - LEFT,
        low=_across(interval.low) if interval else None,
        high=_across(interval.high) if interval else None,
        words=f"{100 * value:.1f} %",
    )


def _across(share: float) -> int:
    return LEFT + round((RIGHT - LEFT) * share)
