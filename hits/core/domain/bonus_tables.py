"""Bonus tables as researchers write them: lists with an object for each rule. Refusals say how to mend."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from hits.core.domain.bonus_rules import CENT, BonusRule, Condition, Flat, Gate, PerItem, Tier, Tiers, Wage

MOST_BONUS = Decimal("9999.99")
LONGEST_NAME = 64
# Names of bonuses that people decide on; a table must not use them.
APPEAL = "appeal"
WAGE_TOP_UP = "wage top-up"
RESERVED_NAMES = (APPEAL, WAGE_TOP_UP)

# One rule of each kind, for help texts and refusals.
EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "condition": {"name": "all right", "measure": "jaccard", "at_least": 100, "amount": "0.01"},
    "flat": {"name": "thank you", "kind": "flat", "amount": "0.05"},
    "per_item": {
        "name": "each right",
        "kind": "per_item",
        "measure": "jaccard",
        "at_least": 80,
        "amount": "0.02",
    },
    "tiers": {
        "name": "by score",
        "kind": "tiers",
        "measure": "jaccard",
        "tiers": [{"from": 50, "below": 80, "amount": "0.03"}, {"from": 80, "amount": "0.10"}],
    },
    "wage": {"name": "fair wage", "kind": "wage", "at_most": "1.00", "hourly": "12.00"},
}


class MisplacedValue(ValueError):
    """A refusal that knows which field of a table is wrong; rules and tiers count from 1."""

    def __init__(self, words: str, *, field: str, rule: int = 0, tier: int = 0) -> None:
        super().__init__(words)
        self.rule, self.tier, self.field = rule, tier, field


def read_bonus_rules(data: Any) -> list[BonusRule]:
    """Return the rules of a researcher's table. Raises ValueError with the line and what is wrong there."""
    if not isinstance(data, list):
        raise ValueError("The bonus table must be a list of rules; [] means no bonus.")  # noqa: TRY004
    rules = [_read_numbered(row, number) for number, row in enumerate(data, start=1)]
    first: dict[str, int] = {}
    for number, rule in enumerate(rules, start=1):
        if first.setdefault(rule.name, number) != number:
            raise MisplacedValue(
                f"Rule {number} is called “{rule.name}” as rule {first[rule.name]} is. "
                "Every rule needs a name of its own.",
                rule=number,
                field="name",
            )
    return rules


def check_names(rules: Iterable[BonusRule], *, known: Sequence[str]) -> None:
    """Refuse reserved names and unknown measures, which would never owe. Raises ValueError."""
    for number, rule in enumerate(rules, start=1):
        if rule.name in RESERVED_NAMES:
            raise MisplacedValue(
                f"Rule {number}: “{rule.name}” is kept for bonuses that people decide. Choose another name.",
                rule=number,
                field="name",
            )
        for measure in rule.measures:
            if measure not in known:
                raise MisplacedValue(
                    f"Rule {number}: nothing is measured as {measure}. Known: {', '.join(known)}.",
                    rule=number,
                    field="measure",
                )


def wants_floor(rules: Iterable[BonusRule]) -> bool:
    """Whether a wage rule names no figure of its own, and so needs the study's wage floor."""
    return any(isinstance(rule, Wage) and rule.hourly is None for rule in rules)


def with_floor(data: Sequence[Mapping[str, Any]], *, floor: Decimal | None) -> list[dict[str, Any]]:
    """Return the table as promised: a wage rule without a figure gets the study's current wage floor."""
    lean = {"hourly": f"{floor:.2f}"} if floor else {}
    return [{**lean, **row} if row.get("kind") == Wage.kind else dict(row) for row in data]


def _read_numbered(row: Any, number: int) -> BonusRule:
    try:
        return _read_rule(row, f"Rule {number}")
    except MisplacedValue as error:
        error.rule = number
        raise


def _read_rule(row: Any, line: str) -> BonusRule:
    kind = row.get("kind", Condition.kind) if isinstance(row, dict) else Condition.kind
    if not isinstance(kind, str) or kind not in READERS:
        raise ValueError(f"{line}: there is no kind {_shown(kind)}. Use {', '.join(READERS)}.")
    _check_fields(row, f"{line} ({kind})", kind)
    return READERS[kind](row, f"{line} ({kind})")


def _check_fields(row: Any, line: str, kind: str) -> None:
    needed, allowed = FIELDS[kind]
    fields = set(row) if isinstance(row, dict) else set()
    if not needed <= fields or not fields <= needed | allowed:
        also = f", and may have {', '.join(sorted(allowed))}" if allowed else ""
        raise ValueError(
            f"{line} needs exactly these fields: {', '.join(sorted(needed))}{also}. "
            f"For example {json.dumps(EXAMPLES[kind])}."
        )


def _read_condition(row: Mapping[str, Any], line: str) -> BonusRule:
    return Condition(**_threshold(row, line))


