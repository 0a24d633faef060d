"""Words and numbers of the pool, without files and without a database."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

LONGEST_CONCEPT = 64
# Of the 64 bits of two pictures' hashes, so many may differ where both show nearly the same.
NEAR = 6
WORD = re.compile(r"[^\W\d_]+")
# What files are numbered by: "cat-2", "cat_002", "cat (3)".
COUNTED = re.compile(r"[ _-]*\(?\d+\)?$")
# One letter is a speck that somebody took for a letter.
LEAST_LETTERS = 2


def words_of(text: str) -> list[str]:
    """Runs of letters, so written that the same word is the same text."""
    return WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shows_words(written: str) -> bool:
    return any(len(word) >= LEAST_LETTERS for word in words_of(written))


def shows_concept(written: str, *, concept: str) -> bool:
    """Whether the picture gives its concept away in letters."""
    wanted, found = words_of(concept), words_of(written)
    return bool(wanted) and (set(wanted) <= set(found) or "".join(wanted) in found)


def tidy_concept(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).replace("_", " ").split())


def concept_of_file(name: str) -> str:
    """Of "animals/snow_owl-2.png" it is "snow owl"; a name of digits alone stays as it is."""
    stem = PurePosixPath(name).stem
    return tidy_concept(COUNTED.sub("", stem) or stem)


def concept_of_folder(name: str) -> str:
    """Of "animals/owl/1.png" it is "owl"; empty for a file that lies in no folder."""
    return tidy_concept(PurePosixPath(name).parent.name)


def distance(first: int, second: int) -> int:
    """How many of 64 bits differ."""
    return ((first ^ second) & (2**64 - 1)).bit_count()


def are_near(first: int | None, second: int | None) -> bool:
    """Of two perceptual hashes; a drawing without one is near to nothing."""
    return first is not None and second is not None and distance(first, second) <= NEAR


def near_pairs(hashes: Sequence[int | None]) -> list[tuple[int, int]]:
    """Places of those that a set should not show together."""
    return [
        (one, other)
        for one in range(len(hashes))
        for other in range(one + 1, len(hashes))
        if are_near(hashes[one], hashes[other])
    ]


def signed(bits: int) -> int:
    """As a database's integer of 64 bits holds it."""
    return bits - 2**64 if bits >= 2**63 else bits
