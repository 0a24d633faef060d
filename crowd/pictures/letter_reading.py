"""Letters on pictures, read behind one small interface: by Tesseract where it is installed."""

import csv
import re
import shutil
import subprocess
from functools import cache
from io import StringIO
from typing import Protocol

from crowd.pictures.domain import words_of
from crowd.pictures.errors import BadPicture

PROGRAM = "tesseract"
TIMEOUT_S = 30
VERSION_S = 10
LANGUAGE = "eng"
# Sparse text: letters in any place, not a page of a book.
LAYOUT = "11"
# Below this confidence, Tesseract sees letters in leaves and bricks.
LEAST_CONFIDENCE = 60.0
# Of short words it is surer in leaves: they prove that there are letters only above these, by their length.
SURE_OF_SHORT = {0: 101.0, 1: 101.0, 2: 95.0, 3: 75.0}
LONGEST = 2000
# Columns of its table, in which a quotation mark is a letter like any other.
COLUMNS = ("conf", "text")


class Reader(Protocol):
    name: str

    def read(self, content: bytes) -> str:
        """The words on a picture. Raises BadPicture if it could not be read."""


class Tesseract:
    """Tesseract as one process for each picture, which it reads from standard input: no name, no shell."""

    def __init__(self, program: str, *, version: str) -> None:
        self.name = f"tesseract {version}"
        self._command = [program, "stdin", "stdout", "--psm", LAYOUT, "-l", LANGUAGE, "tsv"]

    def read(self, content: bytes) -> str:
        try:
            done = subprocess.run(
                self._command, input=content, capture_output=True, timeout=TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise BadPicture(f"{self.name} took more than {TIMEOUT_S} seconds.") from None
        except OSError as problem:
            raise BadPicture(f"{self.name} could not be started ({problem.strerror}).") from problem
        if done.returncode != 0:
            words = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
            raise BadPicture(f"{self.name} failed: {words[-1][:200]}")
        return words_in_table(done.stdout.decode(errors="replace"))


def words_in_table(table: str) -> str:
    """The words in Tesseract's TSV that it is sure of, if one proves that there are letters.

    Raises BadPicture if the text is no such table.
    """
    rows = csv.DictReader(StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    if not set(COLUMNS) <= set(rows.fieldnames or ()):
        raise BadPicture("Tesseract's answer is no table of words. Update it.")
    read = [(row["text"].strip(), _confidence(row["conf"])) for row in rows if row["text"]]
    words = [word for word, confidence in read if word and confidence >= LEAST_CONFIDENCE]
    if not any(_is_proof(word, confidence) for word, confidence in read):
        return ""
    return " ".join(words).replace("\0", "")[:LONGEST]


@cache
def installed_reader() -> Reader | None:
    """The reader on this machine, looked up once in a process. None: pictures wait until there is one."""
    program = shutil.which(PROGRAM)
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=VERSION_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"\d+(\.\d+)*", done.stdout or done.stderr)
    return Tesseract(program, version=found[0] if found else "?")


def _is_proof(word: str, confidence: float) -> bool:
    longest = max(map(len, words_of(word)), default=0)
    return confidence >= SURE_OF_SHORT.get(longest, LEAST_CONFIDENCE)


def _confidence(written: str | None) -> float:
    try:
        return float(written or 0)
    except ValueError:
        return 0.0
