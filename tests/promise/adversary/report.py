"""The log of runs, a line of JSON each, and the table that is printed from it."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Run = dict[str, Any]


def read_log(log: Path) -> list[Run]:
    """Runs in the log. A line that was torn by a kill is skipped, and that run is made again."""
    found = []
    for line in log.read_text().splitlines() if log.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def write_run(log: Path, run: Run) -> None:
    with log.open("a") as lines:
        lines.write(json.dumps(run) + "\n")


def summarize(runs: Iterable[Run]) -> str:
    by_form: dict[str, list[Run]] = {}
    for run in runs:
        by_form.setdefault(run["form"], []).append(run)
    return "\n\n".join(_summarize_form(form, rows) for form, rows in sorted(by_form.items()))


def _summarize_form(form: str, runs: list[Run]) -> str:
    broken = [run["seed"] for run in runs if run["differences"]]
    failed = [run["seed"] for run in runs if "failure" in run]
    lines = [
        f"{form}: {len(runs)} runs in {sum(run['seconds'] for run in runs):.0f} s",
        f"  differences: {sum(run['differences'] for run in runs)}, in the seeds {broken or 'none'}",
        f"  not finished: {failed or 'none'}",
    ]
    for title, key in (
        ("faults", "faults"),
        ("kills", "kills"),
        ("died by themselves", "died"),
        ("what people had to do", "people"),
        ("rows in the end", "rows"),
    ):
        lines.append(f"  {title}: {_total(runs, key)}")
    return "\n".join(lines)


def _total(runs: list[Run], key: str) -> str:
    total: Counter[str] = Counter()
    for run in runs:
        total.update(run.get(key, {}))
    said = ", ".join(f"{name} {count}" for name, count in sorted(total.items()))
    return f"{sum(total.values())} ({said})" if said else "none"
