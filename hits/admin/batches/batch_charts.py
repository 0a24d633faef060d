"""Charts as plain SVG figures with lines, hatching and direct labels, so that no color carries a meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from django.utils.formats import date_format

from hits.batches.queries.live_figures import Bar

# The plot's edges in a picture of 400 by 216, the size that the templates set.
LEFT, RIGHT, TOP, BOTTOM = 44, 388, 36, 176
MINUTE_S, HOUR_S = 60, 3600


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A place on an axis and its label. Whole numbers: a decimal comma would break the picture."""

    at: int
    words: str
    anchor: str = "middle"


@dataclass(frozen=True, kw_only=True)
class StepLine:
    """A chart of a count that only grows, against its highest possible value."""

    path: str
    top: int
    end_x: int
    end_y: int
    label_y: int
    label: str
    limit_y: int
    limit_label: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    rows: Sequence[tuple[datetime, int]]


@dataclass(frozen=True, kw_only=True)
class Column:
    x: int
    y: int
    width: int
    height: int
    middle: int
    label_y: int
    count: int
    words: str
    short: str


@dataclass(frozen=True, kw_only=True)
class Marker:
    x: int
    words: str
    anchor: str


@dataclass(frozen=True, kw_only=True)
class Histogram:
    columns: Sequence[Column]
    marker: Marker | None
    y_ticks: Sequence[Tick]


def draw_submissions(points: Sequence[tuple[datetime, int]], *, places: int) -> StepLine | None:
    """Draw the submissions over time; None while there is nothing to draw."""
    if not points or not points[-1][1]:
        return None
    first, last = points[0][0], points[-1][0]
    total = points[-1][1]
    most = max(places, total)
    span = (last - first).total_seconds() or 1

    def x(at: datetime) -> int:
        return LEFT + round((RIGHT - LEFT) * (at - first).total_seconds() / span)

    def y(count: int) -> int:
        return BOTTOM - round((BOTTOM - TOP) * count / most)

    path = f"M{x(first)} {y(points[0][1])}" + "".join(f"H{x(at)}V{y(count)}" for at, count in points[1:])
    end = y(total)
    return StepLine(
        path=path if len(points) > 1 else f"{path}H{RIGHT}",
        top=TOP,
        end_x=RIGHT,
        end_y=end,
        # Close to the line of the places there is room only below.
        label_y=end + 18 if end < TOP + 24 else end - 8,
        label=f"{total} submitted",
        limit_y=y(places),
        limit_label=f"{places} places",
        x_ticks=[
            Tick(at=LEFT, words=_moment(first, last - first), anchor="start"),
            Tick(at=RIGHT, words=_moment(last, last - first), anchor="end"),
        ],
        y_ticks=_counts(most),
        rows=_thinned(points),
    )


def draw_times(bars: Sequence[Bar], *, median_s: float | None) -> Histogram | None:
    if not bars:
        return None
    most = max(bar.count for bar in bars)
    width = (RIGHT - LEFT) // len(bars)
    columns = []
    for number, bar in enumerate(bars):
        height = round((BOTTOM - TOP) * bar.count / most)
        columns.append(
            Column(
                x=LEFT + number * width + 2,
                y=BOTTOM - height,
                width=width - 4,
                height=height,
                middle=LEFT + number * width + width // 2,
                label_y=BOTTOM - height - 5,
                count=bar.count,
                words=_range(bar),
                short=_short(bar, bars[-1]),
            )
        )
    return Histogram(columns=columns, marker=_mark(bars, median_s, width=width), y_ticks=_counts(most))


def duration(seconds: float | None) -> str:
    """A duration short enough for a label: "48 s", "3 min 20 s", "2 h 5 min"."""
    if seconds is None:
        return "–"
    whole = round(seconds)
    if whole < 2 * MINUTE_S:
        return f"{whole} s"
    big, small, names = (
        (*divmod(whole, MINUTE_S), ("min", "s"))
        if whole < HOUR_S
        else (whole // HOUR_S, whole % HOUR_S // MINUTE_S, ("h", "min"))
    )
    return f"{big} {names[0]}" + (f" {small} {names[1]}" if small else "")


def _mark(bars: Sequence[Bar], median_s: float | None, *, width: int) -> Marker | None:
    if median_s is None:
        return None
    each = bars[0].end_s or 1
    x = LEFT + round(min(median_s / each, len(bars)) * width)
    # The label goes on the side that has more room.
    anchor = "start" if x < (LEFT + RIGHT) // 2 else "end"
    return Marker(x=x, words=f"median {duration(median_s)}", anchor=anchor)


def _range(bar: Bar) -> str:
    if bar.end_s is None:
        return f"{duration(bar.start_s)} and more"
    return f"{duration(bar.start_s)} to under {duration(bar.end_s)}"


def _short(bar: Bar, last: Bar) -> str:
    """The bar's start in the unit of the longest bar, which the axis names."""
    unit = unit_of(last)[0]
    start = bar.start_s / unit
    words = f"{start:g}" if start == round(start) else f"{start:.1f}"
    return words if bar.end_s is not None else f"{words}+"


def unit_of(last: Bar) -> tuple[int, str]:
    if last.start_s < 5 * MINUTE_S:
        return 1, "seconds"
    return (MINUTE_S, "minutes") if last.start_s < 5 * HOUR_S else (HOUR_S, "hours")


def _counts(most: int) -> list[Tick]:
    wanted = sorted({0, most // 2, most})
    return [Tick(at=BOTTOM - round((BOTTOM - TOP) * n / most), words=str(n), anchor="end") for n in wanted]


def _moment(at: datetime, span: timedelta) -> str:
    if span < timedelta(days=1):
        return date_format(at, "j M, H:i")
    return date_format(at, "j M H:i") if span < timedelta(days=4) else date_format(at, "j M Y")


def _thinned(points: Sequence[tuple[datetime, int]]) -> list[tuple[datetime, int]]:
    """Points for the table: only those where the count grew, and the last one."""
    kept = [points[0]]
    kept += [point for before, point in pairwise(points) if point[1] > before[1]]
    return kept if kept[-1] == points[-1] else [*kept, points[-1]]
