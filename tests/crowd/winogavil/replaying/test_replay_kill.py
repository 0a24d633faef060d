"""`kill -9` in the middle of a replay: what is stored is whole, and the next start completes it."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.config.processes import ROOT, lay_databases, manage, scratch_environ, wait_until
from tests.crowd.winogavil.replaying.recordings import write_many

ASSOCIATIONS = 4_000
OF_STUDY = "item_id IN (SELECT id FROM hits_item WHERE study_id = (SELECT id FROM hits_study WHERE name = ?))"
NOT_WHOLE = """
SELECT count(*) FROM winogavil_association AS one
WHERE final_at IS NULL
OR (SELECT count(*) FROM winogavil_place WHERE association_id = one.id) < 5
OR (SELECT count(*) FROM winogavil_solution WHERE association_id = one.id) <> 3
"""
# Everything that was recorded, without row numbers and instants.
ROWS = f"""
SELECT recorded_as, cue, set_key, model_score, solvers_numerator, solvers_denominator,
    (SELECT group_concat(label || chosen || predicted) FROM
        (SELECT * FROM winogavil_place WHERE association_id = one.id ORDER BY position)),
    (SELECT group_concat(picked || numerator || '/' || denominator) FROM
        (SELECT * FROM winogavil_solution WHERE association_id = one.id ORDER BY id))
FROM winogavil_association AS one WHERE {OF_STUDY} ORDER BY recorded_as
"""  # noqa: S608  # of constants


def ask(environ: dict[str, str], query: str, *values: str) -> list[Any]:
    path = Path(environ["CROWD_DATA_DIR"]) / "crowd.sqlite3"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as database:
        return database.execute(query, values).fetchall()


@pytest.mark.pure  # its database is a file of its own
def test_a_killed_replay_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = write_many(tmp_path / "recording", associations=ASSOCIATIONS, seed=1)
    environ = scratch_environ(tmp_path)
    lay_databases(tmp_path, "default")
    command = ("replay", "winogavil", str(folder), "--json", "--study")

    with subprocess.Popen(
        [sys.executable, "manage.py", *command, "killed"], cwd=ROOT, env=environ, stdout=subprocess.DEVNULL
    ) as process:
        count = "SELECT count(*) FROM winogavil_association"
        wait_until(lambda: ask(environ, count)[0][0] > 0, seconds=60, what="the first part is recorded")
        process.kill()
    ((stood,),) = ask(environ, count)
    ((in_pieces,),) = ask(environ, NOT_WHOLE)
    resumed = json.loads(manage(*command, "killed", environ=environ))
    at_one_go = json.loads(manage(*command, "at one go", environ=environ))

    assert 0 < stood < ASSOCIATIONS
    assert in_pieces == 0
    assert {**resumed, "seconds": 0} == {**at_one_go, "seconds": 0}
    assert resumed["associations"] == ASSOCIATIONS
    assert ask(environ, ROWS, "killed") == ask(environ, ROWS, "at one go")
    assert len(ask(environ, ROWS, "killed")) == ASSOCIATIONS
