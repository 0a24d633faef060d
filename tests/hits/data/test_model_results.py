"""A model's results, whatever they are about: a file is read whole or not at all, each result given once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest

from hits.common.uploads import UploadedColumn, read_number
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import Row
from hits.core.errors import InvalidItems
from hits.data.services import model_results
from hits.data.services.model_results import ModelResults, Subjects, read_results
from hits.studies.models import Study

pytestmark = pytest.mark.pure
QUOTED = "Put a field that holds the separator into quotation marks."
WORDS = ("sour", "sweet", "bitter")


class Known(Subjects):
    """Subjects that note what was looked up for a part of a file, and how large the parts were."""

    def __init__(self, study: Study) -> None:
        self.parts: list[int] = []
        self.words: set[str] = set()

    def look_up(self, rows: Sequence[Row]) -> None:
        self.parts.append(len(rows))
        self.words = {row.cells["word"] for row in rows} & set(WORDS)


def held(study: Study) -> AbstractContextManager[Study]:
    return nullcontext(study)


def read_row(cells: Mapping[str, Any], known: Known) -> Iterator[tuple[str, float]]:
    if cells["word"] not in known.words:
        raise ValueError(f"there is no word “{cells['word']}”.")
    if cells["score"] is not None:
        yield cells["word"], cells["score"]


def check_whole(found: Mapping[str, float], known: Known, problems: Problems) -> None:
    if found and "sour" not in found:
        problems.say("Say something of sour.")


SCORES = ModelResults(
    name="scores",
    of=Study,
    header={},
    columns=(UploadedColumn(name="word"), UploadedColumn(name="score", read=read_number, needed=False)),
    held=held,
    subjects=Known,
    row=read_row,
    called=lambda _, key: f"word {key}",
    whole=check_whole,
    store=lambda _, found: len(found),
)


def read(text: str) -> Mapping[str, float]:
    return read_results(SCORES, BytesIO(text.encode()), of=Study())


def problems_of(text: str) -> list[str]:
    with pytest.raises(InvalidItems) as refused:
        read(text)
    return refused.value.problems


def test_results_are_read_by_what_they_are_about() -> None:
    assert read("word,score\nsour,0.5\nsweet,\nbitter,-1\n") == {"sour": 0.5, "bitter": -1.0}


def test_problems_stand_by_line_whoever_found_them() -> None:
    assert problems_of("word,score\nsour,1\nsalty,1\nsour,2\nsweet,high\n\nsour\n") == [
        "Line 3: there is no word “salty”.",
        "Line 4: word sour is in line 2 already.",
        "Line 5: score is “high”, which is not a finite number.",
        f"Line 7: it has 1 fields, and the heading 2. {QUOTED}",
    ]


def test_what_only_the_whole_file_tells_is_told() -> None:
    assert problems_of("word,score\nsweet,1\n") == ["Say something of sour."]
    assert problems_of("word,score\nsweet,\n") == ["The file has no scores."]


def test_subjects_are_looked_up_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_results, "AT_ONCE", 2)
    known = Known(Study())

    found = read_results(
        replace(SCORES, subjects=lambda _: known),
        BytesIO(b"word,score\nsour,1\nsweet,2\nbitter,3\n"),
        of=Study(),
    )

    assert (list(found), known.parts) == (list(WORDS), [2, 1])
