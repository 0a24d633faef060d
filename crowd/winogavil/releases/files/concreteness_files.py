"""The columns of a file of concreteness ratings. Nothing here uses the database."""

from typing import Any, BinaryIO

from hits.common.uploads import UploadedColumn, read_number, text_within
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import read_uploaded

MOST_WORDS, MOST_BYTES = 100_000, 8 * 1024 * 1024
LOWEST, HIGHEST = 1, 5


def _read_rating(value: Any) -> float:
    rating = read_number(value)
    if rating is None or not LOWEST <= rating <= HIGHEST:
        raise ValueError(f"must be from {LOWEST} (abstract) to {HIGHEST} (concrete).")
    return rating


# Published ratings of 40,000 English lemmas have the second names.
COLUMNS = (
    UploadedColumn(
        name="word", help="A word, in whatever case.", example="banana", read=text_within(100), also=["Word"]
    ),
    UploadedColumn(
        name="rating",
        help=f"How concrete people find it on average, from {LOWEST} (abstract) to {HIGHEST} (concrete). "
        "Also called Conc.M.",
        example="5.0",
        read=_read_rating,
        also=["Conc.M", "concreteness"],
    ),
)


def read_ratings(file: BinaryIO, *, problems: Problems) -> dict[str, float]:
    """Return the ratings by the word in small letters. Each wrong line, or repeated word, is a problem."""
    ratings: dict[str, float] = {}
    lines: dict[str, int] = {}
    for row in read_uploaded(file, columns=COLUMNS, most=MOST_WORDS, problems=problems):
        word = row.cells["word"].casefold()
        if word in lines:
            problems.say(f"{row.place}: {word:.40} is in line {lines[word]} already.", line=row.line)
        lines.setdefault(word, row.line)
        ratings[word] = row.cells["rating"]
    return ratings
