"""The import command: what it prints, and that `kill -9` in the middle loses and doubles nothing."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from hits.common.supervising import die_with_parent
from qualifications.models import SwowList
from tests.config.processes import ROOT, lay_databases, manage, scratch_environ, wait_until
from tests.qualifications.files import HEAD, make_rows, said, write_strengths

ROWS = 8_000
KILLS = 3
# The command with small slices, and with a pause where a slice is written but not yet committed.
SLOWLY = """
import time
from django.core.management import call_command
from qualifications.services import file_slices, graph_storage
file_slices.SLICE = 200
write_totals = graph_storage._write_totals
def write_slowly(totals):
    write_totals(totals)
    time.sleep(0.08)
graph_storage._write_totals = write_slowly
call_command("import_swow", r"{path}", name="killed", json=True)
"""


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("import_swow", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_import_swow_reports_as_json(tmp_path: Path) -> None:
    path = write_strengths(tmp_path / "strength.SWOW-EN.R123.csv", said("yolk", ("egg", 3), ("white", 1)))
    path.write_text(path.read_text() + "half a line\n")

    report: dict[str, Any] = json.loads(run(str(path), "--json", "--language", "en"))

    swow = SwowList.objects.get()
    assert report.pop("seconds") >= 0
    assert report == {
        "name": "strength.SWOW-EN.R123",
        "kind": "r123",
        "language": "en",
        "licence": "CC BY-NC-ND 3.0",
        "sha256": swow.sha256,
        "status": "ready",
        "already_imported": False,
        "rows": 2,
        "bad_lines": 1,
        "problems": ["Line 4: it has 1 fields, and the first line 5."],
        "words": 3,
        "cues": 1,
        "associations": 2,
    }


@pytest.mark.django_db
def test_import_swow_says_what_it_did_and_that_it_was_done_before(tmp_path: Path) -> None:
    path = write_strengths(tmp_path / "strength.csv.gz", said("yolk", ("egg", 3)))

    first = run(str(path), "--licence", "CC BY 4.0")
    second = run(str(path))

    assert first == "strength (Ready): 1 rows, 2 words, 1 cues, 1 associations.\n"
    assert second.startswith("Already imported as strength: 1 rows")
    assert SwowList.objects.get().licence == "CC BY 4.0"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("word\tfrequency\n", "no file of associations"),
        (f"{HEAD}\nnothing\n", "No line of it could be counted"),
    ],
    ids=["another file", "no good line"],
)
def test_import_swow_fails_in_words(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "strength.csv"
    path.write_text(content)

    with pytest.raises(CommandError, match=words):
        run(str(path))


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.django_db
def test_import_swow_shows_progress_where_somebody_looks(tmp_path: Path) -> None:
    path = write_strengths(tmp_path / "strength.csv", make_rows(300, seed=1))
    terminal = Terminal()

    call_command("import_swow", str(path), stdout=terminal)

    assert "\r100 %  300 rows, 0 bad" in terminal.getvalue()


@pytest.mark.pure
def test_killing_an_import_loses_nothing_and_shows_nothing_half(tmp_path: Path) -> None:
    rows = list(make_rows(ROWS, seed=1))
    path = write_strengths(tmp_path / "strength.csv", rows)
    environ = scratch_environ(tmp_path)
    lay_databases(tmp_path, "default")
    seen: list[tuple[str, int]] = []
    for seed in range(KILLS):
        process = start(SLOWLY.format(path=path), environ=environ)
        try:
            wait_for_more(tmp_path, than=seen[-1][1] if seen else 0)
            time.sleep(random.Random(seed).random() / 5)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(timeout=10)
        seen.append(ask(tmp_path, "SELECT status, rows FROM qualifications_swowlist"))
        edges = ask(tmp_path, "SELECT coalesce(sum(count), 0) FROM qualifications_swowedge")
        assert edges == (sum(people for _, _, people, _ in rows[: seen[-1][1]]),)

    report = json.loads(manage("import_swow", str(path), "--name", "killed", "--json", environ=environ))

    assert [status for status, _ in seen] == ["importing"] * KILLS
    assert 0 < seen[0][1] < seen[1][1] < seen[2][1] < ROWS
    assert (report["status"], report["rows"], report["associations"]) == ("ready", ROWS, ROWS)
    assert report["already_imported"] is False
    assert set(stored(tmp_path)) == {(cue, response, people) for cue, response, people, _ in rows}


def start(script: str, *, environ: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "shell", "--no-imports", "--command", script],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.DEVNULL,
        preexec_fn=die_with_parent,  # noqa: PLW1509  # a test run that is broken off leaves no process behind
    )


def wait_for_more(folder: Path, *, than: int) -> None:
    """Wait for rows that another start of the import has added."""

    def has_more() -> bool:
        found = ask(folder, "SELECT rows FROM qualifications_swowlist")
        return bool(found) and found[0] > than

    wait_until(has_more, seconds=120, what="more rows are in")


def ask(folder: Path, query: str) -> Any:
    with closing(connect(folder)) as database:
        return database.execute(query).fetchone()


def stored(folder: Path) -> Iterator[tuple[str, str, int]]:
    with closing(connect(folder)) as database:
        yield from database.execute(
            "SELECT cue.text, response.text, count FROM qualifications_swowedge "
            "JOIN qualifications_swowword cue ON cue.id = cue_id "
            "JOIN qualifications_swowword response ON response.id = response_id"
        )


def connect(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{folder / 'crowd.sqlite3'}?mode=ro", uri=True, timeout=10)
