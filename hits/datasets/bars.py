"""Bar charts as plain SVG with direct labels, so that no color carries a meaning."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Within a picture of 400 wide, as the template says.
LEFT, RIGHT, ROW = 168, 312, 28
LONGEST_LABEL = 22


@dataclass(frozen=True, kw_only=True)
class Bar:
    y: int
    width: int
    label: str
    words: str
    value: float
    below: str = ""


@dataclass(frozen=True, kw_only=True)
class Bars:
    rows: Sequence[Bar]
    height: int
    longest: float


def draw_bars(
    rows: Iterable[tuple[str, float, str]], *, most: float | None = None, below: Sequence[str] = ()
) -> Bars | None:
    """Return bars from labels, values and the words at their ends, or None if there is nothing to draw.

    `below` has a small text for each label.
    """
    found = list(rows)
    longest = most or max((value for _, value, _ in found), default=0)
    if not found or not longest:
        return None
    bars = [
        Bar(
            y=4 + ROW * place,
            width=round((RIGHT - LEFT) * value / longest),
            label=shorten(label, to=LONGEST_LABEL),
            words=words,
            value=value,
            below=shorten(below[place], to=LONGEST_LABEL) if below else "",
        )
        for place, (label, value, words) in enumerate(found)
    ]
    return Bars(rows=bars, height=ROW * len(bars) + 8, longest=longest)


def shorten(label: str, *, to: int) -> str:
    return label if len(label) <= to else f"{label[: to - 1]}…"
