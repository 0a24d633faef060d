"""Made-up files in the form of the published ones, drawn from a seed."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

HEAD = "cue\tresponse\tR123\tN\tR123.Strength"
LETTERS = "bcdfghjklmnprstvwxyz"
VOWELS = "aeiou"
# Numbers of the English list of 2018: answers to a cue, and different words among all answers.
RESPONSES_A_CUE = 165
WORDS = 130_000
Row = tuple[str, str, int, int]


def strength_line(cue: str, response: str, people: int, asked: int) -> str:
    return f"{cue}\t{response}\t{people}\t{asked}\t{people / asked:.15g}"


def write_strengths(path: Path, rows: Iterable[Row], *, end: str = "\n") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(HEAD + end)
        for row in rows:
            file.write(strength_line(*row) + end)
    return path


def word(number: int) -> str:
    """Make up a word of letters alone, a different one for every number."""
    syllables = []
    while True:
        number, consonant = divmod(number, len(LETTERS))
        number, vowel = divmod(number, len(VOWELS))
        syllables.append(LETTERS[consonant] + VOWELS[vowel])
        if not number:
            return "".join(syllables) + "k"


def make_rows(count: int, *, seed: int) -> Iterable[Row]:
    """Make rows sorted by cue: few strong answers and many by one person; common words come often."""
    rng = Random(seed)
    cue = 0
    while count > 0:
        responses: dict[int, int] = {}
        while len(responses) < min(RESPONSES_A_CUE, count):
            responses.setdefault(int(WORDS * rng.random() ** 3), max(1, 40 // (len(responses) + 1)))
        asked = sum(responses.values())
        yield from ((word(cue), word(number), people, asked) for number, people in responses.items())
        count -= len(responses)
        cue += 1


def said(cue: str, *responses: tuple[str, int]) -> Sequence[Row]:
    """Make the rows of one cue with its answers, and their sum as N."""
    asked = sum(people for _, people in responses)
    return [(cue, response, people, asked) for response, people in responses]
