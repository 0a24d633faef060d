"""Four kinds of CSV, each as the programs that read it expect it: none of them changes by a byte."""

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

import pytest

from crowd.marketplace.spreadsheets import csv_file
from hits.common.spreadsheets import write_csv
from hits.data.services.batch_export import RAW
from hits.data.services.batch_files import write_csv as write_batch
from hits.datasets.columns import FLAG, INTEGER, NUMBER, TEXT, TEXTS, column
from hits.datasets.text_formats import csv_lines, tsv_lines

pytestmark = pytest.mark.pure
ODD = 'ü "said", twice\nand'
AT = datetime(2026, 11, 21, 12, 30, 1, tzinfo=UTC)


def test_finance_office_gets_a_mark_moments_and_figures() -> None:
    rows = [["=1", ODD, None, -1, Decimal("-0.27"), AT], [None, "", "-1", 0, Decimal("1E+2"), AT]]

    written = "".join(write_csv(["=name", "b", "c", "d", "e", "at"], rows))

    assert written == (
        "\ufeff'=name,b,c,d,e,at\r\n"
        '\'=1,"ü ""said"", twice\nand",,-1,-0.27,2026-11-21 12:30:01\r\n'
        ",,'-1,0,1E+2,2026-11-21 12:30:01\r\n"
    )


def test_batch_has_a_mark_and_its_lists_as_spaced_json() -> None:
    names = [one.name for one in RAW]
    row: dict[str, Any] = dict.fromkeys(names, None)
    row |= {"worker": "=w", "attempt": -1, "kept_out": True, "status": ODD, "answer": {"ä": [1, None]}}
    about = {"study": "@study", "batch_id": "b", "exported_at": None}

    written = "".join(write_batch([row], names=names, about=about))

    assert written == (
        "\ufeffworker,hit_number,hit,assignment,attempt,accepted_at,submitted_at,approved_at,rejected_at,"
        "worked_s,active_s,status,kept_out,reasons,answer,items,attention_items,bonuses,"
        "study,batch_id,exported_at\r\n"
        '\'=w,,,,-1,,,,,,,"ü ""said"", twice\nand",true,,"{""ä"": [1, null]}",,,,\'@study,b,\r\n'
    )


def test_data_set_has_no_mark_and_its_lists_as_dense_json() -> None:
    kinds = {"a": TEXT, "b": INTEGER, "c": NUMBER, "d": FLAG, "e": TEXTS}
    columns = [column(name, kind, "of it") for name, kind in kinds.items()]
    rows: list[dict[str, Any]] = [
        {"a": "=1", "b": -1, "c": -1e-7, "d": False, "e": ["=ä", ODD]},
        {"a": ODD, "b": None, "c": 1.0, "d": None, "e": []},
        {"a": "", "b": 10**20, "c": float("inf"), "d": True, "e": None},
    ]

    written = b"".join(csv_lines(columns, rows)).decode()

    assert written == (
        "a,b,c,d,e\r\n"
        '\'=1,-1,-1e-07,false,"[""=ä"",""ü \\""said\\"", twice\\nand""]"\r\n'
        '"ü ""said"", twice\nand",,1.0,,[]\r\n'
        ",100000000000000000000,inf,true,\r\n"
    )


def test_row_of_a_single_empty_cell_is_no_empty_line() -> None:
    columns = [column("a", TEXT, "of it")]

    assert b"".join(csv_lines(columns, [{"a": None}, {"a": ""}])) == b'a\r\n""\r\n""\r\n'
    assert "".join(write_csv(["a"], [[None]])) == '\ufeffa\r\n""\r\n'


def test_data_set_as_tsv_is_plain() -> None:
    columns = [column("a", TEXT, "of it"), column("b", INTEGER, "of it")]

    assert b"".join(tsv_lines(columns, [{"a": "=\t" + ODD, "b": 1}])).decode() == (
        'a\tb\n= ü "said", twice and\t1\n'
    )


def test_marketplace_writes_what_it_is_given() -> None:
    rows: list[list[object]] = [["=1", ODD, None, -1, True, Decimal("-0.27")], ["-1", "", 1.0, 0, AT, [1]]]

    answer = csv_file("file", header=["=name", "b", "c", "d", "e", "f"], rows=rows)

    assert b"".join(cast("Iterable[bytes]", answer.streaming_content)).decode() == (
        "'=name,b,c,d,e,f\r\n"
        '\'=1,"ü ""said"", twice\nand",,-1,True,-0.27\r\n'
        "'-1,,1.0,0,2026-11-21 12:30:01+00:00,[1]\r\n"
    )
