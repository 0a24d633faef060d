"""Bonus tables as the fields of a page send them."""

from collections.abc import Mapping, Sequence
from typing import Any


def sent_table(rules: Sequence[Mapping[str, Any]], *, name: str = "bonus_rules") -> dict[str, str]:
    """Return the fields of a form for these rules; `{name}-press` beside them presses a button."""
    sent = {f"{name}-rules": str(len(rules))}
    for number, rule in enumerate(rules):
        start = f"{name}-{number}"
        sent[f"{start}-kind"] = rule.get("kind", "condition")
        for field, value in rule.items():
            if field == "tiers":
                sent |= _sent_tiers(value, start=f"{start}-tiers")
            elif field == "when":
                sent |= {f"{start}-when_{key}": str(one) for key, one in value.items()}
            elif field != "kind":
                sent[f"{start}-{field}"] = str(value)
    return sent


def _sent_tiers(tiers: Sequence[Mapping[str, Any]], *, start: str) -> dict[str, str]:
    cells = {
        f"{start}-{number}-{field}": str(value)
        for number, tier in enumerate(tiers)
        for field, value in tier.items()
    }
    return {start: str(len(tiers)), **cells}
