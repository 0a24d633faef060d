"""Tables of figures: the page and the files show the same ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from crowd.whoops.admin.charts import Bars
from crowd.whoops.domain.votes import Share

Cell = str | int
UNKNOWN = "–"
# What stands in a table for a share.
SHARE = ("Share", "95 % interval")


@dataclass(frozen=True, kw_only=True)
class Table:
    """The first column names its row. `empty` is said where there are no rows."""

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    about: str = ""
    empty: str = "Nothing yet."
    bars: Bars | None = None
    words: int = 1  # so many columns at the start are words


def percent(share: Fraction | float | None) -> str:
    return UNKNOWN if share is None else f"{float(100 * share):.1f} %"


def share_cells(share: Share) -> tuple[str, str]:
    return percent(share.value), interval(share)


def interval(share: Share) -> str:
    found = share.interval
    return f"{100 * found[0]:.1f} to {100 * found[1]:.1f}" if found else UNKNOWN


def number(value: Fraction | float | None) -> str:
    return UNKNOWN if value is None else f"{float(value):.1f}"
