"""The reader of stylesheets finds each kind of fault, and none in the product's own."""

from pathlib import Path

import pytest

from tests.stylesheets import SHEETS, Sheet, faults_between, faults_of, find_faults, read_sheet, stylesheets


@pytest.fixture
def sheet(request: pytest.FixtureRequest, tmp_path: Path) -> Sheet:
    path = tmp_path / "one.css"
    path.write_text(request.param)
    return read_sheet(path)


def test_there_is_one_design_system() -> None:
    assert {path.stem for path in stylesheets()} == SHEETS


def test_own_stylesheets_have_no_fault() -> None:
    assert find_faults() == []


@pytest.mark.parametrize(
    ("sheet", "faults"),
    [
        ("p { color: red; }", []),
        (
            "p { color red; }",
            ["1: Stop token reached before {} block for a qualified rule.", "1: p says nothing"],
        ),
        ("p { color: red; } }", ["1: EOF reached before {} block for a qualified rule."]),
        ("p {\n  color: red;\n  color: blue;\n}", ["2: color is said twice in p"]),
        ("p { color: red; }\np { margin: 0; }", ["1: p stands twice"]),
        ("p { margin: 0; }\n@media print { p { margin: 1px; } }", []),
        ("p {\n}", ["1: p says nothing"]),
        ("p { color: red !important; }", ["1: !important; a selector that fits better needs none"]),
        ("p { margin-left: 0; }", ["1: margin-left: 0 names a side; say start or end"]),
        ("p { left: 0; }", ["1: left: 0 names a side; say start or end"]),
        ("p { text-align: right; }", ["1: text-align: right names a side; say start or end"]),
        ("p { margin: 0 1px 0 2px; }", ["1: margin: 0 1px 0 2px names a side; say start or end"]),
        ("p { margin: 0 1px 2px 1px; margin-inline: 0 1px; text-align: end; }", []),
        ("ul { li { margin: 0; margin: 1px; } color: red; }", ["1: margin is said twice in li"]),
    ],
    indirect=["sheet"],
)
def test_fault_of_one_file_is_found(sheet: Sheet, faults: list[str]) -> None:
    assert list(faults_of(sheet)) == faults


@pytest.mark.parametrize(
    ("sheet", "faults"),
    [
        (":root { --ink: red; }\np { color: var(--ink); }", []),
        ("p { color: var(--theirs); }", []),
        ("p { color: var(--ink); }", ["1: --ink is defined nowhere"]),
        (":root { --ink: red; }", ["1: --ink is used nowhere"]),
        ("/* .card */ .card, a[href='.pdf'] { margin: 0; }", []),
        ("/* .card */ .field-card { margin: 0; }", []),
        ("/* .gone */ p {}\n.gone { margin: 0; }", ["2: nothing has the class gone"]),
        ("/* .part */ .card { margin: 0; }", ["1: card is in no list of parts"]),
    ],
    indirect=["sheet"],
)
def test_fault_between_files_is_found(sheet: Sheet, faults: list[str]) -> None:
    found = faults_between([sheet], named={"card"}, theirs="--theirs: blue")

    assert [fault for _, fault in found] == faults
