"""What a file says of caption matching: the caption, the image, the answer, and whether it is right."""

from typing import Any

import pytest

from hits.data.services.flat_export import export_flat
from hits.studies.models import Batch
from hits.work.services.leasing import items_of
from tests.crowd.winoground.making_asked import (
    answer_all,
    answers,
    ask,
    begin,
    hand_in,
    make_project,
    open_batch,
    open_test,
)
from tests.factories import make_worker

pytestmark = pytest.mark.django_db


def rows_of(batch: Batch) -> list[dict[str, Any]]:
    return list(export_flat(batch=batch, include_excluded=False))


def test_a_validation_says_which_combination_was_judged_and_how() -> None:
    project = make_project()
    [example] = ask(project)
    batch = open_batch(project, items=1)
    for _ in range(4):
        answer_all(batch, make_worker(account=batch.account))

    rows = rows_of(batch)

    assert {row["example"] for row in rows} == {example.number}
    assert {row["answer"] for row in rows} == {True}
    assert all(row["is_match"] == (row["caption_of"] == row["image_of"]) == row["is_right"] for row in rows)
    images = [image.sha256 for image in (example.image_0, example.image_1) if image]
    assert {row["image_sha256"] for row in rows} <= {*images}
    assert {row["caption"] for row in rows} <= {example.caption_0, example.caption_1}


def test_first_questions_say_which_were_right() -> None:
    batch = open_test(make_project())
    work = begin(batch, make_worker(account=batch.account))
    hand_in(work, answers(items_of(work), yes=True))

    rows = rows_of(batch)

    assert [row["row"] for row in rows] == list(range(1, len(rows) + 1))
    assert {row["is_right"] for row in rows} == {True, False}
    assert all(row["is_right"] == row["is_match"] for row in rows)
