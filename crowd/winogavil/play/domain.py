"""Worth of a player's work, in whole numbers that sum without loss."""

import unicodedata
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from hashlib import sha256
from math import isqrt
from uuid import UUID

SHORTEST_NAME, LONGEST_NAME = 2, 20
# One whole has this many parts. A Jaccard index is of at most twelve pictures, and a mean of at most six
# solvers: every such value is a whole number of parts.
PARTS = 27_720 * 60
# Places on the leaderboards are compared to the billionth.
POINTS = 10**9
FULL_SCORE = 100
# Game points that a second level takes; each further one takes so many more than the one before it.
A_LEVEL = 100
# Letters of a game's code: none that is easily read as another, or as a digit.
CODE_LETTERS, CODE_LENGTH = "ABCDEFGHJKLMNPQRSTUVWXYZ", 6


@dataclass(frozen=True, kw_only=True)
class TurnWorth:
    """Amounts that turns add to their player's figures: one turn, or many together."""

    final_cues: int = 0
    fool_sum: int = 0
    solvable_parts: int = 0
    final_solves: int = 0
    jaccard_parts: int = 0

    def __add__(self, other: "TurnWorth") -> "TurnWorth":
        return replace(self, **{name: value + getattr(other, name) for name, value in vars(self).items()})


def worth_of_cue(*, fool: int, solvable: Fraction) -> TurnWorth:
    return TurnWorth(final_cues=1, fool_sum=fool, solvable_parts=parts_of(solvable))


def worth_of_solve(jaccard: Fraction) -> TurnWorth:
    return TurnWorth(final_solves=1, jaccard_parts=parts_of(jaccard))


def parts_of(share: Fraction) -> int:
    return share.numerator * PARTS // share.denominator


def fool_mean(worth: TurnWorth) -> Fraction | None:
    """Mean fool-the-AI score as a share of one, like the other two means; None without a final cue."""
    return Fraction(worth.fool_sum, 100 * worth.final_cues) if worth.final_cues else None


def solvable_mean(worth: TurnWorth) -> Fraction | None:
    return Fraction(worth.solvable_parts, PARTS * worth.final_cues) if worth.final_cues else None


def jaccard_mean(worth: TurnWorth) -> Fraction | None:
    return Fraction(worth.jaccard_parts, PARTS * worth.final_solves) if worth.final_solves else None


def creator_points(worth: TurnWorth) -> int | None:
    """Points of a creator by the mean of the two scores; None before there are any."""
    fool, solvable = fool_mean(worth), solvable_mean(worth)
    return None if fool is None or solvable is None else int(POINTS * (fool + solvable) / 2)


def solver_points(worth: TurnWorth) -> int | None:
    mean = jaccard_mean(worth)
    return None if mean is None else int(POINTS * mean)


def game_points(worth: TurnWorth) -> int:
    """Points that players collect: up to 100 for a word, half of them by each score, and for a solve."""
    parts = FULL_SCORE * (worth.solvable_parts + 2 * worth.jaccard_parts)
    return int(Fraction(worth.fool_sum, 2) + Fraction(parts, 2 * PARTS))


def points_of_turn(score: int, *, is_cue: bool) -> int:
    """Points of a turn as known at its end: of a word only the half that the model gives."""
    return score // 2 if is_cue else score


@dataclass(frozen=True, kw_only=True)
class Level:
    """A level: the points since it began, how many it takes in all, and at how many the next begins."""

    number: int
    done: int
    span: int
    ends: int


def level_of(points: int) -> Level:
    """Levels that begin at 0, 100, 300, 600 points, and so on."""
    number = (1 + isqrt(1 + 8 * (points // A_LEVEL))) // 2
    begins = A_LEVEL * number * (number - 1) // 2
    span = A_LEVEL * number
    return Level(number=number, done=points - begins, span=span, ends=begins + span)


def days_in_row(count: int, *, before: date, today: date) -> int:
    """Days in a row with today, after `count` that ended with the day before or on it."""
    if before == today:
        return max(1, count)
    return count + 1 if before == today - timedelta(days=1) else 1


def read_name(text: str) -> str:
    """The name as it is shown. Raises ValueError with a code for what is wrong: length or letters."""
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not SHORTEST_NAME <= len(name) <= LONGEST_NAME:
        raise ValueError("length")
    if not name.isprintable() or not any(character.isalnum() for character in name):
        raise ValueError("letters")
    return name


def name_key(name: str) -> str:
    """Key that is the same for names that look the same apart from capitals."""
    return unicodedata.normalize("NFKC", name).casefold()


def join_code(game: UUID) -> str:
    """Six letters to type instead of a game's address: they follow from its id, and are no secret."""
    number, letters = int.from_bytes(sha256(game.bytes).digest()), len(CODE_LETTERS)
    return "".join(CODE_LETTERS[number // letters**place % letters] for place in range(CODE_LENGTH))


def read_code(typed: str) -> str:
    """The code as it is kept, whatever capitals, spaces or hyphens it was typed with."""
    return "".join(letter for letter in typed.upper()[:40] if letter in CODE_LETTERS)
