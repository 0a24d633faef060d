"""How far the recorded validators of WinoVenti agree, and which workers stand out, as the page would say it.

python -m tests.bench.quality.recorded ../shared/data/winoventi
python -m tests.bench.quality.recorded ../shared/data/winoventi --json
"""

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scoring.quality.judged_labels import Label, Labels, make_labels
from scoring.quality.quality_report import QualityReport, report_of

QUESTIONS = ("generic_synonym", "exception_synonym", "exception_fits_generic", "generic_fits_exception")
TRIPLET = ("noun", "generic", "exception")
LISTED = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    values = figures_of(asked.folder)
    sys.stdout.write(json.dumps(values, indent=1) + "\n" if asked.json else "\n".join(_lines(values)) + "\n")


def figures_of(folder: Path) -> dict[str, Any]:
    report = report_of(validations_in(folder))
    return {
        "agreement": [_agreement(one) for one in report.agreement],
        "items": {"all": len(report.items), "open": sum(one.is_open for one in report.items)},
        "workers": _workers(report, right_in(folder)),
        "pairs": [
            (str(one.one), str(one.other), one.question) for one in report.evidence.pairs if one.is_told
        ],
    }


def validations_in(folder: Path) -> Mapping[str, Labels]:
    """Read the four questions of each pair, in the order of the file."""
    rows = list(_rows(folder / "validations.csv"))
    names = list(dict.fromkeys(row["worker"] for row in rows))
    return {
        question: make_labels(
            (Label(_triplet(row), row["worker"], row[question]) for row in rows), workers=names
        )
        for question in QUESTIONS
    }


def right_in(folder: Path) -> dict[str, tuple[int, int]]:
    """Count the prompts that each worker completed as meant, and all that they completed."""
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for row in _rows(folder / "choices.csv"):
        found[row["worker"]].append(row["choice"].strip() == row[row["kind"]].strip())
    return {worker: (sum(right), len(right)) for worker, right in found.items()}


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def _triplet(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[name].strip() for name in TRIPLET)


def _agreement(one: Any) -> dict[str, Any]:
    return {
        "question": one.question,
        "answers": one.answers,
        "compared": one.compared,
        "tied": one.tied,
        "equal": one.equal,
        "alpha": one.alpha.value,
        "other_items": one.alpha.by_items,
        "other_people": one.alpha.by_workers,
    }


def _workers(report: QualityReport, right: Mapping[str, tuple[int, int]]) -> list[dict[str, Any]]:
    return [
        {
            "worker": one.worker,
            "evidence": one.weight,
            "stands_out": one.stands_out,
            "answers": one.answers,
            "agreement": one.agreement,
            "usual": one.usual,
            "informed": one.informed,
            "majority_hangs_on": one.decided,
            "choices_right": right.get(one.worker),
            "signs": [sign.words for sign in one.signs],
        }
        for one in report.evidence.workers
    ]


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    for one in values["agreement"]:
        yield (
            f"{one['question']}: {100 * one['equal']:.1f} % equal, alpha {one['alpha']:.3f} (other items "
            f"{_ends(one['other_items'])}, other people {_ends(one['other_people'])}), {one['tied']} of "
            f"{one['compared']} pairs even"
        )
    yield f"{values['items']['open']} of {values['items']['all']} answers to a question about a pair are open"
    standing = [one for one in values["workers"] if one["stands_out"]]
    yield f"{len(standing)} of {len(values['workers'])} workers stand out"
    for one in values["workers"][:LISTED]:
        right = one["choices_right"]
        solved = f", {right[0]} of {right[1]} choices right" if right else ""
        yield f"{one['worker']}: {one['evidence']:.1f}, {one['answers']} answers{solved}"
        yield from (f"    {words}" for words in one["signs"])
    yield f"pairs who say the same: {values['pairs'] or 'none'}"


def _ends(interval: tuple[float, float] | None) -> str:
    return "unknown" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"


if __name__ == "__main__":
    main()
