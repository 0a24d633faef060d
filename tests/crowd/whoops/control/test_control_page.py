"""The control group's page: what it accepts, what it refuses and how, and what it must not show."""

import pytest
from django.http import QueryDict
from django.urls import reverse

from crowd.whoops import domain
from crowd.whoops.control.pages.control_group import ControlTask
from hits import families
from hits.core.errors import InvalidAnswer
from hits.families import Answer, TaskPage
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from tests.crowd.whoops.making_images import SAW, SAW_NOTHING, TEXTS, ControlGroup

pytestmark = pytest.mark.django_db
BOTH = {"text": "A fish rides a bicycle.", "nothing": "yes"}


class Page:
    """The control group's page with one image, opened by one worker."""

    def __init__(self) -> None:
        self.group = ControlGroup()
        self.image = self.group.post()
        self.assignment, self.items = self.group.open()
        self.family = ControlTask()

    @property
    def name(self) -> str:
        return str(self.items[0].public_id)

    def form(self, **entries: str) -> QueryDict:
        form = QueryDict(mutable=True)
        form.update({f"{self.name}-{entry}": text for entry, text in entries.items()})
        return form

    def read(self, **entries: str) -> Answer:
        return self.family.read_answer(
            form=self.form(**entries), assignment=self.assignment, items=self.items
        )

    def again(self, **entries: str) -> TaskPage:
        form = self.form(**entries)
        with pytest.raises(InvalidAnswer) as refused:
            self.family.read_answer(form=form, assignment=self.assignment, items=self.items)
        page = self.family.page_again(
            form=form, assignment=self.assignment, items=self.items, problem=refused.value
        )
        assert page
        return page


@pytest.fixture
def page() -> Page:
    return Page()


def test_either_words_or_the_tick_is_taken(page: Page) -> None:
    assert page.read(text="  A fish  rides a bicycle. ") == {page.name: SAW}
    assert page.read(nothing="yes") == {page.name: SAW_NOTHING}
    assert page.family.check_answer(answer={page.name: SAW}, items=page.items) == {page.name: SAW}


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({}, "Write what is weird, or tick that you see nothing weird."),
        (BOTH, "Either write what is weird, or tick that you see nothing weird: not both."),
        ({"text": "A fish."}, "Say it in at least 3 words."),
        ({"text": "very " * 101}, "This has more than 500 characters. Say it in fewer words."),
        ({"text": "A\x00fish rides it."}, "There is a character in this that cannot be kept."),
    ],
)
def test_fault_is_said_where_it_is_and_nothing_typed_is_lost(
    page: Page, entries: dict[str, str], words: str
) -> None:
    shown = page.again(**entries)

    entry = shown.context["questions"][0]["entries"]["text"]
    assert entry["fault"].startswith(words)
    assert entry["value"] == entries.get("text", "")
    assert shown.context["questions"][0]["entries"]["nothing"]["value"] == entries.get("nothing", "")


def test_tick_that_is_not_on_the_page_is_refused(page: Page) -> None:
    shown = page.again(nothing="maybe")

    assert shown.context["questions"][0]["entries"]["nothing"]["fault"] != ""


@pytest.mark.parametrize(
    "answer",
    [None, [], {}, {"text": "A fish rides."}, {"x": SAW}],
)
def test_answer_that_the_page_could_not_have_sent_is_refused(page: Page, answer: object) -> None:
    with pytest.raises(InvalidAnswer):
        page.family.check_answer(answer=answer, items=page.items)


def test_page_shows_the_picture_and_nothing_of_what_its_designer_says(page: Page) -> None:
    shown = page.family.work_page(assignment=page.assignment, items=page.items)

    question = shown.context["questions"][0]
    assert question["picture_url"] == reverse("pictures:picture", args=[page.image.picture.key])
    told = f"{shown.context}"
    assert not [text for text in TEXTS.values() if text in told]
    assert page.image.picture.concept not in told


def test_whoever_began_with_an_earlier_revision_still_sees_its_picture(page: Page) -> None:
    first = page.image.picture
    page.image.revision = 2
    page.image.save()

    shown = page.family.work_page(assignment=page.assignment, items=page.items)

    assert shown.context["questions"][0]["picture_url"].endswith(f"/{first.key}/")


def test_reader_of_the_work_sees_what_was_meant_and_what_came_of_it(page: Page) -> None:
    page.group.hand_in(page.assignment, SAW_NOTHING)

    shown = page.family.review_page(assignment=page.assignment, items=page.items)

    question = shown.context["questions"][0]
    assert question["revision"].texts["explanation"] == TEXTS["explanation"]
    assert (question["said"].nothing, question["control_answer"].seen) == (True, False)


def test_practice_is_in_no_data() -> None:
    shown = families.get(domain.CONTROL).practice_page()

    assert shown.context["questions"][0]["picture_url"].endswith("whoops/practice.svg")
    assert not Assignment.objects.exists()
    assert not Item.objects.exists()
