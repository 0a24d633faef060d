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
from tests.crowd.winoventi.recordings import write_many

PAIRS = 600
OF_STUDY = """
project_id = (
    SELECT project.id FROM winoventi_project AS project
    JOIN hits_study AS study ON study.id = project.study_id
    WHERE study.name = ?
)
"""
# Everything that was recorded, without row numbers and instants.
ROWS = f"""
SELECT noun.number, noun.word, generic.word, generic.k, generic.rank, generic.state, alternative.word,
    alternative.state, premise.sentence, premise.state, premise.reason,
    (SELECT group_concat(generic_synonym || exception_synonym) FROM winoventi_judgement
        WHERE premise_id = premise.id),
    (SELECT count(*) FROM winoventi_choice JOIN winoventi_prompt AS prompt ON prompt.id = prompt_id
        WHERE premise_id = premise.id)
FROM winoventi_generic AS generic
JOIN winoventi_noun AS noun ON noun.id = noun_id
LEFT JOIN winoventi_alternative AS alternative ON alternative.generic_id = generic.id
LEFT JOIN winoventi_premise AS premise ON premise.alternative_id = alternative.id
WHERE generic.{OF_STUDY.strip()} ORDER BY generic.k, generic.rank, alternative.position
"""  # noqa: S608  # of constants


def ask(environ: dict[str, str], query: str, *values: str) -> list[Any]:
    path = Path(environ["CROWD_DATA_DIR"]) / "crowd.sqlite3"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as database:
        return database.execute(query, values).fetchall()


@pytest.mark.pure  # its database is a file of its own
def test_a_killed_replay_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = write_many(tmp_path / "recording", pairs=PAIRS, seed=1)
    environ = scratch_environ(tmp_path)
    lay_databases(tmp_path, "default")
    command = ("replay", "winoventi", str(folder), "--json", "--study")

    with subprocess.Popen(
        [sys.executable, "manage.py", *command, "killed"], cwd=ROOT, env=environ, stdout=subprocess.DEVNULL
    ) as process:
        count = "SELECT count(*) FROM winoventi_premise"
        wait_until(lambda: ask(environ, count)[0][0] > 0, seconds=60, what="the first premises are recorded")
        process.kill()
    ((stood,),) = ask(environ, count)
    resumed = json.loads(manage(*command, "killed", environ=environ))
    at_one_go = json.loads(manage(*command, "at one go", environ=environ))

    assert 0 < stood < resumed["premises"]
    assert {**resumed, "seconds": 0} == {**at_one_go, "seconds": 0}
    assert (resumed["pairs_posted"], resumed["exceptions"]) == (PAIRS, 2 * PAIRS)
    assert ask(environ, ROWS, "killed") == ask(environ, ROWS, "at one go")
    assert len(ask(environ, ROWS, "killed")) == 2 * PAIRS
