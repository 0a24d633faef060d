"""AnswerKey: the selections of a qualification test that score, and how the sum becomes a value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from itertools import pairwise

from crowd.marketplace.questions.form import Form
from crowd.marketplace.questions.form_answers import Selection
from crowd.marketplace.questions.xml_parsing import MAYBE, ONE, SCHEMAS, SOME, Node, invalid, parse, shorten

KEY_SCHEMA = f"{SCHEMAS}/2005-10-01/AnswerKey.xsd"
LOWEST, HIGHEST = -2_147_483_648, 2_147_483_647


@dataclass(frozen=True, kw_only=True)
class KeyQuestion:
    """Scores by the exact set of selected choices; any other set has the default score."""

    identifier: str
    scores: Mapping[frozenset[str], int]
    default: int = 0


@dataclass(frozen=True, kw_only=True)
class Percentage:
    maximum: int

    def value(self, score: int) -> int:
        return _round(Decimal(100 * score) / self.maximum)


@dataclass(frozen=True, kw_only=True)
class Scale:
    multiplier: Decimal

    def value(self, score: int) -> int:
        return _round(score * self.multiplier)


@dataclass(frozen=True, kw_only=True)
class ScoreRange:
    lowest: int
    highest: int
    value: int


@dataclass(frozen=True, kw_only=True)
class Ranges:
    ranges: tuple[ScoreRange, ...]
    otherwise: int

    def value(self, score: int) -> int:
        hits = (one.value for one in self.ranges if one.lowest <= score <= one.highest)
        return next(hits, self.otherwise)


@dataclass(frozen=True, kw_only=True)
class Sum:
    def value(self, score: int) -> int:
        return score


Mapped = Percentage | Scale | Ranges | Sum


@dataclass(frozen=True, kw_only=True)
class AnswerKey:
    questions: tuple[KeyQuestion, ...]
    mapping: Mapped = Sum()


def score(key: AnswerKey, answers: Mapping[str, frozenset[str]]) -> int:
    """The qualification's value for these answers."""
    total = sum(_score_of(question, answers) for question in key.questions)
    return max(LOWEST, min(HIGHEST, key.mapping.value(total)))


def _score_of(question: KeyQuestion, answers: Mapping[str, frozenset[str]]) -> int:
    return question.scores.get(answers.get(question.identifier, frozenset()), question.default)


def check_fits(form: Form, key: AnswerKey) -> None:
    """Raise ParameterValidationError unless the form asks all that the key scores."""
    questions = {question.identifier: question.answer for question in form.questions}
    for scored in key.questions:
        answer = questions.get(scored.identifier)
        if not isinstance(answer, Selection):
            raise invalid(
                f"AnswerKey: the Test has no question {shorten(scored.identifier)} with a SelectionAnswer."
            )
        known = {choice.identifier for choice in answer.choices}
        if unknown := set().union(*scored.scores) - known:
            names = ", ".join(sorted(unknown))
            raise invalid(f"AnswerKey: {shorten(scored.identifier)} has no selection {shorten(names)}.")


def read_answer_key(xml: str) -> AnswerKey:
    """Parse an AnswerKey. Raises ParameterValidationError that says what to correct."""
    root = parse(xml, noun="AnswerKey")
    if root.tag != f"{{{KEY_SCHEMA}}}AnswerKey":
        raise invalid(f"AnswerKey must be an AnswerKey of {KEY_SCHEMA}; it is {shorten(root.tag)}.")
    parts = Node(root, space=KEY_SCHEMA).children(Question=SOME, QualificationValueMapping=MAYBE)
    questions = tuple(_read_question(node) for node in parts["Question"])
    if len({question.identifier for question in questions}) < len(questions):
        raise invalid("AnswerKey: QuestionIdentifier must be unique.")
    mapping = parts["QualificationValueMapping"]
    return AnswerKey(questions=questions, mapping=_read_mapping(mapping[0]) if mapping else Sum())


def _read_question(node: Node) -> KeyQuestion:
    parts = node.children(QuestionIdentifier=ONE, AnswerOption=SOME, DefaultScore=MAYBE)
    scores = dict(_read_option(option) for option in parts["AnswerOption"])
    if len(scores) < len(parts["AnswerOption"]):
        raise invalid(f"{node.path}: two AnswerOptions have the same selections.")
    default = parts["DefaultScore"]
    return KeyQuestion(
        identifier=parts["QuestionIdentifier"][0].word,
        scores=scores,
        default=_read_integer(default[0]) if default else 0,
    )


def _read_option(node: Node) -> tuple[frozenset[str], int]:
    parts = node.children(SelectionIdentifier=SOME, AnswerScore=ONE)
    selections = frozenset(selection.word for selection in parts["SelectionIdentifier"])
    return selections, _read_integer(parts["AnswerScore"][0])


def _read_mapping(node: Node) -> Mapped:
    inner = node.only(*MAPPINGS)
    return MAPPINGS[inner.name](inner)


def _read_percentage(node: Node) -> Percentage:
    maximum = node.children(MaximumSummedScore=ONE)["MaximumSummedScore"][0]
    return Percentage(maximum=maximum.number(low=1, high=HIGHEST))


def _read_scale(node: Node) -> Scale:
    multiplier = node.children(SummedScoreMultiplier=ONE)["SummedScoreMultiplier"][0]
    return Scale(multiplier=_read_decimal(multiplier))


def _read_ranges(node: Node) -> Ranges:
    parts = node.children(SummedScoreRange=SOME, OutOfRangeQualificationValue=ONE)
    ranges = tuple(_read_range(one) for one in parts["SummedScoreRange"])
    ordered = sorted(ranges, key=lambda one: one.lowest)
    if any(left.highest >= right.lowest for left, right in pairwise(ordered)):
        raise invalid(f"{node.path}: the ranges overlap.")
    return Ranges(ranges=ranges, otherwise=_read_integer(parts["OutOfRangeQualificationValue"][0]))


def _read_range(node: Node) -> ScoreRange:
    parts = node.children(InclusiveLowerBound=ONE, InclusiveUpperBound=ONE, QualificationValue=ONE)
    lowest, highest, value = (_read_integer(found[0]) for found in parts.values())
    if lowest > highest:
        raise invalid(f"{node.path}: InclusiveLowerBound is above InclusiveUpperBound.")
    return ScoreRange(lowest=lowest, highest=highest, value=value)


MAPPINGS: Mapping[str, Callable[[Node], Mapped]] = {
    "PercentageMapping": _read_percentage,
    "ScaleMapping": _read_scale,
    "RangeMapping": _read_ranges,
}


def _read_integer(node: Node) -> int:
    number = _read_decimal(node)
    if number != number.to_integral_value():
        raise invalid(f"{node.path} must be a whole number.")
    return int(number)


def _read_decimal(node: Node) -> Decimal:
    try:
        number = Decimal(node.word)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or not LOWEST <= number <= HIGHEST or len(node.word) > 40:
        raise invalid(f"{node.path} must be a number from {LOWEST} to {HIGHEST}.")
    return number


def _round(number: Decimal) -> int:
    """Round half up: 10 of 15 are 67 per cent."""
    return int(number.to_integral_value(rounding=ROUND_HALF_UP))
