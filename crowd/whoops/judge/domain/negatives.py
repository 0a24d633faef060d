"""Answers that are wrong on purpose: right for another image, to a question of the same kind."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from crowd.whoops.judge.domain.seeded_draw import draw

YES_OR_NO = frozenset(
    (
        *("am", "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could"),
        *("will", "would", "shall", "should", "may", "might", "must"),
    )
)
# The word after one of these says what is asked for.
LEADS = frozenset(("how", "what", "which"))
WORD = re.compile(r"[^\W_]+")
ARTICLES = frozenset(("a", "an", "the"))


@dataclass(frozen=True, kw_only=True)
class Triple:
    """A question about an image, and an answer that is right."""

    key: str
    image: str
    question: str
    answer: str


@dataclass(frozen=True, kw_only=True)
class Negative:
    """The question of one triple with the answer of another."""

    of: Triple
    answer_of: Triple


def negatives_wanted(positives: int, *, per_cent: int) -> int:
    """The number of wrong answers that makes them `per_cent` of all: for 75 right ones at 25 %, 25."""
    return (2 * positives * per_cent + 100 - per_cent) // (2 * (100 - per_cent))


def draw_negatives(
    triples: Sequence[Triple],
    *,
    wanted: int,
    seed: int,
    taken: Collection[str] = (),
    never: Mapping[str, Collection[str]] | None = None,
) -> list[Negative]:
    """Draw wrong answers, or fewer than `wanted` where no more can be found.

    `taken`: keys that have a negative already. `never`: further right answers, by image.
    No drawn answer equals one that is right for the same image, to whichever question.
    """
    by_key = {triple.key: triple for triple in triples}
    right = _right_answers(triples, never or {})
    answers = _answers_by_kind(triples)
    found: list[Negative] = []
    for key in draw(by_key.keys() - set(taken), seed=seed):
        if len(found) >= wanted:
            break
        of = by_key[key]
        wrong = {
            answer: one
            for answer, one in answers[kind_of(of.question)].items()
            if answer not in right[of.image]
        }
        if wrong:
            # Each answer has the same chance, however often it is given.
            chosen = Random(f"{seed} {key}").choice(sorted(wrong))  # noqa: S311
            found.append(Negative(of=of, answer_of=wrong[chosen]))
    return found


def kind_of(question: str) -> str:
    """The kind of a question: "how many", "what color", "who" or "yes or no". It decides what answers fit."""
    words = plain(question).split()
    if not words:
        return ""
    if words[0] in YES_OR_NO:
        return "yes or no"
    if words[0] in LEADS and len(words) > 1 and words[1] not in YES_OR_NO:
        return f"{words[0]} {words[1]}"
    return words[0]


def plain(text: str) -> str:
    """Normalize an answer: case, punctuation and articles do not make two answers different."""
    words = [word for word in WORD.findall(text.casefold()) if word not in ARTICLES]
    return " ".join(words) or text.casefold().strip()


def _right_answers(
    triples: Sequence[Triple], more: Mapping[str, Collection[str]]
) -> defaultdict[str, set[str]]:
    right: defaultdict[str, set[str]] = defaultdict(set)
    for triple in triples:
        right[triple.image].add(plain(triple.answer))
    for image, answers in more.items():
        right[image] |= {plain(answer) for answer in answers}
    return right


def _answers_by_kind(triples: Sequence[Triple]) -> defaultdict[str, dict[str, Triple]]:
    """Answers by kind of question, each with the first triple that gives it."""
    answers: defaultdict[str, dict[str, Triple]] = defaultdict(dict)
    for triple in sorted(triples, key=lambda one: one.key):
        answers[kind_of(triple.question)].setdefault(plain(triple.answer), triple)
    return answers
