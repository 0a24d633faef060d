"""The four judging tasks: what a page shows, what it accepts, and what counts as a vote."""

from fractions import Fraction

import pytest
from django.db import connection
from django.db.models import Value
from django.db.models.functions import Concat
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext

from crowd.whoops import domain
from crowd.whoops.judge.services.explanation_lists import make_explanations
from crowd.whoops.judge.services.weird_normal_pairs import make_pairs
from crowd.whoops.models.judged_items import Option, Question
from hits import families
from hits.core.errors import InvalidAnswer
from hits.families import TaskPage
from hits.work.models.assignments import Assignment
from tests.crowd.whoops.making_questions import (
    ANSWERS,
    CAPTIONS,
    EXPLANATIONS,
    Judges,
    bring_in,
    form_of,
    make_annotation,
    make_data,
    votes,
)
from tests.factories import NOW

pytestmark = pytest.mark.django_db
PICKS = {domain.IDENTIFY: ("weird", "normal"), domain.VERIFY: ("yes", "no"), domain.RATE: ("yes", "no")}
IMPORTED = {domain.VERIFY: ANSWERS, domain.RATE: CAPTIONS}


def judges(task: str, *, items: int = 1) -> Judges:
    """Judges of a project that has questions of this task; for explanations, one list of six."""
    project = make_data(annotations_wanted=3)
    if task == domain.IDENTIFY:
        make_pairs(project=project, wanted=100, seed=1, now=NOW)
    elif task == domain.EXPLAIN:
        bring_in(project, task, EXPLANATIONS)
        image = project.images.get(number=1)
        for text in ("Flames need air.", "candles  need air.", "Water puts out fire."):
            make_annotation(image, text)
        make_explanations(project=project, incomplete=False, now=NOW)
    else:
        bring_in(project, task, IMPORTED[task])
    return Judges(project, task, items=items)


def rendered(page: TaskPage) -> str:
    context = {**page.context, "hit": {"public_id": "00000000-0000-0000-0000-000000000001"}, "preview": False}
    return render_to_string(page.template, context)


@pytest.mark.parametrize("task", PICKS)
def test_pick_is_a_vote_for_or_against(task: str) -> None:
    crowd = judges(task)
    yes, no = PICKS[task]
    first = crowd.answer({"pick": yes})[0]

    for pick in (no, yes):
        worker = crowd.worker()
        assignment, items = crowd.open(worker)
        assert items == [first]
        crowd.hand_in(assignment, {str(first.public_id): {"pick": pick}})

    assert votes(first) == {"option-1": [1, 0, 1]}


def test_explanations_said_twice_are_shown_once_and_count_for_both() -> None:
    crowd = judges(domain.EXPLAIN)
    assignment, items = crowd.open()
    options = list(items[0].whoops_question.options.all())
    same = [one for one in options if one.text.casefold().replace("  ", " ") == "candles need air."]
    assert sorted(one.source for one in same) == ["machine", "people"]
    assert len(shown(crowd, assignment)) == len(options) - 1 == 5

    lowest = min(one.number for one in same)
    crowd.hand_in(assignment, {str(items[0].public_id): {"marked": str(lowest)}})

    marked = {option.measure: int(option in same) for option in options}
    assert votes(items[0]) == {measure: [value] for measure, value in marked.items()}


def test_none_of_them_is_a_vote_against_each() -> None:
    crowd = judges(domain.EXPLAIN)

    item = crowd.answer({"marked": "none"})[0]

    assert votes(item) == {option.measure: [0] for option in item.whoops_question.options.all()}
    assert len(votes(item)) == 6


def test_judging_is_pure_and_skips_what_was_given_back() -> None:
    crowd = judges(domain.RATE, items=2)
    _, items = crowd.open()
    answer = {str(items[0].public_id): {"pick": "yes"}}

    scores = crowd.family.judge(answer=answer, items=items)

    assert [(one.item, one.measure, one.value) for one in scores] == [(items[0], "option-1", Fraction(1))]


@pytest.mark.parametrize("task", domain.JUDGED)
def test_page_is_the_same_whatever_is_known(task: str) -> None:
    """Compared character by character: no source, label, variant or key is on the page or follows from it."""
    crowd = judges(task, items=4)
    assignment, items = crowd.open()
    before = rendered(crowd.page(assignment))
    asked = Question.objects.filter(item__in=items)

    asked.update(variant="natural", key=Concat(Value("changed-"), "key"))
    Option.objects.filter(question__in=asked, label=True).update(label=None)
    Option.objects.filter(question__in=asked, label=False).update(label=True)
    Option.objects.filter(question__in=asked).update(source="somebody else")

    assert rendered(crowd.page(assignment)) == before
    assert before.count("data-question") == len(items)
    assert all(str(item.public_id) in before for item in items)


