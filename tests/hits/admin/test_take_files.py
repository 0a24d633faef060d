"""Downloads of data in the admin: which files are offered, and how they are sent."""

from io import BytesIO
from typing import Any
from uuid import UUID

import pyarrow.parquet as pq
import pytest

from hits.admin.data.take_files import LINES, TakeForm, file_name, in_pieces, send_csv, send_rows
from hits.datasets.columns import INTEGER, TEXT, column
from hits.studies.models import Study
from tests.factories import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.pure]
COLUMNS = (column("a", INTEGER, "of it"), column("b", TEXT, "of it"))
ROWS: list[dict[str, Any]] = [{"a": 1, "b": "=ü"}, {"a": None, "b": ""}]


def offer(**sent: str) -> TakeForm:
    what = {"images": "Images", "answers": "Every answer"}
    return TakeForm(sent or None, what=what, everything="Also withdrawn ones")


def sent(form: str) -> tuple[bytes, Any]:
    answer: Any = send_rows(COLUMNS, ROWS, name=f"file.{form}", form=form)
    body = b"".join(answer.streaming_content)
    answer.close()
    return body, answer


def test_form_offers_the_familys_files_and_begins_with_the_first() -> None:
    form = offer()

    assert form.fields["what"].initial == "images"
    assert form.fields["everything"].label == "Also withdrawn ones"
    assert 'value="parquet"' in form.as_p()


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"what": "answers", "form": "csv"}, []),
        ({"what": "secrets", "form": "csv"}, ["what"]),
        ({"what": "answers", "form": "tsv"}, ["form"]),
    ],
    ids=["fine", "another file", "another form"],
)
def test_nothing_else_than_what_is_offered_is_taken(values: dict[str, str], wrong: list[str]) -> None:
    assert list(offer(**values).errors) == wrong


@pytest.mark.parametrize(
    ("form", "content"),
    [("csv", "a,b\r\n1,'=ü\r\n,\r\n"), ("jsonl", '{"a":1,"b":"=ü"}\n{"a":null,"b":""}\n')],
)
def test_texts_are_sent_under_their_name(form: str, content: str) -> None:
    body, answer = sent(form)

    assert body.decode() == content
    assert answer["Content-Disposition"] == f'attachment; filename="file.{form}"'


def test_parquet_is_sent_from_a_file_that_is_gone() -> None:
    body, answer = sent("parquet")

    assert pq.read_table(BytesIO(body)).to_pylist() == ROWS
    assert answer["Content-Type"] == "application/vnd.apache.parquet"


def test_lines_are_read_no_further_than_they_are_sent() -> None:
    lines = iter([b"x"] * (3 * LINES - 1))

    pieces = in_pieces(lines)

    assert next(pieces) == b"x" * LINES
    assert sum(map(len, lines)) == 2 * LINES - 1
    assert list(pieces) == []


def test_file_is_named_by_study_and_moment() -> None:
    study = Study(public_id=UUID(int=1 << 96))

    assert file_name("family", study, "full", "csv", now=NOW) == "family-00000001-full-20261121-1200.csv"


def test_table_for_a_spreadsheet_is_sent_with_a_mark_and_without_formulas() -> None:
    answer: Any = send_csv(["a", "b"], [["=1", 2], [None, "ü"]], name="table.csv")

    assert b"".join(answer.streaming_content).decode() == "\ufeffa,b\r\n'=1,2\r\n,ü\r\n"
    assert answer["Content-Disposition"] == 'attachment; filename="table.csv"'
