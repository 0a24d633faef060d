"""The canonical text of a bonus run: exactly these lines are approved."""

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from hashlib import sha256


def write_line(facts: Mapping[str, str | Decimal | int]) -> str:
    """Write one row as a line. The same facts give the same line on every machine and database."""
    return json.dumps(
        {name: str(value) for name, value in facts.items()},
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
    )


def digest_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def write_manifest(lines: Iterable[str]) -> str:
    """Write the lines sorted, one for each row: the order of selection means nothing."""
    return "".join(f"{line}\n" for line in sorted(lines))