def _read_flat(row: Mapping[str, Any], line: str) -> BonusRule:
    return Flat(name=_name(row["name"], line, "name"), amount=_amount(row["amount"], line))


def _read_per_item(row: Mapping[str, Any], line: str) -> BonusRule:
    return PerItem(**_threshold(row, line))


def _read_tiers(row: Mapping[str, Any], line: str) -> BonusRule:
    tiers = row["tiers"]
    if not isinstance(tiers, list) or not tiers:
        raise ValueError(f"{line}: tiers must be a list, {json.dumps(EXAMPLES['tiers']['tiers'])}.")
    read = [_read_tier(tier, line, number) for number, tier in enumerate(tiers, start=1)]
    numbers = {id(tier): number for number, tier in enumerate(read, start=1)}
    read.sort(key=lambda tier: tier.start)
    for lower, higher in pairwise(read):
        if lower.below is None or lower.below > higher.start:
            raise MisplacedValue(
                f"{line}: the tiers from {lower.start} and from {higher.start} overlap. "
                f"Write below {higher.start} or less in the first.",
                tier=numbers[id(lower)],
                field="below",
            )
    return Tiers(
        name=_name(row["name"], line, "name"),
        measure=_name(row["measure"], line, "measure"),
        tiers=tuple(read),
        when=_read_gate(row["when"], line) if "when" in row else None,
    )


def _read_tier(tier: Any, rule: str, number: int) -> Tier:
    line = f"{rule}, tier {number}"
    if not isinstance(tier, dict) or not {"from", "amount"} <= set(tier) <= {"from", "below", "amount"}:
        raise ValueError(
            f"{line} needs exactly these fields: from, amount, and may have below, such as "
            '{"from": 50, "below": 60, "amount": "0.03"}. Without below it reaches to 100.'
        )
    start = _percent(tier["from"], line, "from")
    below = _percent(tier["below"], line, "below") if "below" in tier else None
    if below is not None and start >= below:
        raise MisplacedValue(
            f"{line}: from ({start}) must be less than below ({below}).", tier=number, field="below"
        )
    return Tier(start=start, below=below, amount=_amount(tier["amount"], line))


def _read_gate(gate: Any, line: str) -> Gate:
    if not isinstance(gate, dict) or set(gate) != {"measure", "at_least"}:
        raise ValueError(f'{line}: when must be such as {{"measure": "jaccard", "at_least": 80}}.')
    return Gate(
        measure=_name(gate["measure"], line, "measure"),
        at_least=_percent(gate["at_least"], line, "at_least"),
    )


def _read_wage(row: Mapping[str, Any], line: str) -> BonusRule:
    return Wage(
        name=_name(row["name"], line, "name"),
        at_most=_amount(row["at_most"], line, "at_most"),
        hourly=_amount(row["hourly"], line, "hourly") if "hourly" in row else None,
    )


def _threshold(row: Mapping[str, Any], line: str) -> dict[str, Any]:
    return {
        "amount": _amount(row["amount"], line),
        "at_least": _percent(row["at_least"], line, "at_least"),
        "measure": _name(row["measure"], line, "measure"),
        "name": _name(row["name"], line, "name"),
    }


def _amount(value: Any, line: str, field: str = "amount") -> Decimal:
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(
            f'{line}: the {field} {_shown(value)} is not a number. Write it as "0.05".'
        ) from None
    if not amount.is_finite() or not CENT <= amount <= MOST_BONUS or amount != amount.quantize(CENT):
        raise ValueError(f"{line}: the {field} must be whole cents, from {CENT} to {MOST_BONUS}.")
    return amount.quantize(CENT)


def _shown(value: Any) -> str:
    """Return the value cut short, so that a message stays readable however long the value is."""
    return repr(value)[:40]


def _percent(value: Any, line: str, field: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 100:
        raise ValueError(f"{line}: {field} must be a whole number from 0 to 100.")
    return value


def _name(text: Any, line: str, field: str) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_NAME or not text.isprintable():
        words = f"{line}: {field} must be a text of 1 to {LONGEST_NAME} characters that can be seen."
        raise MisplacedValue(words, field=field)
    return text


THRESHOLD = {"name", "measure", "at_least", "amount"}
# Fields that each kind must have, and those that it may have.
FIELDS: Mapping[str, tuple[set[str], set[str]]] = {
    Condition.kind: (THRESHOLD, {"kind"}),
    Flat.kind: ({"name", "kind", "amount"}, set()),
    PerItem.kind: (THRESHOLD | {"kind"}, set()),
    Tiers.kind: ({"name", "kind", "measure", "tiers"}, {"when"}),
    Wage.kind: ({"name", "kind", "at_most"}, {"hourly"}),
}
READERS: Mapping[str, Callable[[Mapping[str, Any], str], BonusRule]] = {
    Condition.kind: _read_condition,
    Flat.kind: _read_flat,
    PerItem.kind: _read_per_item,
    Tiers.kind: _read_tiers,
    Wage.kind: _read_wage,
}
