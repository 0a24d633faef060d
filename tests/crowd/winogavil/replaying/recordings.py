"""Recordings of the association game as CSV files: a few rows by hand, or any number from a seed."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any

from crowd.winogavil.replaying.rows import ASSOCIATIONS, COLUMNS, SOLUTIONS

Row = Mapping[str, Any]
SET = ("tea", "pile", "rose", "zoo", "rope")
SOLVERS = ("solver-1", "solver-2", "solver-3")
CONCEPTS = 3_000
CUES_A_SET = 6


def association(name: str = "A1", **changes: Any) -> Row:
    """Row of an association: two of five candidates are chosen, and the rival finds neither."""
    return {
        "association": name,
        "worker": "creator-1",
        "candidates": SET,
        "cue": "thorn",
        "selected": SET[:2],
        "rival_prediction": SET[3:],
        **changes,
    }


def solution(name: str = "A1", worker: str = SOLVERS[0], selected: Sequence[str] = SET[:2]) -> Row:
    return {"association": name, "worker": worker, "selected": selected}


def solved(name: str = "A1", *picks: Sequence[str]) -> list[Row]:
    """Rows of one solver for each of these picks; three solvers who are right by default."""
    answers = picks or [SET[:2]] * 3
    return [solution(name, f"solver-{number}", selected) for number, selected in enumerate(answers, start=1)]


def write(folder: Path, associations: Iterable[Row], solutions: Iterable[Row]) -> Path:
    folder.mkdir(exist_ok=True)
    for file, rows in ((ASSOCIATIONS, associations), (SOLUTIONS, solutions)):
        with (folder / file).open("w", newline="", encoding="utf-8") as opened:
            writer = csv.writer(opened)
            writer.writerow(COLUMNS[file])
            writer.writerows([_cell(row[name]) for name in COLUMNS[file]] for row in rows)
    return folder


def write_many(folder: Path, *, associations: int, seed: int) -> Path:
    """Write a recording with three spymasters of two cues for each set, and three solvers for each cue."""
    return write(folder, _many(associations, seed=seed), _many_solved(associations, seed=seed))


def _many(number: int, *, seed: int) -> Iterable[Row]:
    chance = Random(seed)
    concepts = [_word(chance) for _ in range(CONCEPTS)]
    for index in range(number):
        if index % CUES_A_SET == 0:
            candidates = chance.sample(concepts, chance.choice((5, 6, 10, 12)))
        k = chance.choice((2, 2, 2, 3))
        yield association(
            f"A{index:06}",
            worker=f"creator-{index // 2 % 50:02}",
            candidates=candidates,
            cue=_word(chance),
            selected=chance.sample(candidates, k),
            rival_prediction=chance.sample(candidates, k),
        )


def _many_solved(number: int, *, seed: int) -> Iterable[Row]:
    chance = Random(seed + 1)
    for index, row in enumerate(_many(number, seed=seed)):
        for nth in range(3):
            picked = list(row["selected"])
            if chance.random() < 0.2:
                picked[0] = next(name for name in row["candidates"] if name not in picked)
            yield solution(row["association"], f"solver-{(index + nth) % 100:02}", picked)


def _word(chance: Random) -> str:
    return "".join(chance.choices(ascii_lowercase, k=8))


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
