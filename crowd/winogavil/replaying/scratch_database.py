"""Both files side by side in a scratch database on disk: memory stays flat, however long they are."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from crowd.winogavil.domain import set_key
from crowd.winogavil.replaying import rules
from crowd.winogavil.replaying.rows import ASSOCIATIONS, SOLUTIONS, read_rows
from crowd.winogavil.replaying.rules import Recording, Solved
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import Row
from hits.core.errors import InvalidItems
from hits.data.replays import Tell

TOLD_EVERY = 5_000
SCHEMA = """
PRAGMA journal_mode = OFF;
CREATE TABLE associations (
    number INTEGER PRIMARY KEY, line INTEGER, name TEXT UNIQUE, worker TEXT, cue TEXT,
    candidates TEXT, chosen TEXT, predicted TEXT, set_key TEXT, folded_cue TEXT, is_possible INTEGER
);
CREATE INDEX cue_of_set ON associations (set_key, folded_cue) WHERE is_possible;
CREATE TABLE solutions (
    number INTEGER PRIMARY KEY, association INTEGER, worker TEXT, picked TEXT, UNIQUE (association, worker)
);
"""
ADD_ASSOCIATION = "INSERT INTO associations VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_SOLUTION = "INSERT OR IGNORE INTO solutions VALUES (NULL, ?, ?, ?)"
SOME = """
SELECT number, name, worker, cue, candidates, chosen, predicted FROM associations
WHERE number > ? AND is_possible ORDER BY number LIMIT ?
"""
THEIR_SOLUTIONS = """
SELECT association, worker, picked FROM solutions WHERE association BETWEEN ? AND ? ORDER BY number
"""
# Queries for the rules about a whole set: how often each is broken.
RULES_OF_SETS = {
    "cue_repeated_in_set": """
        SELECT coalesce(sum(times - 1), 0)
        FROM (SELECT count(*) AS times FROM associations WHERE is_possible GROUP BY set_key, folded_cue)
    """,
    "more_than_three_spymasters": """
        SELECT count(*) FROM (
            SELECT 1 FROM associations WHERE is_possible GROUP BY set_key HAVING count(DISTINCT worker) > 3
        )
    """,
    "more_than_two_cues": """
        SELECT count(*) FROM (
            SELECT 1 FROM associations WHERE is_possible GROUP BY set_key, worker HAVING count(*) > 2
        )
    """,
}


@contextmanager
def staged(folder: Path, *, tell: Tell) -> Iterator["Staging"]:
    """The recording in this folder, read whole. Raises InvalidItems with the bad lines of both files."""
    # A file without a name: it goes away with the process, however that ends.
    with closing(sqlite3.connect("")) as database:
        staging = Staging(database)
        staging.read(folder, tell=tell)
        yield staging


class Staging:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.executescript(SCHEMA)
        # How often each rule is broken that can be counted while the files are read.
        self.counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._one("SELECT count(*) FROM associations WHERE is_possible")

    def read(self, folder: Path, *, tell: Tell) -> None:
        problems = Problems(InvalidItems)
        for file, add in ((ASSOCIATIONS, self._add_association), (SOLUTIONS, self._add_solution)):
            for number, row in enumerate(read_rows(folder / file, problems=problems), start=1):
                add(row, problems)
                if number % TOLD_EVERY == 0:
                    tell(f"rows of {file} read", number, None)
        problems.refuse()
        self.counts.update({rule: self._one(query) for rule, query in RULES_OF_SETS.items()})
        names = self._database.execute("SELECT name FROM associations ORDER BY number")
        self.counts["number_left_out"] = rules.numbers_left_out(name for (name,) in names)

    def parts(self, *, size: int) -> Iterator[list[Recording]]:
        """Recordings in parts of this size, in the order of the file."""
        last = 0
        while rows := self._database.execute(SOME, (last, size)).fetchall():
            first, last = rows[0][0], rows[-1][0]
            solved: defaultdict[int, list[Solved]] = defaultdict(list)
            for association, worker, picked in self._database.execute(THEIR_SOLUTIONS, (first, last)):
                solved[association].append(Solved(worker=worker, picked=_names(picked)))
            yield [
                Recording(
                    name=name,
                    worker=worker,
                    cue=cue,
                    candidates=_names(candidates),
                    chosen=_names(chosen),
                    predicted=_names(predicted),
                    solved=tuple(solved[number]),
                )
                for number, name, worker, cue, candidates, chosen, predicted in rows
            ]

    def _add_association(self, row: Row, problems: Problems) -> None:
        cells = row.cells
        recording = Recording(
            name=cells["association"],
            worker=cells["worker"],
            cue=cells["cue"],
            candidates=tuple(cells["candidates"]),
            chosen=tuple(cells["selected"]),
            predicted=tuple(cells["rival_prediction"]),
        )
        why_not = rules.why_impossible(recording)
        self.counts.update([why_not] if why_not else [])
        values = (
            row.line,
            recording.name,
            recording.worker,
            recording.cue,
            *map(json.dumps, (recording.candidates, recording.chosen, recording.predicted)),
            set_key(recording.candidates),
            recording.cue.casefold(),
            not why_not,
        )
        try:
            self._database.execute(ADD_ASSOCIATION, values)
        except sqlite3.IntegrityError:
            line = self._one("SELECT line FROM associations WHERE name = ?", recording.name)
            problems.say(
                f"{row.place}: {recording.name} is the association of line {line}, too.",
            )

    def _add_solution(self, row: Row, _: Problems) -> None:
        """Add a solution; one of an association that was left out is left out too."""
        found = self._database.execute(
            "SELECT number, candidates, is_possible FROM associations WHERE name = ?",
            (row.cells["association"],),
        ).fetchone()
        picked = row.cells["selected"]
        if found is None:
            self.counts["solution_of_nothing"] += 1
        elif found[2]:
            self._add_picks(found[0], row.cells["worker"], picked, candidates=_names(found[1]))

    def _add_picks(
        self, association: int, worker: str, picked: list[str], *, candidates: tuple[str, ...]
    ) -> None:
        if not rules.are_candidates(picked, candidates):
            self.counts["picked_not_a_candidate"] += 1
        elif not self._database.execute(ADD_SOLUTION, (association, worker, json.dumps(picked))).rowcount:
            self.counts["solution_twice"] += 1

    def _one(self, query: str, *values: str) -> int:
        (value,) = self._database.execute(query, values).fetchone()
        return int(value)


def _names(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))
