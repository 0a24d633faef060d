"""What simulated people enter: an answer that counts as true is drawn, and they give it or another one."""

from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_FLOOR, Decimal
from random import Random

from crowd.plain.domain.pages import Kind, Part

MADE_UP = "Made up for a rehearsal."
# A number without limits lies within so many, at one of so many points.
SPAN, POINTS = 100, 10
SMALLEST = Decimal("0.000001")


def draw_true(part: Part, chance: Random) -> str:
    """Draw an entry that the question takes, each alike."""
    match part.kind:
        case Kind.TEXT:
            return MADE_UP[: part.longest].strip()
        case Kind.CHOICES:
            return _at_least_one((one for one in _numbers(part) if chance.random() < 0.5), part, chance)
        case _:
            return chance.choice(_offered(part))


def draw_said(part: Part, true: str, *, is_right: Callable[[], bool], chance: Random) -> str:
    """Draw what somebody enters; of several choices each tick by itself is right or not."""
    match part.kind:
        case Kind.TEXT:
            return true
        case Kind.CHOICES:
            ticked = true.split()
            return _at_least_one(
                (one for one in _numbers(part) if (one in ticked) == is_right()), part, chance
            )
        case _:
            return true if is_right() else chance.choice(_others(part, true) or [true])


def _numbers(part: Part) -> list[str]:
    return [str(number) for number in range(1, len(part.options) + 1)]


def _offered(part: Part) -> Sequence[str]:
    return _figures(part) if part.kind == Kind.NUMBER else _numbers(part)


def _others(part: Part, true: str) -> list[str]:
    """Return what is entered instead: any other answer, and on a scale a point beside the true one."""
    if part.kind == Kind.SCALE:
        return [one for one in _numbers(part) if abs(int(one) - int(true)) == 1]
    return [one for one in _offered(part) if one != true]


def _at_least_one(ticked: Iterable[str], part: Part, chance: Random) -> str:
    return " ".join(ticked) or chance.choice(_numbers(part))


def _figures(part: Part) -> Sequence[str]:
    """Return points between the limits of a number, both among them."""
    least = _least(part)
    most = least + SPAN if part.most is None else part.most
    step = Decimal(1) if part.is_whole else SMALLEST
    points = [least + (most - least) * place / POINTS for place in range(POINTS + 1)]
    rounded = {point.quantize(step, rounding=ROUND_FLOOR).normalize() for point in points}
    return [f"{one:f}" for one in sorted(rounded) if one >= least] or [f"{most:f}"]


def _least(part: Part) -> Decimal:
    if part.least is not None:
        return part.least
    return Decimal(0) if part.most is None or part.most >= 0 else part.most - SPAN
