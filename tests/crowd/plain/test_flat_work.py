"""What a file says of questions of one's own: what was uploaded, and the answers by the questions' names."""

from typing import Any

import pytest

from hits.data.services.flat_export import export_flat
from hits.studies.models import Batch
from tests.crowd.plain.describing import SHORT
from tests.crowd.plain.making import add_sentences, answer_each, ask, asked_project, describe, open_batch

pytestmark = pytest.mark.django_db
CHANGED = SHORT + "number: sure\nask: How sure are you?\n"


def rows_of(batch: Batch) -> list[dict[str, Any]]:
    return list(export_flat(batch=batch, include_excluded=False))


def test_a_row_has_what_was_uploaded_and_what_was_answered() -> None:
    project = asked_project("A dog barks.", "A dog meows.")
    batch = open_batch(project)
    answer_each(batch, [{"q1": "1"}, {"q1": "2"}])

    rows = rows_of(batch)

    said = {row["Input.sentence"]: row["Answer.natural"] for row in rows}
    assert said.keys() == {"A dog barks.", "A dog meows."}
    assert sorted(said.values()) == ["no", "yes"]
    assert {row["page"] for row in rows} == {1}


def test_versions_of_a_page_share_a_file_with_the_columns_of_all() -> None:
    project = asked_project("A dog barks.")
    batch = open_batch(project)
    answer_each(batch, [{"q1": "1"}])
    describe(project, CHANGED)
    add_sentences(project, "A cat barks.")
    ask(project)
    answer_each(batch, [{"q1": "2", "q2": "7"}])

    first, second = rows_of(batch)

    assert (first["page"], first["Answer.natural"], first["Answer.sure"]) == (1, "yes", None)
    assert (second["page"], second["Answer.natural"], second["Answer.sure"]) == (2, "no", 7.0)
