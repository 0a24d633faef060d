"""The signs that a worker's answers are odd beside those of the crowd, each in a plain sentence."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from scoring.quality.alike_workers import AlikePair
from scoring.quality.answer_habits import Habit, PlaceHabit, habit_of, place_habit_of
from scoring.quality.answer_times import FASTEST_READING, FEWEST
from scoring.quality.attention_shares import Attention, attention_surprise, middle_share
from scoring.quality.judged_labels import Floats
from scoring.quality.surprises import below_others, surprise, surprises
from scoring.quality.worker_figures import AskedQuestion, WorkerFigures

# So far people differ without being odd: in agreement, in what answers tell, in the logarithm of time, and
# in how much more often than others they say an answer.
AGREEMENT_SPREAD, INFORMED_SPREAD, PACE_SPREAD, FAVOR_SPREAD = 0.04, 0.08, 0.3, 0.05
# Spread of the logarithm of the time of one answer, and how many answers may be unread in any crowd.
ANSWER_SPREAD, OFTEN_UNREAD = 0.6, 0.02


class SignName(StrEnum):
    DISAGREES = "disagrees"
    UNINFORMED = "uninformed"
    UNREAD = "unread"
    FAST = "fast"
    FAVORS = "favors"
    RUN = "run"
    PLACE = "place"
    ALIKE = "alike"
    ATTENTION = "attention"


@dataclass(frozen=True, kw_only=True)
class Sign:
    name: SignName
    surprise: float
    words: str


@dataclass(frozen=True, kw_only=True)
class NamedPair:
    """Two workers by name; `is_told`: chance alone would hardly make any pair of the crowd so alike."""

    question: str
    pair: AlikePair
    one: Hashable
    other: Hashable
    is_told: bool


Found = Iterator[tuple[int, Sign]]


def signs_of(
    asked: Sequence[AskedQuestion],
    figures: WorkerFigures,
    pairs: Sequence[NamedPair],
    *,
    attention: Mapping[int, Attention],
) -> dict[int, dict[SignName, Sign]]:
    """Return the most surprising sign of each name, by the place of the worker."""
    signs: dict[int, dict[SignName, Sign]] = {at: {} for at in range(len(figures.answers))}
    every = (
        _skill_signs(figures),
        _pace_signs(figures),
        _habit_signs(asked),
        _pair_signs(pairs),
        _attention_signs(attention),
    )
    for found in every:
        for at, sign in found:
            before = signs[at].get(sign.name)
            if before is None or before.surprise < sign.surprise:
                signs[at][sign.name] = sign
    return signs


def _skill_signs(figures: WorkerFigures) -> Found:
    disagreeing = surprises(below_others(figures.less, figures.less_error, spread=AGREEMENT_SPREAD))
    uninformed = surprises(below_others(figures.informed, figures.informed_error, spread=INFORMED_SPREAD))
    middle = _middle(figures.informed)
    for at in np.flatnonzero(~np.isnan(figures.less)).tolist():
        words = (
            f"Says what another says of the same in {_percent(figures.agreement[at])} of comparisons, over "
            f"{int(figures.compared[at])} answers; two others agree in {_percent(figures.usual[at])}."
        )
        yield at, Sign(name=SignName.DISAGREES, surprise=disagreeing[at], words=words)
    for at in np.flatnonzero(~np.isnan(figures.informed)).tolist():
        words = (
            f"The answers tell {figures.informed[at]:.2f} of what is true, where 0 is guessing or always "
            f"the same, and 1 is always right; half of the crowd is above {middle:.2f}."
        )
        yield at, Sign(name=SignName.UNINFORMED, surprise=uninformed[at], words=words)


def _pace_signs(figures: WorkerFigures) -> Found:
    timed = figures.timed >= FEWEST
    pace = np.log(np.maximum(figures.median_s, 0.1), out=np.full(len(timed), np.nan), where=timed)
    fast = surprises(
        below_others(pace, ANSWER_SPREAD / np.sqrt(np.maximum(figures.timed, 1)), spread=PACE_SPREAD)
    )
    middle = _middle(figures.median_s)
    often = max(OFTEN_UNREAD, _middle(figures.unread / np.maximum(figures.readable, 1)))
    for at in np.flatnonzero(timed).tolist():
        words = (
            f"Takes {figures.median_s[at]:.1f} s for an answer; half of the crowd takes over {middle:.1f} s."
        )
        yield at, Sign(name=SignName.FAST, surprise=fast[at], words=words)
    for at in np.flatnonzero(figures.readable >= FEWEST).tolist():
        unread, readable = int(figures.unread[at]), int(figures.readable[at])
        words = (
            f"{unread} of {readable} answers came faster than their words can be read, at "
            f"{FASTEST_READING} words a minute."
        )
        yield at, Sign(name=SignName.UNREAD, surprise=_of_share(unread, readable, often), words=words)


def _of_share(count: int, total: int, usual: float) -> float:
    error = np.sqrt(total * usual * max(1 - usual, 0.01))
    return surprise(float((count - total * usual - 0.5) / error))


def _habit_signs(asked: Sequence[AskedQuestion]) -> Found:
    for one in asked:
        people = np.unique(one.labels.worker).tolist()
        habits = {at: habit for at in people if (habit := habit_of(one.labels, at))}
        # Some say yes more easily than others, and mean it.
        less = np.array([habit.usual - habit.share for habit in habits.values()])
        errors = np.array([habit.error for habit in habits.values()])
        odd = surprises(below_others(np.where(np.isnan(errors), np.nan, less), errors, spread=FAVOR_SPREAD))
        for (at, habit), favoring in zip(habits.items(), odd.tolist(), strict=True):
            yield at, _favors(one, habit, favoring)
            yield at, _runs(one, habit)
        for at in people:
            if place := place_habit_of(one.labels, at):
                yield at, _stands(one, place)


def _favors(one: AskedQuestion, habit: Habit, favoring: float) -> Sign:
    words = (
        f"Says “{one.labels.answers[habit.answer]}”{_in(one)} in {_percent(habit.share)} of answers; "
        f"others say it of the same in {_percent(habit.usual)}."
    )
    return Sign(name=SignName.FAVORS, surprise=favoring, words=words)


def _runs(one: AskedQuestion, habit: Habit) -> Sign:
    words = f"Said “{one.labels.answers[habit.run_answer]}”{_in(one)} {habit.run} times one after another."
    return Sign(name=SignName.RUN, surprise=habit.run_surprise, words=words)


def _stands(one: AskedQuestion, place: PlaceHabit) -> Sign:
    words = (
        f"Of the choices{_in(one)}, {_percent(place.share)} stood at place {place.place + 1}; "
        f"of others' choices {_percent(place.usual)}."
    )
    return Sign(name=SignName.PLACE, surprise=place.surprise, words=words)


def _pair_signs(pairs: Sequence[NamedPair]) -> Found:
    """Yield signs of pairs that are told alone: of many pairs, one always looks alike."""
    for found in pairs:
        if found.is_told:
            for at, other in ((found.pair.one, found.other), (found.pair.other, found.one)):
                pair = found.pair
                words = (
                    f"Answers as {other} does{_in(found)} in {pair.same} of {pair.shared} shared; "
                    f"{pair.usual:.0f} would be usual for their skills."
                )
                yield at, Sign(name=SignName.ALIKE, surprise=found.pair.surprise, words=words)


def _attention_signs(attention: Mapping[int, Attention]) -> Found:
    middle = middle_share(attention.values())
    for at, one in attention.items():
        words = (
            f"Answers {one.right} of {one.met} attention items as is known; half of the crowd does so in "
            f"over {_percent(middle)}."
        )
        surprising = attention_surprise(one, middle=middle)
        yield at, Sign(name=SignName.ATTENTION, surprise=surprising, words=words)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _in(one: AskedQuestion | NamedPair) -> str:
    name = one.name if isinstance(one, AskedQuestion) else one.question
    return f" to “{name}”" if name else ""


def _middle(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else 0.0
