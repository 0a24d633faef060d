"""A bonus table while it is edited: rows of typed text, and what the buttons of the page do to them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hits.core.domain.bonus_rules import Condition, Tiers
from hits.core.domain.bonus_tables import READERS

# Rows that a page adds. It shows and reads more, up to the number of fields that Django takes from a form.
MOST_ROWS = 50
LONGEST_NUMBER = 5
Cells = dict[str, str]


@dataclass(kw_only=True)
class RuleDraft:
    kind: str
    cells: Cells = field(default_factory=dict)
    tiers: list[Cells] = field(default_factory=list)


@dataclass(kw_only=True)
class TableDraft:
    rules: list[RuleDraft] = field(default_factory=list)
    # Where the reader of a page that was just changed goes on: the id of a rule or tier.
    focus: str = ""

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add saved or ready rules, but for those whose names the table already has."""
        if len(self.rules) >= MOST_ROWS:
            return
        names = {rule.cells.get("name") for rule in self.rules}
        self.rules += [draft_of(row) for row in rows if row["name"] not in names]
        self.focus = str(len(self.rules) - 1)

    def press(self, button: str) -> None:
        """Do what a button of the table says, such as `up-2`. Buttons of rows that are gone do nothing."""
        verb, *numbers = button.split("-")
        place, tier = ([int(number) for number in numbers if number.isdecimal()] + [MOST_ROWS] * 2)[:2]
        if place >= len(self.rules):
            return
        match verb:
            case "up":
                self._move(place, place - 1)
            case "down":
                self._move(place, place + 1)
            case "remove":
                self._remove(place)
            case "tier":
                self._add_tier(place)
            case "untier":
                self._remove_tier(place, tier)

    def add_kind(self, kind: str) -> None:
        if kind in READERS and len(self.rules) < MOST_ROWS:
            self.rules.append(RuleDraft(kind=kind, tiers=[{}] if kind == Tiers.kind else []))
            self.focus = str(len(self.rules) - 1)

    def _move(self, place: int, other: int) -> None:
        if 0 <= other < len(self.rules):
            self.rules[place], self.rules[other] = self.rules[other], self.rules[place]
        self.focus = str(min(max(other, 0), len(self.rules) - 1))

    def _remove(self, place: int) -> None:
        del self.rules[place]
        self.focus = str(min(place, len(self.rules) - 1)) if self.rules else ""

    def _add_tier(self, place: int) -> None:
        tiers = self.rules[place].tiers
        if len(tiers) < MOST_ROWS:
            tiers.append({})
        self.focus = f"{place}-tiers-{len(tiers) - 1}"

    def _remove_tier(self, place: int, tier: int) -> None:
        tiers = self.rules[place].tiers
        if tier < len(tiers):
            del tiers[tier]
        self.focus = f"{place}-tiers-{min(tier, len(tiers) - 1)}" if tiers else str(place)


def read_draft(data: Mapping[str, Any], *, prefix: str) -> TableDraft:
    """Read the rows that a page sent, whatever was typed into them. Each row is there by its fields."""
    rules = []
    for fields in _rows(_below(data, prefix)):
        cells = {name: value for name, value in fields.items() if "-" not in name and name != "tiers"}
        tiers = _rows(_below(fields, "tiers"))
        rules.append(RuleDraft(kind=cells.pop("kind", ""), cells=cells, tiers=tiers))
    return TableDraft(rules=[rule for rule in rules if rule.kind in READERS])


def draft_of_table(table: Sequence[Mapping[str, Any]]) -> TableDraft:
    return TableDraft(rules=[draft_of(row) for row in table])


def draft_of(row: Mapping[str, Any]) -> RuleDraft:
    """Turn a rule as it is saved into typed text."""
    cells = {name: str(value) for name, value in row.items() if name not in ("kind", "tiers", "when")}
    for name, value in row.get("when", {}).items():
        cells[f"when_{name}"] = str(value)
    tiers = [{name: str(value) for name, value in tier.items()} for tier in row.get("tiers", ())]
    return RuleDraft(kind=row.get("kind", Condition.kind), cells=cells, tiers=tiers)


def _below(data: Mapping[str, Any], prefix: str) -> Cells:
    """Return the fields whose names begin with the prefix, without it."""
    start = f"{prefix}-"
    return {name.removeprefix(start): str(data[name]) for name in data if name.startswith(start)}


def _rows(fields: Mapping[str, str]) -> list[Cells]:
    """Return the fields of each row, such as `2-name`, in the order of the rows' numbers."""
    rows: defaultdict[int, Cells] = defaultdict(dict)
    for name, value in fields.items():
        number, _, rest = name.partition("-")
        if rest and number.isascii() and number.isdecimal() and len(number) < LONGEST_NUMBER:
            rows[int(number)][rest] = value
    return [rows[number] for number in sorted(rows)]
