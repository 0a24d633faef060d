"""Items about which everybody says the same: their answers may be taken as known."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from scoring.quality.judged_labels import Labels


class UnanimousChoice(NamedTuple):
    """What all have chosen in one question about one thing of an item, and how many these are."""

    question: str
    about: str
    label: str
    answers: int


def unanimous_items(questions: Mapping[str, Labels], *, least: int) -> dict[str, list[UnanimousChoice]]:
    """Return by item what at least so many have said alike. The things of the labels are (item, about).

    A question counts as a whole: where people differ about one of an item's things, nothing is known of the
    others either.
    """
    found: defaultdict[str, list[UnanimousChoice]] = defaultdict(list)
    for question, labels in questions.items():
        choices: defaultdict[str, list[UnanimousChoice]] = defaultdict(list)
        differing: set[str] = set()
        votes = labels.votes
        for place, answer, count in zip(votes.item, votes.answer, votes.count, strict=True):
            item, about = labels.items[place]
            if count < max(least, votes.answered[place]):
                differing.add(item)
            else:
                label = str(labels.answers[answer])
                choices[item].append(UnanimousChoice(question, about, label, int(count)))
        for item, chosen in choices.items():
            if item not in differing:
                found[item] += chosen
    return dict(found)
