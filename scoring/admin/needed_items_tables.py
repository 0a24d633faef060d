"""Tables of needed items: what a draft lacks and costs with them, and other widths beside the wanted one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import MONEY, ShownCell, StatColumn, StatTable, head
from scoring.admin.planned_costs import AskedItems, PlannedItems
from scoring.quality.needed_items import WidthOf, fewest_items

# The widths that are shown beside the wanted one, in points to either side.
REACHES = (1.0, 2.0, 3.0, 5.0, 10.0)
POINTS = 100
PARTS: Mapping[str, str] = {
    "rewards": "Rewards",
    "fees": "Fees on rewards",
    "bonuses": "Bonuses",
    "bonus_fees": "Fees on bonuses",
    "total": "Total at most",
}


@dataclass(frozen=True, kw_only=True)
class WidthRow:
    """`items`: None beyond all bounds. `further`: those that the draft lacks. `planned`: None without one."""

    reach: float
    is_wanted: bool
    items: int | None
    further: int | None = None
    planned: PlannedItems | None = None


@dataclass(frozen=True, kw_only=True)
class NeededItems:
    """How many items the wanted interval needs. `settled`: those that count beside the draft's."""

    reach: float
    width_of: WidthOf
    asked: AskedItems | None
    settled: int = 0

    @property
    def items(self) -> int | None:
        return self._row(self.reach).items

    @property
    def further(self) -> int | None:
        return self._row(self.reach).further

    @property
    def already(self) -> int:
        """The items that are there: those of the draft, and those that count beside it."""
        return self.settled + (self.asked.items if self.asked else 0)

    @property
    def reach_now(self) -> float | None:
        """The points to either side with what the draft asks as it stands."""
        return POINTS * self.width_of(self.already) / 2 if self.already else None

    def rows(self) -> list[WidthRow]:
        return [self._row(reach) for reach in sorted({*REACHES, self.reach})]

    @property
    def wanted(self) -> PlannedItems | None:
        return self._row(self.reach).planned

    def _row(self, reach: float) -> WidthRow:
        items = fewest_items(2 * reach / POINTS, self.width_of)
        row = WidthRow(reach=reach, is_wanted=reach == self.reach, items=items)
        if items is None or self.asked is None:
            return row
        own = max(0, items - self.settled)
        further = max(0, own - self.asked.items)
        return WidthRow(
            reach=reach,
            is_wanted=row.is_wanted,
            items=items,
            further=further,
            planned=self.asked.with_items(own),
        )


def needed_tables(needed: NeededItems) -> list[StatTable]:
    asked, wanted = needed.asked, needed.wanted
    return [*([_draft_table(asked, wanted)] if asked and wanted else []), _width_table(needed)]


def _draft_table(asked: AskedItems, wanted: PlannedItems) -> StatTable:
    return StatTable(
        name="draft",
        title="What that means for the draft",
        columns=[
            head("The draft", TEXT, name="draft", of=lambda row: row[0]),
            head("Items", of=lambda row: row[1].items),
            head("Answers", of=lambda row: row[1].answers),
            head("HITs", of=lambda row: _hits(row[1])),
            *(head(title, MONEY, name=name, of=partial(_amount, name=name)) for name, title in PARTS.items()),
        ],
        rows=[("As it stands", asked.as_it_stands), ("As it would have to be", wanted)],
        note="As on the draft's check page: with every place filled and every bonus earned.",
        currency=asked.batch.currency,
        exact=True,
    )


def _width_table(needed: NeededItems) -> StatTable:
    return StatTable(
        name="widths",
        title="Other widths",
        columns=[
            head("Plus or minus, points", TEXT, name="", of=_name_of),
            head("", NUMBER, name="points", of=lambda row: row.reach),
            head("Items", of=lambda row: row.items),
            *(_draft_columns() if needed.asked else []),
        ],
        rows=needed.rows(),
        currency=needed.asked.batch.currency if needed.asked else "USD",
        exact=True,
    )


def _draft_columns() -> Sequence[StatColumn]:
    return [
        head("Further items", of=lambda row: row.further),
        head("Answers", of=lambda row: row.planned and row.planned.answers),
        head("HITs", of=lambda row: row.planned and _hits(row.planned)),
        head("Total at most", MONEY, name="total", of=_total),
    ]


def _name_of(row: WidthRow) -> ShownCell:
    return ShownCell(words=f"{row.reach:g}{' (wanted)' if row.is_wanted else ''}")


def _hits(planned: PlannedItems) -> int | None:
    return planned.plan.hits if planned.plan else None


def _amount(row: tuple[str, PlannedItems], *, name: str) -> Decimal | None:
    return _part(row[1], name)


def _total(row: WidthRow) -> Decimal | None:
    return _part(row.planned, "total") if row.planned else None


def _part(planned: PlannedItems, name: str) -> Decimal | None:
    amount: Decimal | None = getattr(planned.plan.cost, name) if planned.plan else None
    return amount
