"""The bonus table of a paper, which goes into the study's."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from decimal import Decimal
from functools import partial
from itertools import groupby
from typing import Any

from crowd.papers.parts.figure_fields import dollars_field, in_percent, percent_field
from crowd.papers.parts.part_base import Cell, SetupPart, SetupRow, in_place
from hits.common.currencies import in_dollars, in_money, name_of
from hits.core.domain.bonus_rules import BonusRule
from hits.identity.models.users import User
from hits.studies.models import Study, check_bonus_rules

Path = tuple[str | int, ...]
LABELS = {
    "from": "from, per cent",
    "below": "to below, per cent",
    "at_least": "at least, per cent",
    "amount": "earns",
}


class BonusPart(SetupPart):
    title = "Bonus table"
    about = (
        "Goes into the study's bonus table, in place of the rules that have the same names; its other rules "
        "stay. A batch that was launched keeps the table of its launch."
    )

    def rows(self) -> Sequence[SetupRow]:
        figure = self.paper.bonus_table
        if figure is None:
            return []
        leaves = list(_numbers([dict(rule) for rule in figure.value]))
        there = self._there(figure.value)
        return [
            SetupRow(
                name=_name(figure.value, group),
                origin=self.paper.place(self.paper.bonus_origins.get(str(group[-1]), figure.origin)),
                cells=[_cell(path, value, now=there.get(path), study=self.study) for path, value in some],
            )
            for group, some in groupby(leaves, key=lambda leaf: leaf[0][:-1])
        ]

    def note(self) -> str:
        wanted = self.paper.bonus_table
        if wanted is None:
            return ""
        names = {rule["name"] for rule in wanted.value}
        alike = {wanted.value[int(path[0])]["name"] for path in self._there(wanted.value)}
        others = [rule for rule in self.study.rules if rule.name not in alike]
        said = {
            "This study has rules of these names already, which this replaces": [
                rule for rule in others if rule.name in names
            ],
            "These further rules of the study stay": [rule for rule in others if rule.name not in names],
        }
        return " ".join(
            f"{words}: {_in_words(rules, currency=self.study.currency)}."
            for words, rules in said.items()
            if rules
        )

    def check(self, values: Mapping[str, Any]) -> None:
        if self.paper.bonus_table:
            check_bonus_rules(self._table(values))

    def put(self, values: Mapping[str, Any], *, by: User, now: datetime) -> list[str]:
        # Another page may have changed the rules that stay since the study was read.
        locked = Study.objects.select_for_update(no_key=True).get(pk=self.study.pk)
        self.study.bonus_rules = locked.bonus_rules
        changed = self.changed(values)
        if not changed:
            return []
        self.study.bonus_rules = self._table(values)
        Study.objects.filter(pk=self.study.pk).update(bonus_rules=self.study.bonus_rules)
        return in_place(changed, of="Bonus table")

    def _there(self, wanted: Sequence[Mapping[str, Any]]) -> Mapping[Path, Any]:
        """Return the numbers of the study's rules that but for them are the paper's, by their path there."""
        own = {rule["name"]: rule for rule in self.study.bonus_rules}
        return {
            path: number
            for place, rule in enumerate(wanted)
            if _shape(own.get(rule["name"])) == _shape(rule)
            for path, number in _numbers(own[rule["name"]], (place,))
        }

    def _table(self, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the study's table with the paper's rules in place of those that have their names."""
        assert self.paper.bonus_table is not None  # noqa: S101 - without one the part has no values
        table: list[dict[str, Any]] = deepcopy([dict(rule) for rule in self.paper.bonus_table.value])
        for path, number in list(_numbers(table)):
            inner: Any = table
            for step in path[:-1]:
                inner = inner[step]
            value = values.get(_key(path), number)
            inner[path[-1]] = f"{value:.2f}" if isinstance(value, Decimal) else value
        ours = {rule["name"]: rule for rule in table}
        kept = [ours.pop(rule["name"], rule) for rule in self.study.bonus_rules]
        return [*kept, *ours.values()]


def _in_words(rules: Sequence[BonusRule], *, currency: str) -> str:
    return "; ".join(f"{rule.name}: {rule.in_words(currency=currency)}" for rule in rules)


def _numbers(data: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each figure of a table with its path: whole per cents, and amounts as decimals."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            yield from _leaf((*path, name), value)
    elif isinstance(data, list | tuple):
        for number, value in enumerate(data):
            yield from _leaf((*path, number), value)


def _leaf(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, int):
        yield path, value
    elif isinstance(value, str) and path[-1] == "amount":
        yield path, Decimal(value)
    else:
        yield from _numbers(value, path)


def _shape(data: Any) -> Any:
    """Return the table without its figures, for a comparison."""
    if isinstance(data, Mapping):
        return {
            name: None if isinstance(value, int) or name == "amount" else _shape(value)
            for name, value in data.items()
        }
    return [_shape(value) for value in data] if isinstance(data, list | tuple) else data


def _key(path: Path) -> str:
    return "-".join(map(str, ("bonus", *path)))


def _name(rules: Sequence[Mapping[str, Any]], group: Path) -> str:
    rule = rules[int(group[0])]
    match group[1:]:
        case ("when",):
            return f"{rule['name']}, where “{rule['when']['measure']}” is high enough"
        case ("tiers", int(number)):
            return f"{rule['name']}, tier {number + 1} by “{rule['measure']}”"
    return str(rule["name"])


def _cell(path: Path, value: Any, *, now: Any, study: Study) -> Cell:
    is_money = isinstance(value, Decimal)
    return Cell(
        key=_key(path),
        label=f"{LABELS[str(path[-1])]}, {name_of(study.currency)}" if is_money else LABELS[str(path[-1])],
        stated=value,
        now=now,
        field=dollars_field() if is_money else percent_field(),
        in_words=partial(in_money, currency=study.currency) if is_money else in_percent,
        as_stated=in_dollars if is_money else None,
    )
