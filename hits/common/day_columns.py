"""A column for each day, as a plain picture with direct labels: for pages that load no library of charts."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

# The plot's edges in a picture of 400 by 150, the size that the template sets.
LEFT, RIGHT, TOP, BOTTOM = 4, 396, 24, 124
GAP = 2


@dataclass(frozen=True, kw_only=True)
class DayColumn:
    """One day. Places are whole numbers: a decimal comma would break the picture."""

    label: str
    words: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, kw_only=True)
class AxisLabel:
    x: int
    words: str
    anchor: str


@dataclass(frozen=True, kw_only=True)
class DayColumns:
    """Columns, the label of the highest one, and the first and last day below."""

    columns: Sequence[DayColumn]
    highest: AxisLabel
    ends: Sequence[AxisLabel]


def draw_days(days: Sequence[tuple[str, int | Decimal, str]]) -> DayColumns | None:
    """Draw days from labels, values and the values in words; None where every day is empty."""
    most = max((value for _, value, _ in days), default=0)
    if not most:
        return None
    width = (RIGHT - LEFT) // len(days)
    columns = [
        DayColumn(
            label=label,
            words=words,
            x=LEFT + place * width,
            y=BOTTOM - (height := round((BOTTOM - TOP) * value / most)),
            width=width - GAP,
            height=height,
        )
        for place, (label, value, words) in enumerate(days)
    ]
    top = next(column for column in columns if column.y == TOP)
    return DayColumns(
        columns=columns,
        highest=AxisLabel(x=_middle(top), words=top.words, anchor=_anchor(_middle(top))),
        ends=[
            AxisLabel(x=LEFT, words=columns[0].label, anchor="start"),
            AxisLabel(x=LEFT + width * len(days) - GAP, words=columns[-1].label, anchor="end"),
        ],
    )


def _middle(column: DayColumn) -> int:
    return column.x + column.width // 2


def _anchor(x: int) -> str:
    """Keep a label inside the picture."""
    third = (RIGHT - LEFT) // 3
    return "start" if x < LEFT + third else "end" if x > RIGHT - third else "middle"
