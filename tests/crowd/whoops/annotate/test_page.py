"""The page of three texts: what it shows, refuses, asks about once, and keeps."""

from collections.abc import Mapping
from decimal import Decimal

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse

from crowd.questions.page_entries import Faulty
from crowd.whoops import domain
from crowd.whoops.annotate.domain.annotation_texts import Texts, find_faults, find_oddities
from crowd.whoops.annotate.pages.annotate import EXAMPLES, AnnotateTask
from hits import families
from hits.core.errors import InvalidAnswer
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_of
from tests.crowd.whoops.making_annotations import COARSE, GOOD, Annotators

pytestmark = pytest.mark.django_db
ANNOTATE = domain.ANNOTATE


def form_of(items: list[Item], texts: Mapping[str, str], **more: str) -> QueryDict:
    form = QueryDict(mutable=True)
    for item in items:
        form.update({f"{item.public_id}-{entry}": text for entry, text in {**texts, **more}.items()})
    return form


def read(assignment: Assignment, texts: Mapping[str, str], **more: str) -> Mapping[str, object]:
    items = items_of(assignment)
    family = AnnotateTask()
    return family.read_answer(form=form_of(items, texts, **more), assignment=assignment, items=items)


def page_of(assignment: Assignment) -> str:
    items = items_of(assignment)
    page = families.get(assignment.hit.batch.task).work_page(assignment=assignment, items=items)
    context = {**page.context, "hit": assignment.hit, "assignment": assignment}
    return render_to_string(page.template, context)


def test_the_wage_is_what_the_paper_paid() -> None:
    for task in (ANNOTATE, domain.EXAMPLES):
        family = families.get(task)
        hourly = family.terms.reward * 3600 / (family.terms.item_s * family.terms.items_each)

        assert Decimal(12) <= hourly <= Decimal(15)


def test_the_page_shows_the_picture_and_nothing_of_what_its_designer_said() -> None:
    crowd = Annotators()

    shown = page_of(crowd.open())

    assert reverse("pictures:picture", args=[crowd.image.picture.key]) in shown
    for told in (
        crowd.image.explanation,
        crowd.image.prompt,
        crowd.image.normal_element,
        crowd.image.weird_element,
        crowd.image.designer.name,
        crowd.image.picture.concept,
        "<script>",
        "style=",
    ):
        assert told not in shown


def test_good_texts_are_kept_as_they_were_typed_but_for_spaces() -> None:
    crowd = Annotators()
    assignment = crowd.open()
    item = items_of(assignment)[0]

    answer = read(assignment, {**GOOD, "caption": "  A kettle\n pours   sand into a cup. "})

    assert answer == {str(item.public_id): {**GOOD, "caption": "A kettle pours sand into a cup."}}


def test_every_fault_is_told_at_its_entry() -> None:
    crowd = Annotators()
    same = {"caption": "A kettle pours sand.", "explanation": "", "underspecified": "a kettle pours SAND"}

    with pytest.raises(Faulty) as refused:
        read(crowd.open(), same)

    assert [fault.words for fault in refused.value.told()] == [
        "Why it is strange: Write something here.",
        (
            "The same, with one of the two left out: This is the same as your caption. The three texts "
            "have to differ."
        ),
    ]


@pytest.mark.parametrize("unfit", ["\0", "\ud800", "\x07"])
def test_characters_that_cannot_be_kept_are_refused(unfit: str) -> None:
    crowd = Annotators()

    with pytest.raises(Faulty, match="There is a character in this that cannot be kept"):
        read(crowd.open(), {**GOOD, "explanation": f"{GOOD['explanation']}{unfit}x"})


def test_coarse_words_are_not_refused_by_the_page() -> None:
    crowd = Annotators()
    assignment = crowd.open()

    answer = read(assignment, COARSE)

    assert answer == {str(items_of(assignment)[0].public_id): COARSE}


def test_what_is_odd_is_said_once_and_may_be_sent_again_unchanged() -> None:
    crowd = Annotators()
    assignment = crowd.open()
    items = items_of(assignment)
    family = AnnotateTask()
    odd = {**GOOD, "explanation": "This image is very unusual."}

    with pytest.raises(Faulty) as asked:
        read(assignment, odd)
    page = family.page_again(
        form=form_of(items, odd), assignment=assignment, items=items, problem=asked.value
    )

    assert not asked.value.is_refused
    assert page
    assert page.context["questions"][0]["odd"] == {
        "explanation": "This says that it is unusual. Say why, too: what does everybody know that this image "
        "goes against?"
    }
    assert read(assignment, {**odd, "seen-explanation": "yes"}) == {str(items[0].public_id): odd}


@pytest.mark.parametrize(
    "answer",
    [None, [], {}, {"x": GOOD}, "text"],
)
def test_an_answer_from_elsewhere_that_is_none_is_refused(answer: object) -> None:
    crowd = Annotators()
    items = items_of(crowd.open())

    with pytest.raises(InvalidAnswer):
        families.get(ANNOTATE).check_answer(answer=answer, items=items)


def test_an_answer_from_elsewhere_is_checked_as_the_pages_own() -> None:
    crowd = Annotators()
    items = items_of(crowd.open())
    family, key = families.get(ANNOTATE), str(items[0].public_id)

    assert family.check_answer(answer={key: GOOD}, items=items) == {key: GOOD}
    for wrong in ({**GOOD, "more": "x"}, {**GOOD, "caption": 1}, {**GOOD, "caption": "x" * 501}):
        with pytest.raises(InvalidAnswer):
            family.check_answer(answer={key: wrong}, items=items)


def test_the_preview_shows_an_example_that_is_in_no_data() -> None:
    page = families.get(ANNOTATE).practice_page()

    assert page.context["questions"][0]["picture_url"].endswith("whoops/practice.svg")


def test_our_own_examples_pass_and_fail_as_they_say() -> None:
    for example in EXAMPLES:
        caption, explanation, underspecified = (str(text) for _, text in example["texts"])
        said = Texts(caption=caption, explanation=explanation, underspecified=underspecified)

        assert find_faults(said) == {}
        assert bool(list(find_oddities(said))) is not example["good"]


def test_a_reader_sees_the_texts_with_what_came_of_them() -> None:
    crowd = Annotators()
    assignment = crowd.answer(COARSE)

    page = families.get(ANNOTATE).review_page(assignment=assignment, items=items_of(assignment))
    shown = render_to_string(page.template, page.context)

    assert COARSE["caption"] in shown
    assert "Held back until a person decides" in shown
