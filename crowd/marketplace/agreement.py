"""The calculations of the review policies: how right one worker was, and how far several workers agree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Answer = frozenset[str]  # all the values given to one question
Answers = Mapping[str, Answer]  # by question
LONGEST = 256  # longer answers are not compared


def known_answers(*, key: Answers, given: Answers) -> dict[str, bool]:
    """Whether each question of the key was answered exactly so. An empty answer never matches."""
    return {question: bool(right) and given.get(question) == right for question, right in key.items()}


def percent(part: int, whole: int) -> int:
    return 100 * part // whole if whole else 0


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The result of comparing the workers' answers to one HIT."""

    agreed: Mapping[str, Answer]  # only questions with an agreed answer
    question_scores: Mapping[str, int]
    hit_score: int
    worker_scores: Mapping[str, int]  # by assignment


def find_agreement(*, questions: Sequence[str], given: Mapping[str, Answers], threshold: int) -> Agreement:
    """The answers that more than `threshold` per cent of the workers gave, and the scores that follow."""
    scores: dict[str, int] = {}
    agreed: dict[str, Answer] = {}
    for question in questions:
        votes = Counter(
            answers[question] for answers in given.values() if _counts(answers.get(question, frozenset()))
        )
        if not votes:
            continue
        answer, number = votes.most_common(1)[0]
        scores[question] = percent(number, len(given))
        if scores[question] > threshold:
            agreed[question] = answer
    return Agreement(
        agreed=agreed,
        question_scores=scores,
        hit_score=percent(len(agreed), len(questions)),
        worker_scores={
            assignment: percent(sum(answers.get(q) == right for q, right in agreed.items()), len(agreed))
            for assignment, answers in given.items()
        },
    )


def _counts(answer: Answer) -> bool:
    return bool(answer) and all(len(value) <= LONGEST for value in answer)
