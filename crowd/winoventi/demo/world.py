"""The small world of this demo: what its models have read, and what its workers know and say."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

from crowd.winoventi.domain.prompts import Template, prompt

# Each word of a row is read a quarter less often than the one before; each noun, a fifth less often.
FIRST, NEXT_WORD, NEXT_NOUN = 1000, 0.75, 0.8
MARKS = ("The", "is", "not", ".", ",")
Rows = Mapping[str, Sequence[str]]


@cache
def world() -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(Path(__file__).with_name("world.json").read_text())
    return content


def nouns() -> Rows:
    """Nouns, each with the words that its four templates end with, the likeliest first."""
    found: Rows = world()["nouns"]
    return found


def sentences() -> dict[str, int]:
    """Sentences that the models read, and how often."""
    return {
        prompt(noun, template=template, word=word): round(FIRST * NEXT_WORD**place * NEXT_NOUN**number)
        for number, (noun, rows) in enumerate(nouns().items())
        for template, row in zip(Template, rows, strict=True)
        for place, word in enumerate(row.split())
    }


def vocabulary() -> list[str]:
    return [*MARKS, *sorted({*nouns(), *_words(), *world()["others"]})]


def walk_file() -> bytes:
    """The file of the test, as a researcher uploads it."""
    row: Mapping[str, str] = world()["walk"]
    out = StringIO()
    writer = csv.DictWriter(out, row)
    writer.writeheader()
    writer.writerow(row)
    return out.getvalue().encode()


def _words() -> Iterator[str]:
    for rows in nouns().values():
        for row in rows:
            yield from row.split()
