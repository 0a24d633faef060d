"""AnswerKey: which answers score, and how the sum becomes a qualification's value."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.questions import check_fits, read_answer_key, read_form, score
from tests.crowd.marketplace.forms import KEY, answer_key, form, question, scored, selection

pytestmark = pytest.mark.pure

PERCENTAGE = "<PercentageMapping><MaximumSummedScore>{}</MaximumSummedScore></PercentageMapping>"
SCALE = "<ScaleMapping><SummedScoreMultiplier>{}</SummedScoreMultiplier></ScaleMapping>"
RANGE = (
    "<SummedScoreRange><InclusiveLowerBound>{}</InclusiveLowerBound><InclusiveUpperBound>{}"
    "</InclusiveUpperBound><QualificationValue>{}</QualificationValue></SummedScoreRange>"
)
OTHERWISE = "<OutOfRangeQualificationValue>{}</OutOfRangeQualificationValue>"
SCORES = st.integers(-1000, 1000)
NAMES = st.frozensets(st.sampled_from("abcdef"), min_size=1)


def ranges(*bounds: tuple[int, int, int], otherwise: int = 0) -> str:
    written = "".join(RANGE.format(*one) for one in bounds)
    return f"<RangeMapping>{written}{OTHERWISE.format(otherwise)}</RangeMapping>"


def chosen(**answers: str) -> Mapping[str, frozenset[str]]:
    return {identifier: frozenset(names.split()) for identifier, names in answers.items()}


def refusal(xml: str) -> ParameterValidationError:
    with pytest.raises(ParameterValidationError) as caught:
        read_answer_key(xml)
    return caught.value


@pytest.mark.parametrize(
    ("answer", "value"), [("a", 3), ("b c", 5), ("c b", 5), ("b", 0), ("a b", 0), ("a b c", 0), ("", 0)]
)
def test_answer_key_scores_the_exact_set_and_nothing_near_it(answer: str, value: int) -> None:
    key = read_answer_key(answer_key(scored("q", ("a", 3), ("b c", 5))))

    assert score(key, chosen(q=answer)) == value


def test_answer_key_gives_the_default_score_to_everything_else() -> None:
    key = read_answer_key(answer_key(scored("q", ("a", 3), default=-1), scored("r", ("a", 4), default=2)))

    assert score(key, chosen(q="b")) == 1
    assert score(key, {}) == 1
    assert score(key, chosen(q="a", r="a", s="a")) == 7


@pytest.mark.parametrize(
    ("got", "maximum", "percent"),
    [(10, 15, 67), (0, 15, 0), (15, 15, 100), (1, 200, 1), (1, 201, 0), (5, 8, 63), (20, 15, 133)],
)
def test_percentage_is_rounded_half_up(got: int, maximum: int, percent: int) -> None:
    key = read_answer_key(answer_key(scored("q", ("a", got)), mapping=PERCENTAGE.format(maximum)))

    assert score(key, chosen(q="a")) == percent


@pytest.mark.parametrize(("multiplier", "value"), [("3", 21), ("0.5", 4), ("-1", -7), ("0", 0)])
def test_scale_multiplies(multiplier: str, value: int) -> None:
    key = read_answer_key(answer_key(scored("q", ("a", 7)), mapping=SCALE.format(multiplier)))

    assert score(key, chosen(q="a")) == value


@pytest.mark.parametrize(("got", "value"), [(0, 1), (4, 1), (5, 2), (7, 2), (8, 99), (-1, 99)])
def test_ranges_include_both_bounds(got: int, value: int) -> None:
    mapping = ranges((5, 7, 2), (0, 4, 1), otherwise=99)
    key = read_answer_key(answer_key(scored("q", ("a", got)), mapping=mapping))

    assert score(key, chosen(q="a")) == value


def test_value_stays_within_what_can_be_kept() -> None:
    questions = [scored(str(number), ("a", 2_000_000_000)) for number in range(3)]
    key = read_answer_key(answer_key(*questions, mapping=SCALE.format(2_000_000_000)))

    assert score(key, {str(number): frozenset("a") for number in range(3)}) == 2_147_483_647


@given(scores=st.dictionaries(NAMES, SCORES, min_size=1, max_size=8), default=SCORES, answer=NAMES)
def test_plain_sum_is_the_score_of_the_set_or_the_default(
    scores: dict[frozenset[str], int], default: int, answer: frozenset[str]
) -> None:
    options = [(" ".join(sorted(names)), points) for names, points in scores.items()]
    key = read_answer_key(answer_key(scored("q", *options, default=default)))

    assert score(key, {"q": answer}) == scores.get(answer, default)


@given(points=st.lists(st.integers(0, 50), min_size=1, max_size=10), right=st.data())
def test_percentage_of_all_right_is_100_and_grows_with_every_right_answer(
    points: list[int], right: st.DataObject
) -> None:
    maximum = max(1, sum(points))
    questions = [scored(f"q{number}", ("a", one)) for number, one in enumerate(points)]
    key = read_answer_key(answer_key(*questions, mapping=PERCENTAGE.format(maximum)))
    correct = right.draw(st.integers(0, len(points)))
    values = [
        score(key, {f"q{number}": frozenset("a" if number < count else "b") for number in range(len(points))})
        for count in (0, correct, len(points))
    ]

    assert values == sorted(values)
    assert (values[0], values[-1]) == (0, 100 if sum(points) else 0)


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        ("<AnswerKey/>", f"AnswerKey must be an AnswerKey of {KEY}"),
        (answer_key(), "AnswerKey needs Question."),
        (answer_key("<Question/>"), "Question needs QuestionIdentifier."),
        (answer_key(scored("q")), "Question needs AnswerOption."),
        (answer_key(scored("q", ("", 1))), "AnswerOption needs SelectionIdentifier."),
        (answer_key(scored("q", ("a", 1)), scored("q", ("a", 1))), "QuestionIdentifier must be unique."),
        (answer_key(scored("q", ("a b", 1), ("b a", 2))), "two AnswerOptions have the same selections."),
        (answer_key(scored("q", ("a", 1)).replace(">1<", ">1.5<")), "AnswerScore must be a whole number."),
        (answer_key(scored("q", ("a", 1)).replace(">1<", ">one<")), "AnswerScore must be a number"),
        (answer_key(scored("q", ("a", 3_000_000_000))), "AnswerScore must be a number from"),
        (answer_key(scored("q", ("a", 1)), mapping=PERCENTAGE.format(0)), "MaximumSummedScore must be"),
        (answer_key(scored("q", ("a", 1)), mapping=SCALE.format("NaN")), "SummedScoreMultiplier must be"),
        (
            answer_key(scored("q", ("a", 1)), mapping=SCALE.format("1e9999999")),
            "SummedScoreMultiplier must be",
        ),
        (answer_key(scored("q", ("a", 1)), mapping=ranges((2, 1, 0))), "InclusiveLowerBound is above"),
        (answer_key(scored("q", ("a", 1)), mapping=ranges((0, 2, 0), (2, 3, 1))), "the ranges overlap."),
        (answer_key(scored("q", ("a", 1)), mapping="<CurveMapping/>"), "exactly one of: PercentageMapping"),
        (answer_key(scored("q", ("a", 1))) + " " * 70_000, "longer than 65535 bytes"),
    ],
)
def test_answer_key_with_a_mistake_is_refused_by_its_name(xml: str, words: str) -> None:
    error = refusal(xml)

    assert words in error.message
    assert error.code == "InvalidParameterValue"


def test_answer_key_that_is_not_well_formed_is_refused() -> None:
    codes = [refusal(xml).code for xml in ("", "<AnswerKey", '<!DOCTYPE b [<!ENTITY a "ha">]><b>&a;</b>')]

    assert codes == ["XMLParseError"] * 3


def test_answer_key_fits_a_form_that_has_its_questions() -> None:
    test = read_form(form(question(selection("a", "b"), identifier="q")))

    check_fits(test, read_answer_key(answer_key(scored("q", ("a b", 1)))))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (scored("r", ("a", 1)), "the Test has no question r with a SelectionAnswer."),
        (scored("text", ("a", 1)), "the Test has no question text with a SelectionAnswer."),
        (scored("q", ("a c", 1), ("d", 1)), "q has no selection c, d."),
    ],
)
def test_answer_key_that_does_not_fit_its_form_is_refused(key: str, words: str) -> None:
    test = read_form(form(question(selection("a", "b")), question(identifier="text")))

    with pytest.raises(ParameterValidationError) as caught:
        check_fits(test, read_answer_key(answer_key(key)))

    assert words in caught.value.message
