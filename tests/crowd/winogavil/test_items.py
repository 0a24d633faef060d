"""Files of associations as researchers' programs write them, and associations that are asked again."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from crowd.pictures.models import Picture
from crowd.winogavil import files
from crowd.winogavil.items import Row, example_file, read_rows
from crowd.winogavil.models import Association
from crowd.winogavil.solver_task import SolveTask
from hits.core.errors import InvalidItems
from hits.work.models.items import Item
from tests.factories import make_association, make_batch, make_picture

CONCEPTS = ("snowman", "ice", "fire", "owl", "bee")
LINE = "snow,snowman|ice|fire|owl|bee,snowman|ice"
HEADING = "cue,candidates,chosen"
django_db = pytest.mark.django_db


@pytest.fixture
def pool(db: None) -> Mapping[str, Picture]:
    return {concept: make_picture(concept=concept) for concept in CONCEPTS}


def read(text: str) -> list[Row]:
    return read_rows(text.encode())


def problems_of(content: bytes | str) -> list[str]:
    with pytest.raises(InvalidItems) as refused:
        read_rows(content if isinstance(content, bytes) else content.encode())
    return refused.value.problems


def expected(pool: Mapping[str, Picture]) -> list[Row]:
    return [
        Row(
            cue="snow",
            candidates=tuple(pool[concept].pk for concept in CONCEPTS),
            chosen=frozenset({pool["snowman"].pk, pool["ice"].pk}),
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADING}\n{LINE}\n",
        f"{HEADING}\n{LINE}",
        f"\r\n{HEADING}\r\n\r\n{LINE}\r\n",
        f"\ufeff{HEADING}\n{LINE}\n",
        f"{HEADING}\n{LINE}\n".replace(",", ";"),
        f"{HEADING}\n{LINE}\n".replace(",", "\t"),
        f"{HEADING}\n{LINE}\n".replace("|", " | ").replace(",", " , "),
        'Note,CUE,Chosen,candidates\n"a, b\nc",snow,snowman|ice,snowman|ice|fire|owl|bee\n',
        json.dumps([{"cue": "snow", "candidates": CONCEPTS, "chosen": ["snowman", "ice"]}]),
        json.dumps({"cue": "snow", "candidates": CONCEPTS, "chosen": ["snowman", "ice"]}),
        json.dumps([{"cue": " snow ", "candidates": "|".join(CONCEPTS), "chosen": "ice|snowman", "more": 1}]),
    ],
)
def test_files_of_every_spelling_are_read_alike(pool: Mapping[str, Picture], text: str) -> None:
    assert read(text) == expected(pool)


def test_file_of_utf_16_is_read_too(pool: Mapping[str, Picture]) -> None:
    assert read_rows(f"{HEADING}\n{LINE}\n".encode("utf-16")) == expected(pool)


def test_letters_of_two_parts_find_a_picture_that_is_written_with_one(pool: Mapping[str, Picture]) -> None:
    make_picture(concept="caf\u00e9")

    (row,) = read(f"{HEADING}\n{LINE}\n".replace("bee", "cafe\u0301").replace("snow,", "me\u0301,"))

    assert row.cue == "m\u00e9"


def test_pictures_are_named_by_their_keys_too(pool: Mapping[str, Picture]) -> None:
    keys = "|".join(pool[concept].key for concept in CONCEPTS)

    rows = read(f"{HEADING}\nsnow,{keys},{pool['snowman'].key}|ice\n")

    assert rows == expected(pool)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("snow,snowman|ice|fire|owl|cat,snowman|ice", "Line 2: the pool has no picture “cat”."),
        ("snow,snowman|ice|fire|owl|ice,snowman|ice", "Line 2: one of the candidates is named twice."),
        ("snow,snowman|ice|fire|owl|bee,ice|ice", "Line 2: one of the chosen is named twice."),
        ("snow,snowman|ice|fire|owl|bee,ice", "Line 2: Of 5 candidates 2 to 3 may be chosen, not 1."),
        (
            "snow,snowman|ice|fire|owl,ice|owl",
            "Line 2: An association has 5, 6, 10, 12 candidates, not 4.",
        ),
        (
            "two words,snowman|ice|fire|owl|bee,ice|owl",
            "Line 2: The cue 'two words' must be one word of 2 to 30 letters.",
        ),
        (
            "snow,snowman|ice|fire||bee,ice|fire",
            "Line 2: a picture has no name: two separators stand side by side.",
        ),
        (
            "snow,snowman|ice|fire|owl|bee",
            (
                "Line 2: it has 2 fields, and the heading 3. "
                "Put a field that holds the separator into quotation marks."
            ),
        ),
    ],
)
def test_wrong_line_is_named_with_what_to_mend(pool: Mapping[str, Picture], line: str, problem: str) -> None:
    assert problems_of(f"{HEADING}\n{line}\n") == [problem]


def test_chosen_picture_must_be_a_candidate(pool: Mapping[str, Picture]) -> None:
    make_picture(concept="cat")

    assert problems_of(f"{HEADING}\nsnow,snowman|ice|fire|owl|bee,ice|cat\n") == [
        "Line 2: every chosen picture must be one of the candidates."
    ]


def test_concept_of_several_pictures_asks_for_a_key(pool: Mapping[str, Picture]) -> None:
    other = make_picture(concept="ice")

    (problem,) = problems_of(f"{HEADING}\n{LINE}\n")

    assert problem == (
        f"Line 2: “ice” is the concept of 2 pictures. Use a key instead: {pool['ice'].key}, {other.key}."
    )


def test_every_wrong_line_is_named_and_the_rest_counted(
    pool: Mapping[str, Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hits.common.uploads.file_problems.MOST_PROBLEMS", 2)

    problems = problems_of(f"{HEADING}\n1,{LINE[5:]}\n{LINE}\n2,{LINE[5:]}\n3,{LINE[5:]}\n4,{LINE[5:]}\n")

    assert [problem.split(":")[0] for problem in problems] == ["Line 2", "Line 4", "And 2 more."]


def test_line_that_comes_twice_is_named(pool: Mapping[str, Picture]) -> None:
    again = "SNOW,bee|owl|fire|ice|snowman,ice|snowman"

    assert problems_of(f"{HEADING}\n{LINE}\n\n{again}\n") == ["Line 4: it is the same as line 2."]


@django_db
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "The file is empty."),
        (b" \n ", "The file is empty."),
        (HEADING.encode(), "The file has a heading and no line below it."),
        (b"[]", "The file has a heading and no line below it."),
        (
            b"cue,chosen\na,b\n",
            "The first line names the columns cue, candidates and chosen. Each must appear once: candidates.",
        ),
        (
            b"cue,cue,candidates,chosen\n",
            "The first line names the columns cue, candidates and chosen. Each must appear once: cue.",
        ),
        (
            f"{HEADING}\nM\u00e4nner,a,b\n".encode("latin-1"),
            "Line 2 is not UTF-8 text. Save the file again as “CSV UTF-8”, and upload that.",
        ),
        (b"PK\x03\x04rest", "This is a workbook or an archive. Save the sheet as CSV, and upload that."),
        (b"\x00\x01cue", "This is not a text file. Upload CSV or JSON."),
        (b'{"cue": 1', "Line 1: this is not a JSON object on one line."),
        (b"[1]", "Line 1: it must be an object with cue, candidates and chosen."),
        (
            b'[\n{"cue": {}, "candidates": ["a"], "chosen": ["a"]}]',
            "Line 2: cue must be text.",
        ),
        (
            b'[\n\n{"cue": "ab", "candidates": [1, []], "chosen": ["a"]}]',
            "Line 3: candidates must be text.",
        ),
        (b'[\n{"cue": ]', "Line 2, column 9: this is not JSON (Expecting value)."),
        (b"[" * 100_000, "This JSON is nested too deeply, or holds a number that is too long."),
    ],
)
def test_file_that_is_none_is_refused_in_words(content: bytes, problem: str) -> None:
    assert problems_of(content) == [problem]


@django_db
def test_quotation_mark_that_is_not_closed_is_found() -> None:
    (problem,) = problems_of(f'{HEADING}\n"snow,a|b,c\n')

    assert problem.startswith("Line 2 cannot be read (")
    assert problem.endswith("Look for a quotation mark that is not closed.")


@django_db
def test_file_with_too_many_lines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_ROWS", 2)

    assert problems_of(f"{HEADING}\n{LINE}\n{LINE}\n{LINE}\n") == [
        "A file has at most 2 lines; this one has more. Cut it into several."
    ]


@django_db
def test_file_of_many_blank_lines_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_ROWS", 2)
    sparse = f"{HEADING}\n{LINE}\n" + "\n" * 20

    assert "Line 23: the pool has no picture “snowman”." in problems_of(f"{sparse}{LINE}\n")
    assert problems_of(f"{sparse}{LINE}\n{LINE}\n") == [
        "A file has at most 2 lines; this one has more. Cut it into several."
    ]


@django_db
@settings(max_examples=100)
@given(content=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: f"{HEADING}\n{text}".encode()))
def test_whatever_is_uploaded_is_read_or_refused_in_words(content: bytes) -> None:
    problems = problems_of(content)

    assert all(problem.isprintable() for problem in problems)


def test_items_of_a_file_are_associations_of_the_batch(pool: Mapping[str, Picture]) -> None:
    batch = make_batch(items_from="file")
    family = SolveTask()

    added = family.add_items(family.read_items(f"{HEADING}\n{LINE}\n".encode()), batch=batch)

    association = Association.objects.get()
    assert (added, association.item.batch, association.item.study, association.item.wanted) == (
        1,
        batch,
        batch.study,
        3,
    )
    assert [place.label for place in association.places.all()] == list(CONCEPTS)
    assert association.chosen_keys == {pool["snowman"].key, pool["ice"].key}


def test_many_items_take_as_many_queries_as_few(pool: Mapping[str, Picture]) -> None:
    batch = make_batch(items_from="file")
    counts = []
    for cues in (["ab"], ["cd", "ef", "gh", "ij"]):
        text = "\n".join([HEADING, *(LINE.replace("snow,", f"{cue},", 1) for cue in cues)])
        with CaptureQueriesContext(connection) as queries:
            SolveTask().add_items(read(text), batch=batch)
        counts.append(len(queries))

    assert counts[0] == counts[1]


@django_db
def test_item_asked_anew_forgets_what_was_found_out() -> None:
    asked = make_association(cue="cold")
    Association.objects.update(asked_at=asked.item.created_at, model_score=50)
    batch = make_batch(study=asked.item.study)

    SolveTask().repeat_items([asked.item], batch=batch)
    item = Item.objects.get(repeats=asked.item, batch=batch)

    again = Association.objects.get(item=item)
    assert (item.repeats, item.batch, item.wanted) == (asked.item, batch, 3)
    assert (again.cue, again.chosen_keys) == ("cold", asked.chosen_keys)
    assert (again.asked_at, again.model_score) == (None, None)


@django_db
def test_remove_items_takes_this_batchs_associations_alone() -> None:
    kept = make_association()
    batch = make_batch(study=kept.item.study)
    SolveTask().repeat_items([kept.item], batch=batch)

    SolveTask().remove_items(batch=batch)

    assert list(Association.objects.all()) == [kept]
    assert Item.objects.count() == 2


def test_example_file_can_be_read(pool: Mapping[str, Picture]) -> None:
    make_picture(concept="ice")
    make_picture(concept="a|b")
    make_picture(concept="cat")

    assert len(read(example_file())) == 1


@django_db
def test_example_file_shows_the_form_even_without_a_pool() -> None:
    assert example_file() == f"{HEADING}\n{LINE}\n"


def test_file_help_is_for_people() -> None:
    help_text: Any = SolveTask.file_help

    assert "cue" in help_text