def test_wrong_answers_are_among_those_of_a_page() -> None:
    crowd = judges(domain.VERIFY, items=10)
    _, items = crowd.open()

    wrong = Option.objects.filter(question__kind=domain.VERIFY, label=False)

    # For each question a page shows either the right answer or the wrong one.
    assert (len(items), wrong.count()) == (4, 1)


def test_order_of_explanations_differs_between_workers_and_stays_for_one() -> None:
    crowd = judges(domain.EXPLAIN)
    orders = []
    for _ in range(3):
        assignment, _items = crowd.open()
        order = shown(crowd, assignment)
        assert order == shown(crowd, assignment)
        orders.append(order)

    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(orders[0]))}
    assert len(set(map(tuple, orders))) > 1


@pytest.mark.parametrize(
    ("task", "sent", "words"),
    [
        (domain.IDENTIFY, {}, "Choose one of the answers."),
        (domain.IDENTIFY, {"pick": ["strange"]}, "This answer is not on the page. Choose one that is."),
        (domain.VERIFY, {"pick": ["weird"]}, "This answer is not on the page. Choose one that is."),
        (domain.RATE, {"pick": ["yes", "no"]}, "One entry was sent twice."),
        (domain.EXPLAIN, {}, "Mark every good explanation; or say that none of them is."),
        (domain.EXPLAIN, {"marked": ["0"]}, "This answer is not on the page. Choose one that is."),
        (domain.EXPLAIN, {"marked": ["none", "none"]}, "One entry was sent twice."),
    ],
)
def test_bad_answer_is_refused_with_what_to_do(task: str, sent: dict[str, list[str]], words: str) -> None:
    crowd = judges(task)
    assignment, items = crowd.open()

    with pytest.raises(InvalidAnswer, match=words.replace("?", r"\?")):
        crowd.family.read_answer(form=form_of(items, sent), assignment=assignment, items=items)


def shown(crowd: Judges, assignment: Assignment) -> list[str]:
    """Values of the checkboxes, in the order of the page."""
    return [one["value"] for one in crowd.page(assignment).context["questions"][0]["explanations"]]


def test_marks_and_none_exclude_each_other_and_the_page_keeps_them() -> None:
    crowd = judges(domain.EXPLAIN)
    assignment, items = crowd.open()
    form = form_of(items, {"marked": [shown(crowd, assignment)[-1], "none"]})

    with pytest.raises(InvalidAnswer, match="Take back one of the two") as refusal:
        crowd.family.read_answer(form=form, assignment=assignment, items=items)

    page = crowd.family.page_again(form=form, assignment=assignment, items=items, problem=refusal.value)
    assert page is not None
    text = rendered(page)
    assert text.count(" checked") == 2
    assert f'href="#{items[0].public_id}-marked"' in text


def test_marks_are_read_from_a_browser_and_from_the_provider() -> None:
    crowd = judges(domain.EXPLAIN)
    assignment, items = crowd.open()
    two = shown(crowd, assignment)[2:4]
    form = form_of(items, {"marked": two})

    read = crowd.family.read_answer(form=form, assignment=assignment, items=items)

    assert read == {str(items[0].public_id): {"marked": " ".join(two)}}
    assert crowd.family.check_answer(answer=read, items=items) == read
    for bad in ({"marked": f"{two[0]} {two[0]}"}, {"marked": 3}, {"picked": two[0]}, {}, None):
        with pytest.raises(InvalidAnswer):
            crowd.family.check_answer(answer={str(items[0].public_id): bad}, items=items)


@pytest.mark.parametrize("task", domain.JUDGED)
def test_preview_shows_a_practice_example_of_no_data(task: str) -> None:
    page = families.get(task).practice_page()

    text = render_to_string(page.template, {**page.context, "preview": True})

    assert "practice example" in text
    assert "candle.svg" in text
    assert "disabled" in text


@pytest.mark.parametrize("task", domain.JUDGED)
def test_review_says_what_was_voted_and_what_is_known(task: str) -> None:
    crowd = judges(task)
    texts = {"marked": "none"} if task == domain.EXPLAIN else {"pick": PICKS[task][0]}
    assignment, items = crowd.open()
    crowd.hand_in(assignment, {str(items[0].public_id): texts})

    text = rendered(crowd.family.review_page(assignment=assignment, items=items))

    question = items[0].whoops_question
    assert question.key in text
    assert all(option.source in text for option in question.options.all())


@pytest.mark.parametrize("task", domain.JUDGED)
def test_page_costs_the_same_for_one_item_and_for_many(task: str) -> None:
    def queries(items: int) -> int:
        crowd = judges(task, items=items)
        assignment, leased = crowd.open()
        with CaptureQueriesContext(connection) as caught:
            crowd.family.work_page(assignment=assignment, items=leased)
        return len(caught)

    assert queries(1) == queries(4) == 2
