"""Recordings of the exception procedure as CSV files: a few rows by hand, or any number from a seed."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from string import ascii_lowercase

from crowd.winoventi.replaying import rows

Row = Mapping[str, str]
TRIPLET = {"noun": "apple", "generic": "edible", "exception": "inedible"}
Files = Mapping[str, Iterable[Row]]


def pair(**changes: str) -> Row:
    return {
        "worker": "one",
        "noun": "apple",
        "generic": "edible",
        "k": "1",
        "rank": "1",
        "perplexity": "12.5",
        "makes_sense": "yes",
        "exception_1": "inedible",
        "exception_2": "",
        "exception_3": "",
        **changes,
    }


def probability(**changes: str) -> Row:
    return {**TRIPLET, "p_generic": "0.5", "p_exception": "0.1", **changes}


def premise(**changes: str) -> Row:
    return {
        "worker": "two",
        **TRIPLET,
        "sentence": "Jim found the apple [sweet / rotten]",
        "generic_word": "sweet",
        "exception_word": "rotten",
        **changes,
    }


def judgement(worker: str = "three", **changes: str) -> Row:
    return {"worker": worker, **TRIPLET, **dict.fromkeys(rows.COLUMNS[rows.VALIDATIONS][4:], "no"), **changes}


def choice(**changes: str) -> Row:
    return {"worker": "five", **TRIPLET, "kind": "generic", "choice": "edible", **changes}


def one_pair(**files: Iterable[Row]) -> dict[str, Iterable[Row]]:
    """Files of a valid pair, judged by two people and completed by one; arguments replace some files."""
    return {
        rows.EXCEPTIONS: files.get("exceptions", [pair()]),
        rows.PROBABILITIES: files.get("probabilities", [probability()]),
        rows.PREMISES: files.get("premises", [premise()]),
        rows.VALIDATIONS: files.get("validations", [judgement(), judgement("four")]),
        rows.CHOICES: files.get("choices", [choice(), choice(kind="exception", choice="edible")]),
    }


def write(folder: Path, files: Files) -> Path:
    folder.mkdir(exist_ok=True)
    for file, given in files.items():
        with (folder / file).open("w", newline="", encoding="utf-8") as opened:
            writer = csv.DictWriter(opened, rows.COLUMNS[file])
            writer.writeheader()
            writer.writerows(given)
    return folder


def write_many(folder: Path, *, pairs: int, seed: int) -> Path:
    """Write pairs of two exceptions, most of which pass, and a premise for each that two people judge."""
    chance = Random(seed)
    made = [_many(number, chance) for number in range(pairs)]
    return write(folder, {file: [row for one in made for row in one[file]] for file in rows.FILES})


def _many(number: int, chance: Random) -> Files:
    noun, generic, *words = ("".join(chance.choices(ascii_lowercase, k=8)) for _ in range(4))
    triplets = [{"noun": noun, "generic": generic, "exception": word} for word in words]
    ps = [f"{chance.random():.6f}" for _ in words]
    passed = [triplet for triplet, p in zip(triplets, ps, strict=True) if float(p) < 0.9]
    return {
        rows.EXCEPTIONS: [
            pair(
                worker=f"worker-{chance.randrange(30)}",
                noun=noun,
                generic=generic,
                k=str(chance.choice((1, 3, 5, 8))),
                rank=str(number),
                exception_1=words[0],
                exception_2=words[1],
            )
        ],
        rows.PROBABILITIES: [
            probability(**triplet, p_generic="0.9", p_exception=p)
            for triplet, p in zip(triplets, ps, strict=True)
        ],
        rows.PREMISES: [premise(worker=f"worker-{chance.randrange(30)}", **one) for one in passed],
        rows.VALIDATIONS: [row for one in passed for row in _judged(one, chance)],
        rows.CHOICES: [choice(**one, kind=kind) for one in passed for kind in ("generic", "exception")],
    }


def _judged(triplet: Row, chance: Random) -> Iterator[Row]:
    for number in chance.sample(range(30), 2):
        synonym = chance.choice(("yes", "no", "no"))
        yield judgement(f"worker-{number}", **{**triplet, "generic_synonym": synonym})
