"""Charts as plain SVG figures: shapes and direct labels, so that no color carries a meaning."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crowd.winogavil.releases.domain import GROUPS

# Within a picture of 400 wide, as the templates say.
LEFT, RIGHT = 96, 384
TOP, ROW = 40, 26
SCALE = (0, 20, 40, 60, 80, 100)
# A square of the scatter.
NEAR, FAR = 44, 380
MOST_POINTS = 1_000


@dataclass(frozen=True, kw_only=True)
class Tick:
    at: int
    words: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the chart: people, the model and chance on one scale. None: not known."""

    y: int
    label: str
    words: str
    human: int | None
    model: int | None
    random: int | None
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Shapes:
    rows: Sequence[Row]
    ticks: Sequence[Tick]
    top: int
    bottom: int
    height: int


@dataclass(frozen=True, kw_only=True)
class Point:
    x: int
    y: int
    radius: int
    words: str


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """One point for each spymaster: to the right they fool the model, to the top people solve them."""

    name: str
    key: str
    points: Sequence[Point]
    total: int
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]


def draw_shapes(table: Iterable[Mapping[str, Any]]) -> Shapes | None:
    """None where nothing is selected."""
    found = [row for row in table if row["selected"]]
    if not found:
        return None
    rows = [_row(number, one) for number, one in enumerate(found)]
    bottom = TOP + ROW * len(rows)
    return Shapes(
        rows=rows,
        ticks=[Tick(at=_x(value), words=str(value)) for value in SCALE],
        top=TOP - 8,
        bottom=bottom - 8,
        height=bottom + 24,
    )


def draw_scatters(table: Sequence[Mapping[str, Any]]) -> Sequence[Scatter]:
    """A square for each group of sizes in which somebody has both scores."""
    return [scatter for name in GROUPS if (scatter := _scatter(name, table)).points]


def _row(number: int, one: Mapping[str, Any]) -> Row:
    human, model, random = (_place(one[name]) for name in ("human", "model", "random"))
    known = [place for place in (human, model, random) if place is not None]
    return Row(
        y=TOP + ROW * number + 4,
        label=f"{one['chosen']} of {one['candidates']}",
        words=f"{one['chosen']} of {one['candidates']}: people {_said(one['human'])}, "
        f"the model {_said(one['model'])}, chance {_said(one['random'])}",
        human=human,
        model=model,
        random=random,
        start=min(known),
        end=max(known),
    )


def _scatter(name: str, table: Sequence[Mapping[str, Any]]) -> Scatter:
    tail = name.replace(" & ", "_")
    fool, solvable, made = f"fool_{tail}", f"solvable_{tail}", f"made_{tail}"
    both = [row for row in table if row[fool] is not None and row[solvable] is not None]
    most = sorted(both, key=lambda row: -row[made])[:MOST_POINTS]
    points = [
        Point(
            x=_along(row[fool]),
            y=NEAR + FAR - _along(row[solvable]),
            radius=_radius(row[made]),
            words=f"{row['creator']}: {row[made]} made, fool-the-AI {row[fool]}, solvable {row[solvable]}",
        )
        for row in most
    ]
    return Scatter(
        name=name,
        key=tail,
        points=points,
        total=len(both),
        x_ticks=[Tick(at=_along(value), words=str(value)) for value in SCALE],
        y_ticks=[Tick(at=NEAR + FAR - _along(value), words=str(value)) for value in SCALE],
    )


def _x(per_cent: float) -> int:
    return LEFT + round((RIGHT - LEFT) * per_cent / 100)


def _along(per_cent: float) -> int:
    return NEAR + round((FAR - NEAR) * per_cent / 100)


def _radius(made: int) -> int:
    """A little larger for who made more, so that few do not look like many."""
    return 3 + min(made, 500).bit_length() // 2


def _place(value: float | None) -> int | None:
    return None if value is None else _x(value)


def _said(value: float | None) -> str:
    return "not known" if value is None else f"{value} %"
