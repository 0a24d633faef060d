"""The researcher's file of walks: all lines or none are taken, and every wrong line is named."""

from typing import Any

import pytest

from crowd.winoventi import domain
from crowd.winoventi.models.walks import Walk
from crowd.winoventi.training_test.pages.walk_files import COLUMNS, example_walks, practice_walk, read_walks
from hits import families
from hits.core.errors import InvalidItems
from hits.studies.models import Batch
from hits.work.models.items import Item
from tests.factories import make_batch

HEADING = ",".join(column.name for column in COLUMNS)
GOOD = (
    "kettle,clean,yes,dirty|stained,We found it in a [shop / ditch].,"
    "hot,cold,It stood for [hours / minutes].,no,yes"
)


@pytest.mark.pure
def test_example_file_can_be_uploaded_as_it_is() -> None:
    rows = read_walks(example_walks().encode())

    assert [row.noun for row in rows] == ["kettle", "umbrella"]
    assert rows[0].model_answer == {
        "makes_sense": "yes",
        "exception_1": "dirty",
        "exception_2": "stained",
        "exception_3": "",
        "sentence": "We found the kettle in a [shop / ditch].",
        "generic_word": "shop",
        "exception_word": "ditch",
        "synonym": "no",
        "fits": "yes",
    }
    assert practice_walk().noun not in [row.noun for row in rows]


@pytest.mark.pure
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (HEADING.encode(), "a heading and no line"),
        (b"noun,generic\nkettle,clean", "Each must appear once: makes_sense"),
        (b"\xff\xfe\x00", "not UTF-16 text"),
        (f"{HEADING}\n{GOOD.replace('kettle', '')}".encode(), "Line 2: noun must not be empty"),
        (f"{HEADING}\n{GOOD}\n{GOOD.replace(',no,yes', ',perhaps,yes')}".encode(), "Line 3: synonym must be"),
        (
            f"{HEADING}\n{GOOD.replace('dirty|', 'not clean|')}".encode(),
            "Line 2: exceptions: This is more than",
        ),
        (f"{HEADING}\n{GOOD.replace('stained', 'a|b|c')}".encode(), "Line 2: exceptions holds at most 3"),
        (
            f"{HEADING}\n{GOOD.replace('[shop / ditch]', 'shop')}".encode(),
            "Line 2: sentence: The sentence needs",
        ),
        (f"{HEADING}\n{GOOD.replace('minutes]', 'cold]')}".encode(), "Line 2: given_sentence: This uses"),
        (f"{HEADING}\nkettle,clean".encode(), "Line 2:"),
        (f"{HEADING}\n{GOOD},more".encode(), "Line 2: it has 11 fields, and the heading 10"),
        (f"{HEADING}\n\n\n{GOOD.replace('kettle', '')}".encode(), "Line 4: noun"),
        (f"{HEADING}\n{GOOD.replace('kettle', chr(0))}".encode(), "Line 2: noun has a character"),
    ],
    ids=[
        "empty",
        "heading only",
        "columns missing",
        "no text",
        "no noun",
        "no choice",
        "two words",
        "too many words",
        "no bracket",
        "outcome",
        "short line",
        "long line",
        "behind blank lines",
        "control character",
    ],
)
def test_bad_file_is_refused_line_by_line(content: bytes, words: str) -> None:
    with pytest.raises(InvalidItems, match=words.replace("(", r"\(")):
        read_walks(content)


@pytest.mark.django_db
def test_items_of_a_batch_come_and_go_with_its_draft() -> None:
    family: Any = families.get(domain.WALK)
    batch = make_batch(task=domain.WALK, items_from=Batch.ItemsFrom.FILE)

    added = family.add_items(family.read_items(family.example_file().encode()), batch=batch)
    there = list(Walk.objects.order_by("pk").values_list("noun", "item__wanted", "item__batch"))
    family.remove_items(batch=batch)

    assert (added, there) == (2, [("kettle", 30_000, batch.pk), ("umbrella", 30_000, batch.pk)])
    assert (Walk.objects.count(), Item.objects.count()) == (0, 2)
