"""The tests' coverage by room: CI_LONG=1 .ci/run prints it, and refuses less than pyproject.toml records.

python -m tests.rooms COVERAGE.json
"""

import json
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent
PYPROJECT = TESTS.parent / "pyproject.toml"
# Tests that repeat the same paths over and over are not measured: measuring takes half as long again.
REPEATING = (
    "promise",
    "crowd/marketplace/site_pages/test_fuzz_pages.py",
    "crowd/marketplace/on_the_wire/test_fuzz_wire.py",
    "crowd/marketplace/on_the_wire/test_stateful.py",
    "hits/admin/test_page_queries.py",
)
# Names that coverage.py gives to its counts.
COUNTED = {"lines": ("covered_lines", "num_statements"), "branches": ("covered_branches", "num_branches")}
Shares = dict[str, dict[str, float]]


def main(path: str) -> int:
    reached = shares(json.loads(Path(path).read_text()))
    print("\n".join(table(reached)))  # noqa: T201
    floors = tomllib.loads(PYPROJECT.read_text())["tool"]["rooms"]["reached"]
    lacks = list(fallen(reached, floors))
    print("\n".join(lacks))  # noqa: T201
    return 1 if lacks else 0


def is_repeating(module: Path) -> bool:
    return any(module.is_relative_to(TESTS / place) for place in REPEATING)


def shares(report: Mapping[str, Any]) -> Shares:
    """Percent of lines and of branches that tests reach, by room, and in all."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, file in report["files"].items():
        for room in (name.partition("/")[0], "all"):
            counts[room].update({key: value for key, value in file["summary"].items() if _is_counted(key)})
    return {room: _percent(counts[room]) for room in sorted(counts, key=lambda room: (room == "all", room))}


def _is_counted(key: str) -> bool:
    return any(key in pair for pair in COUNTED.values())


def _percent(counted: Counter[str]) -> dict[str, float]:
    return {
        what: round(100 * counted[covered] / (counted[of] or 1), 1) for what, (covered, of) in COUNTED.items()
    }


def table(reached: Shares) -> Iterator[str]:
    yield f"{'room':<16}{'lines':>8}{'branches':>10}"
    for room, share in reached.items():
        yield f"{room:<16}{share['lines']:>7.1f}%{share['branches']:>9.1f}%"


def fallen(reached: Shares, floors: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    for room, floor in floors.items():
        for what, least in floor.items():
            now = reached.get(room, {}).get(what, 0.0)
            if now < least:
                yield f"{room}: {now} % of its {what} are reached by tests, and {least} % were."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
