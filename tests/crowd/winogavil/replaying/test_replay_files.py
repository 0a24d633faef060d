"""Files that cannot be read are refused with the line to look at, and nothing of them is recorded."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from crowd.winogavil.models import Association
from crowd.winogavil.replaying.rows import ASSOCIATIONS, SOLUTIONS
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from tests.crowd.winogavil.replaying.recordings import SET, association, solved, write

pytestmark = pytest.mark.django_db
QUOTED = "Put a field that holds the separator into quotation marks."
HEADING = "association,worker,candidates,cue,selected,rival_prediction\n"
LISTS = [json.dumps(json.dumps(names)).replace('\\"', '""') for names in (SET, SET[:2], SET[3:])]
GOOD = f"A1,creator-1,{LISTS[0]},thorn,{LISTS[1]},{LISTS[2]}\n"


def refused(folder: Path) -> str:
    with pytest.raises(CommandError) as found:
        call_command("replay", "winogavil", folder)
    assert not Association.objects.exists()
    assert not Study.objects.exists()
    assert not Account.objects.exists()
    return str(found.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param("", "associations.csv: The file is empty.", id="empty"),
        pytest.param(
            "worker,cue\n",
            "associations.csv: The first line names the columns association, worker, ",
            id="columns",
        ),
        pytest.param(
            HEADING.replace("cue", "worker"), "Each must appear once: worker, cue.", id="column twice"
        ),
        pytest.param(HEADING + GOOD + "A2,x\n", "associations.csv, line 3: it has 2 fields", id="cells"),
        pytest.param(
            HEADING + "\n" + GOOD.replace(LISTS[1], "tea"),
            "line 3: selected must be a JSON list",
            id="no JSON",
        ),
        pytest.param(HEADING + GOOD.replace(LISTS[0], "5"), "line 2: candidates must be", id="no list"),
        pytest.param(HEADING + GOOD.replace(LISTS[2], '"[1, 2]"'), "rival_prediction must be", id="no names"),
        pytest.param(
            HEADING + GOOD.replace(LISTS[2], "[" * 100_000), "line 2: rival_prediction must be", id="too deep"
        ),
        pytest.param(HEADING + GOOD.replace("A1", ""), "line 2: association must not be empty", id="no name"),
        pytest.param(HEADING + GOOD.replace("thorn", "th\0rn"), "line 2: cue holds a NUL", id="NUL"),
        pytest.param(
            HEADING + GOOD.replace("tea", "\\ud800"), "line 2: candidates holds a NUL or half", id="half"
        ),
        pytest.param(HEADING + GOOD + GOOD, "line 3: A1 is the association of line 2, too", id="name twice"),
        pytest.param(HEADING + 'A1,"creator', "associations.csv, line 2 cannot be read (", id="open quote"),
    ],
)
def test_a_bad_file_of_associations_is_refused(tmp_path: Path, content: str, words: str) -> None:
    write(tmp_path, [], [])
    (tmp_path / ASSOCIATIONS).write_text(content, encoding="utf-8")

    assert words in refused(tmp_path)


def test_what_is_not_utf8_is_named_by_its_line(tmp_path: Path) -> None:
    write(tmp_path, [], [])
    lines = [HEADING.encode(), *[GOOD.encode()] * 5_000, "café\n".encode("latin-1")]
    (tmp_path / ASSOCIATIONS).write_bytes(b"".join(lines))

    assert "associations.csv, line 5002 is not UTF-8 text" in refused(tmp_path)


def test_bad_lines_of_both_files_are_named_together(tmp_path: Path) -> None:
    write(tmp_path, [association()], solved())
    for file in (ASSOCIATIONS, SOLUTIONS):
        with (tmp_path / file).open("a") as opened:
            opened.write("short\n")

    said = refused(tmp_path)

    assert said.splitlines() == [
        f"associations.csv, line 3: it has 1 fields, and the heading 6. {QUOTED}",
        f"solutions.csv, line 5: it has 1 fields, and the heading 3. {QUOTED}",
    ]


def test_a_byte_order_mark_further_columns_and_another_order_are_read(tmp_path: Path) -> None:
    write(tmp_path, [], solved())
    names, cells = HEADING.strip().split(","), ["A1", "creator-1", LISTS[0], "thorn", *LISTS[1:]]
    lines = [",".join(reversed([*names, "note"])), ",".join(reversed([*cells, "two\r\nlines".join('""')]))]
    (tmp_path / ASSOCIATIONS).write_text("\r\n".join(lines), encoding="utf-8-sig", newline="")

    call_command("replay", "winogavil", tmp_path)

    assert Association.objects.get().recorded_as == "A1"
