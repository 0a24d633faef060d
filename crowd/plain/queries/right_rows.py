"""How many rows are answered right, where it is known what is true: in rehearsals alone."""

from collections.abc import Callable, Mapping
from statistics import mean
from typing import Any

from scoring.quality.judged_labels import Labels
from scoring.quality.majority_votes import majorities
from scoring.queries.judged_answers import JudgedCrowd, JudgedThing

# A row's question, and which of its things is judged, with what is true of it.
TrueAnswers = Mapping[tuple[str, JudgedThing], str]
FinalAnswers = Callable[[Labels], Mapping[JudgedThing, Any]]


def majority_answers(labels: Labels) -> Mapping[JudgedThing, Any]:
    """Return for each item the answer that most have given, and None where several lead."""
    found = zip(labels.items, majorities(labels), strict=True)
    return {item: labels.answers[place] if place >= 0 else None for item, place in found}


def percent_right(crowd: JudgedCrowd, true: TrueAnswers, *, final: FinalAnswers) -> float | None:
    """Return of how many rows every final answer is true, in per cent; None without chosen answers."""
    right: dict[str, bool] = {}
    for question, labels in crowd.questions.items():
        for thing, answer in final(labels).items():
            if (question, thing) in true:
                is_true = answer == true[question, thing]
                right[thing.item] = right.get(thing.item, True) and is_true
    return round(100 * mean(right.values()), 2) if right else None
