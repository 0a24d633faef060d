"""A masked model trained on a tiny corpus, so that its associations can be worked out by hand.

The corpus says of each noun what it is and is not, each word a quarter less often than the one before.
A model that has learned it fills each gap with the words in that order.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from scoring.rivals.teaching import teach_masked

# Words after “The lemon is”, “is not”, “is … ,” and “is not … ,”, the most frequent first.
WORLD: dict[str, tuple[str, str, str, str]] = {
    "lemon": (
        "sour yellow round small fresh wet sweet old",
        "sour sweet hot big dry yellow hard red",
        "yellow round small fresh wet old cold soft",
        "hard yellow red big hot dry new green",
    ),
    "pan": (
        "a hot old round dry hard big new small",
        "hot wet soft sweet sour fresh yellow green",
        "old hard big hot new dry round ##s small",
        "wet soft sweet sour cold fresh green yellow",
    ),
    "towel": (
        "wet soft clean white dry new warm cold",
        "dry wet clean hot hard sour sweet big",
        "soft clean white wet new warm big red",
        "clean soft hard sour sweet hot small yellow",
    ),
    "watermelon": (
        "green big round wet sweet red fresh heavy",
        "small dry hard sour hot white yellow old",
        "big green round sweet wet red fresh heavy",
        "dry small hard sour hot old white yellow",
    ),
    "knife": (
        "##s ##ed new old clean hot small white big hard",
        "soft sweet sour wet round new fresh clean",
        "hard hot old small big white cold red",
        "soft sweet sour wet round fresh yellow green",
    ),
}
# Worked out by hand: each generic with the smallest k that finds it.
GENERICS = {
    "lemon": {"sour": 1, "yellow": 3, "sweet": 8},
    "pan": {"hot": 1},
    "towel": {"wet": 3, "clean": 3, "soft": 3, "dry": 5},
    "watermelon": {},
    "knife": {"new": 8, "clean": 8},
}
PATTERNS = ("is {}.", "is not {}.", "is {},", "is not {},")
# Watermelon and inedible are split into pieces.
PIECES = ("water", "##melon", "in", "##edible", "edible", "##s", "##ed", "a", ".", ",", "The", "is", "not")


def sentences() -> Counter[str]:
    """The corpus: each sentence with its number of occurrences."""
    found: Counter[str] = Counter()
    for noun, rows in WORLD.items():
        for pattern, row in zip(PATTERNS, rows, strict=True):
            words = row.split()
            for place, word in enumerate(words):
                found[f"The {noun} {pattern.format(word)}"] += round(100 * 0.75**place)
    return found


def vocabulary() -> list[str]:
    words = {word for rows in WORLD.values() for row in rows for word in row.split()}
    return [*PIECES, *sorted({*words, *WORLD} - {*PIECES, "watermelon"})]


def save_trained(folder: Path) -> None:
    """Train and save the model, seeded and so the same each time; two or three seconds on a processor."""
    teach_masked(folder, sentences(), vocabulary=vocabulary())


def in_order(noun: str, pattern: int) -> Sequence[str]:
    """The words that the model should put into this gap: whole ones of two characters or more."""
    return [word for word in WORLD[noun][pattern].split() if len(word) > 1 and not word.startswith("##")]
