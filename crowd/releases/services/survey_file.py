"""What a look over the rows has found, in a small database of its own: no process holds all pictures."""

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from crowd.releases.family_contents import NamedPicture
from crowd.releases.models import Release
from crowd.releases.splits import PictureGroups
from hits.datasets.whole_files import replacing

AT_ONCE = 500
# So many KiB of a database are held in memory, whatever its size; the system has the rest at hand.
HELD = "PRAGMA cache_size = -256"
# A picture's `key` tells it from others; `node` is the first place of that key, `root` that of its group.
TABLES = """
CREATE TABLE picture (
    place INTEGER PRIMARY KEY, key TEXT, name TEXT, sha256 TEXT, licence TEXT, credit TEXT, source TEXT,
    node INTEGER, root INTEGER, stored TEXT DEFAULT '', left_out TEXT DEFAULT ''
);
CREATE UNIQUE INDEX picture_once ON picture (key, name, sha256);
CREATE INDEX picture_node ON picture (node);
CREATE TABLE picture_group (root INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE part (file TEXT, number INTEGER, byte INTEGER, PRIMARY KEY (file, number));
"""
ADD = """
INSERT INTO picture (place, key, node, name, sha256, licence, credit, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
NODE = "SELECT node FROM picture WHERE key = ? AND name = ? AND sha256 = ?"
NODE_OF_KEY = "SELECT node FROM picture WHERE key = ? LIMIT 1"
# A group is called by its smallest key, so that the order of the rows plays no part.
NAME_GROUPS = "INSERT INTO picture_group SELECT root, min(key) FROM picture GROUP BY root"
FIELDS = ("name", "sha256", "licence", "credit", "source", "stored", "left_out", "group")
READ = """
SELECT p.name, sha256, licence, credit, source, stored, left_out, coalesce(g.name, '')
FROM picture p LEFT JOIN picture_group g USING (root)
"""
EACH_ONCE = "place IN (SELECT min(place) FROM picture WHERE stored != '' GROUP BY sha256)"


@dataclass(frozen=True, kw_only=True)
class ReleasedPicture(NamedPicture):
    """A picture of a release. `stored` names its file here, and is empty where the picture is left out."""

    stored: str = ""
    left_out: str = ""
    # The smallest SHA-256 of the pictures that items connect it with.
    group: str = ""

    @property
    def file(self) -> str:
        """Name of the file in the release; empty where it is left out."""
        return f"{self.sha256}{PurePosixPath(self.stored).suffix}" if self.stored else ""


# Decides on some pictures: for each the name of its file here, and why it is left out.
Decide = Callable[[Sequence[NamedPicture]], Iterable[tuple[str, str]]]


class SurveyFile:
    """A survey's file, opened."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def pictures(self) -> Iterator[ReleasedPicture]:
        """Yield all pictures, in the order in which rows name them."""
        return self._read("ORDER BY place")

    def contained(self, *, first: int, count: int) -> Iterator[ReleasedPicture]:
        return self._read("WHERE stored != '' ORDER BY place LIMIT ? OFFSET ?", count, first)

    def each_once(self) -> Iterator[ReleasedPicture]:
        """Yield contained pictures, one for each digest."""
        return self._read(f"WHERE {EACH_ONCE} ORDER BY place")

    def find(self, sha256: str) -> ReleasedPicture | None:
        """Return the contained picture of this digest."""
        return next(self._read("WHERE key = ? AND stored != '' LIMIT 1", sha256), None)

    def group_of(self, picture: NamedPicture) -> str:
        return next(self._read("WHERE key = ? LIMIT 1", _key_of(picture))).group

    def first_byte(self, file: str, part: int) -> int:
        """Return where in the frozen rows a part of a file begins."""
        query = "SELECT byte FROM part WHERE file = ? AND number = ?"
        (byte,) = self._database.execute(query, (file, part)).fetchone() or (0,)
        return int(byte)

    def _read(self, which: str, *values: Any) -> Iterator[ReleasedPicture]:
        rows = self._database.execute(READ + which, values)
        return (ReleasedPicture(**dict(zip(FIELDS, row, strict=True))) for row in rows)


class SurveyDraft(SurveyFile):
    """A survey's file while it is written: first items with their pictures, then what becomes of these."""

    def __init__(self, database: sqlite3.Connection) -> None:
        super().__init__(database)
        self._groups = PictureGroups()
        self._count = 0
        # The number of items for each place; they are counted at the first picture that they name.
        self._items = array("L", [0])

    def add_item(self, pictures: Iterable[NamedPicture]) -> None:
        """Note the pictures of one item, which belong together from now on."""
        if nodes := [self._node_of(one) for one in pictures]:
            self._groups.join(nodes)
            self._items[nodes[0]] += 1

    def add_part(self, file: str, part: int, byte: int) -> None:
        self._database.execute("INSERT INTO part VALUES (?, ?, ?)", (file, part, byte))

    def settle(self, decide: Decide) -> None:
        """Store what becomes of each picture, and the groups."""
        for first in range(0, self._count, AT_ONCE):
            some = list(self._read("WHERE place > ? ORDER BY place LIMIT ?", first, AT_ONCE))
            self._database.executemany(
                "UPDATE picture SET stored = ?, left_out = ? WHERE place = ?",
                ((*decided, first + at) for at, decided in enumerate(decide(some), start=1)),
            )
        roots = ((self._groups.group_of(node), node) for node in range(1, self._count + 1))
        self._database.executemany("UPDATE picture SET root = ? WHERE node = ?", roots)
        self._database.execute(NAME_GROUPS)

    def count_pictures(self) -> tuple[int, int]:
        """Return how many pictures there are, and how many of them are contained."""
        counted = self._database.execute("SELECT count(*), count(nullif(stored, '')) FROM picture")
        pictures, contained = counted.fetchone()
        return int(pictures), int(contained)

    def largest_group(self) -> float:
        """Return the share of the items that the largest group of pictures in common has."""
        sizes = array("L", bytes(self._items.itemsize * len(self._items)))
        for node, items in enumerate(self._items):
            if items:
                sizes[self._groups.group_of(node)] += items
        return max(sizes) / (sum(sizes) or 1)

    def _node_of(self, picture: NamedPicture) -> int:
        key = _key_of(picture)
        known = self._database.execute(NODE, (key, picture.name, picture.sha256)).fetchone()
        return int(known[0]) if known else self._add(key, picture)

    def _add(self, key: str, picture: NamedPicture) -> int:
        self._count += 1
        self._items.append(0)
        (node,) = self._database.execute(NODE_OF_KEY, (key,)).fetchone() or (self._count,)
        about = (picture.name, picture.sha256, picture.licence, picture.credit, picture.source)
        self._database.execute(ADD, (self._count, key, node, *about))
        return int(node)


def path_of(release: Release) -> Path:
    return release.frozen / "survey.sqlite3"


@contextmanager
def reading(release: Release) -> Iterator[SurveyFile]:
    with closing(sqlite3.connect(f"file:{path_of(release)}?mode=ro", uri=True)) as database:
        database.execute(HELD)
        yield SurveyFile(database)


@contextmanager
def drafting(release: Release) -> Iterator[SurveyDraft]:
    """Write a survey's file, which has its name once the block ends."""
    with replacing(path_of(release)) as file, closing(sqlite3.connect(file.name)) as database:
        # A draft that is lost is made again.
        database.executescript(f"{HELD}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {TABLES}")
        yield SurveyDraft(database)
        database.commit()


def _key_of(picture: NamedPicture) -> str:
    return picture.sha256 or picture.name
