"""Rules of the pool about words and hashes, without files and without a database."""

import re
import unicodedata
from pathlib import PurePosixPath

LONGEST_CONCEPT = 64
# The most bits of 64 in which the hashes of two pictures differ that show nearly the same.
NEAR = 6
WORD = re.compile(r"[^\W\d_]+")
# Numbers at the end of files' names: "cat-2", "cat_002", "cat (3)".
COUNTED = re.compile(r"[ _-]*\(?\d+\)?$")
# Names that cameras give, "IMG_2011" or "P1010203" or "PXL_20240131_101112123", and numbers before the words.
CAMERA = re.compile(
    r"^(?:(?:IMG|DSCN?|DSCF|PXL|P)[ _-]*)?\d+(?:[ _-]+\d+)*[ _-]+(?=.*[^\W\d_])", re.IGNORECASE
)
# A single letter is a speck that was read as a letter.
LEAST_LETTERS = 2
# So many letters of a concept are a part of it: two are in half of all words.
LEAST_PART = 3


def words_of(text: str) -> list[str]:
    """Runs of letters, normalized so that the same word is the same text."""
    return WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shows_words(written: str) -> bool:
    return any(len(word) >= LEAST_LETTERS for word in words_of(written))


def shows_concept(written: str, *, concept: str) -> bool:
    return bool(words_showing(written, concept=concept))


def words_showing(written: str, *, concept: str) -> list[str]:
    """The words on a picture that give its concept away, in whole or in part: “brary” for “library”."""
    wanted, found = words_of(concept), list(dict.fromkeys(words_of(written)))
    if wanted and set(wanted) <= set(found):
        return wanted
    targets = [word for word in (*wanted, "".join(wanted)) if len(word) >= LEAST_PART]
    return [word for word in found if any(_is_part(word, target) for target in targets)]


def _is_part(word: str, target: str) -> bool:
    """Whether one is a part of the other; a longer word may hold the whole target, as in “owls”."""
    return target in word or (len(word) >= LEAST_PART and word in target)


def tidy_concept(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).replace("_", " ").split())


def concept_of_file(name: str) -> str:
    """The concept in a file's name: "owl" for "birds/IMG_7_owl-2.png"; mere digits stay as they are."""
    stem = CAMERA.sub("", PurePosixPath(name).stem)
    return tidy_concept(COUNTED.sub("", stem) or stem)


def concept_of_folder(name: str) -> str:
    """The concept in a folder's name: "owl" for "animals/owl/1.png"; empty for a file in no folder."""
    return tidy_concept(PurePosixPath(name).parent.name)


def distance(first: int, second: int) -> int:
    """Number of bits that differ, of 64."""
    return ((first ^ second) & (2**64 - 1)).bit_count()


def are_near(first: int | None, second: int | None) -> bool:
    """Whether two perceptual hashes are near; a drawing without a hash is near to nothing."""
    return first is not None and second is not None and distance(first, second) <= NEAR


def signed(bits: int) -> int:
    """The number as a database's signed integer of 64 bits."""
    return bits - 2**64 if bits >= 2**63 else bits
