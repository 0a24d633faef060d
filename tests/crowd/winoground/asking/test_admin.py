"""The researcher's pages for asking workers about examples, and for the first questions."""

from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from PIL import Image

from crowd.pictures.models import Picture
from crowd.winoground.domain import ONBOARDING, VALIDATE
from crowd.winoground.models import Example, FirstQuestion, Project
from crowd.winoground.services.first_questions import add_question, change_question, take_away
from hits.admin.projects.project_cards import Card
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.identity.roles import AUTHOR, RESEARCHER
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.items import Item
from qualifications.models import Gate, Holding
from tests.crowd.winoground.making_asked import (
    answer_all,
    ask,
    make_first_questions,
    make_fit_picture,
    make_project,
    make_ready,
    open_batch,
)
from tests.factories import NOW, make_account, make_batch, make_study, make_worker
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(client: Client) -> Project:
    """A project in a study of the researcher who is signed in."""
    made = make_project()
    sign_in(client, RESEARCHER, made.study)
    return made


def at(name: str, project: Project, *more: Any) -> str:
    return reverse(f"admin:winoground_{name}", args=[project.pk, *more])


def png(shade: int = 0) -> SimpleUploadedFile:
    content = BytesIO()
    Image.new("RGB", (64, 48), (shade, 90, 90)).save(content, "PNG")
    return SimpleUploadedFile("picture.png", content.getvalue(), content_type="image/png")


def card_of(client: Client, project: Project, key: str) -> Card:
    page = client.get(at("project_change", project))
    found: Card = next(shown.card for shown in page.context["cards"] if shown.card.key == key)
    return found


def figures(client: Client, project: Project, key: str) -> dict[str, tuple[int, int | None]]:
    card = card_of(client, project, key)
    return {metric.name: (metric.count, metric.of) for metric in card.metrics}


def gate_of(project: Project) -> Gate:
    return Gate.objects.create(
        study=project.study,
        name="First questions",
        test_task=ONBOARDING,
        opens=[VALIDATE],
        rules=[{"measure": "onboarding", "at_least": 100}],
    )


def qualify(gate: Gate, *, account: Account, count: int) -> list[Worker]:
    workers = [make_worker(account=account) for _ in range(count)]
    for worker in workers:
        Holding.objects.create(gate=gate, worker=worker, value=Holding.Value.PASSED, changed_at=NOW)
    return workers


def test_asked_are_those_that_are_ticked(client: Client, project: Project) -> None:
    first, second, third = make_ready(project, count=3)
    page = client.get(at("ask", project))

    assert [row.number for row in page.context["examples"]] == [1, 2, 3]
    assert "Each example needs 40 different workers" in text_of(page)
    done = client.post(at("ask", project), {"example": [first.public_id, third.public_id]}, follow=True)

    assert "Examples asked about: 2. Their 8 questions" in text_of(done)
    assert list(Example.objects.filter(state="asked").order_by("pk")) == [first, third]
    assert Example.objects.get(state="ready") == second


def test_asking_twice_says_that_nothing_waits(client: Client, project: Project) -> None:
    [row] = make_ready(project)
    client.post(at("ask", project), {"example": row.public_id})

    again = client.post(at("ask", project), {"example": row.public_id}, follow=True)

    assert "None of these examples waits to be asked any more." in text_of(again)
    assert "No example waits to be asked about." in text_of(again)
    assert Item.objects.count() == 4


@pytest.mark.parametrize("ticked", [{}, {"example": "nonsense"}])
def test_nothing_ticked_changes_nothing(client: Client, project: Project, ticked: dict[str, str]) -> None:
    make_ready(project)

    done = client.post(at("ask", project), ticked, follow=True)

    assert "Nothing was ticked, and nothing was changed." in text_of(done)
    assert Item.objects.count() == 0


def test_card_tells_how_far_the_asking_is(client: Client, project: Project) -> None:
    make_ready(project)
    ask(project, count=2)
    batch = open_batch(project)
    for _ in range(3):
        answer_all(batch, make_worker(account=batch.account))

    assert figures(client, project, "asking") == {
        "Examples asked about": (2, 3),
        "Questions: a caption with an image": (8, None),
        "Answers": (6, 80),
        "Workers who have answered": (3, None),
    }


def test_card_says_how_many_people_are_lacking(client: Client, project: Project) -> None:
    ask(project)
    qualify(gate_of(project), account=make_account(), count=1)

    page = text_of(client.get(at("project_change", project)))

    assert "Each example needs 40 different workers, and 1 is qualified so far" in page


def test_page_of_the_study_takes_as_many_queries_for_many_as_for_few(client: Client) -> None:
    def queries(count: int) -> int:
        project = make_project()
        sign_in(client, RESEARCHER, project.study)
        ask(project, count=count)
        make_first_questions(project, count=count)
        batch = open_batch(project)
        for _ in range(count):
            answer_all(batch, make_worker(account=batch.account))
        with CaptureQueriesContext(connection) as captured:
            assert client.get(at("project_change", project)).status_code == 200
        return len(captured)

    assert queries(2) == queries(6)


@pytest.mark.parametrize("name", ["ask", "first_questions"])
def test_lists_take_as_many_queries_for_many_as_for_few(client: Client, name: str) -> None:
    def queries(count: int) -> int:
        project = make_project()
        sign_in(client, RESEARCHER, project.study)
        make_ready(project, count=count)
        make_first_questions(project, count=count)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(at(name, project)).status_code == 200
        return len(captured)

    assert queries(2) == queries(6)


def test_settings_count_anew_what_is_wanted(client: Client, project: Project) -> None:
    ask(project)

    client.post(at("settings", project), {"answers_wanted": "3", "apart": "gap", "least_gap": "5"})

    assert set(Item.objects.values_list("wanted", flat=True)) == {3}
    project.refresh_from_db()
    assert (project.apart, project.least_gap) == ("gap", 5)


@pytest.mark.parametrize("name", ["ask", "write_first_question", "first_question", "first_question_verb"])
def test_pages_that_change_something_take_the_permission(client: Client, name: str) -> None:
    project = make_project()
    [question] = make_first_questions(project, count=1)
    more: dict[str, list[object]] = {
        "first_question": [question.pk],
        "first_question_verb": [question.pk, "away"],
    }
    address = at(name, project, *more.get(name, []))
    sign_in(client, AUTHOR, project.study)

    assert (client.get(address).status_code, client.post(address).status_code) == (403, 403)

    sign_in(client, RESEARCHER)
    assert (client.get(address).status_code, client.post(address).status_code) == (404, 404)
    assert Item.objects.filter(pulled_at=None).count() == 1


def test_question_is_written_with_its_image(client: Client, project: Project) -> None:
    sent = {"picture": png(), "caption": "  a plain  square ", "is_match": "no", "more": "yes"}

    done = client.post(at("write_first_question", project), sent)

    question = FirstQuestion.objects.get()
    assert done.headers["Location"] == at("write_first_question", project)
    assert (question.caption, question.is_match, question.picture.in_pool) == ("a plain square", False, False)
    assert (question.item.task, question.item.study, question.item.batch) == (ONBOARDING, project.study, None)
    assert "a plain square" in text_of(client.get(at("first_questions", project)))


def test_question_that_is_sent_twice_is_there_once(client: Client, project: Project) -> None:
    for _ in range(2):
        sent = {"picture": png(), "caption": "a plain square", "is_match": "no"}
        client.post(at("write_first_question", project), sent)

    assert (FirstQuestion.objects.count(), Item.objects.count(), Picture.objects.count()) == (1, 1, 1)
    other = {"picture": png(), "caption": "A plain square", "is_match": "yes"}
    refused = client.post(at("write_first_question", project), other)
    assert "with the other answer" in text_of(refused)
    assert FirstQuestion.objects.get().is_match is False


def test_bad_question_keeps_what_was_typed(client: Client, project: Project) -> None:
    file = SimpleUploadedFile("picture.png", b"<svg xmlns='http://www.w3.org/2000/svg'/>")

    refused = client.post(
        at("write_first_question", project), {"picture": file, "caption": "a square", "is_match": "no"}
    )

    assert "This is a drawing (SVG), whatever it is called." in text_of(refused)
    assert 'value="a square"' in text_of(refused)
    assert (FirstQuestion.objects.count(), Picture.objects.count()) == (0, 0)


def test_image_of_an_example_is_no_image_of_a_first_question(client: Client, project: Project) -> None:
    client.post(
        at("write_first_question", project), {"picture": png(), "caption": "a square", "is_match": "no"}
    )
    picture = Picture.objects.get()
    FirstQuestion.objects.all().delete()
    make_ready(project, image_0=picture)

    refused = client.post(
        at("write_first_question", project), {"picture": png(), "caption": "a square", "is_match": "no"}
    )

    assert "This image is in Example 1." in text_of(refused)


def test_question_nobody_was_asked_is_changed_in_place(client: Client, project: Project) -> None:
    [question] = make_first_questions(project, count=1)

    client.post(at("first_question", project, question.pk), {"caption": "another", "is_match": "no"})

    assert FirstQuestion.objects.values_list("pk", "caption", "is_match").get() == (
        question.pk,
        "another",
        False,
    )


def test_question_somebody_was_asked_is_replaced(client: Client, project: Project) -> None:
    [question] = make_first_questions(project, count=1)
    batch = open_batch(project, task=ONBOARDING)
    answer_all(batch, make_worker(account=batch.account))

    done = client.post(
        at("first_question", project, question.pk), {"caption": "another", "is_match": "no"}, follow=True
    )

    assert "Workers have been asked the old question" in text_of(done)
    question.refresh_from_db()
    assert (question.caption, question.item.pulled_at is None) == ("first caption 0", False)
    assert FirstQuestion.objects.get(item__pulled_at=None).caption == "another"


def test_question_is_taken_away_and_put_back(client: Client, project: Project) -> None:
    [question] = make_first_questions(project, count=1)
    asked = FirstQuestion.objects.filter(item__pulled_at=None)

    away = client.post(at("first_question_verb", project, question.pk, "away"), follow=True)

    assert (asked.count(), "Put back" in text_of(away)) == (0, True)
    client.post(at("first_question_verb", project, question.pk, "back"))
    assert asked.count() == 1
    assert client.post(at("first_question_verb", project, question.pk, "eat")).status_code == 404


def test_first_questions_card_counts_and_says_what_lacks(client: Client, project: Project) -> None:
    make_first_questions(project, count=4)
    qualify(gate_of(project), account=make_account(), count=2)

    assert figures(client, project, "onboarding") == {
        "First questions": (4, 10),
        "First questions whose caption matches": (2, None),
        "Workers who may do the task": (2, None),
    }
    assert card_of(client, project, "onboarding").next == "Write 6 more first questions."


def test_launch_page_says_how_many_people_it_takes(client: Client, project: Project) -> None:
    ask(project)
    account = make_account()
    qualify(gate_of(project), account=account, count=23)
    qualify(gate_of(make_project()), account=account, count=1)
    batch = make_batch(study=project.study, account=account, task=VALIDATE)

    page = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))

    assert "Each example needs 40 different workers, and 23 are qualified so far" in page
    assert "then 10 are enough" in page
    Project.objects.update(apart="gap")
    page = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))
    assert "Each example needs" not in page


def test_launch_page_says_that_no_test_stands_before_the_task(client: Client, project: Project) -> None:
    ask(project)
    batch = make_batch(study=project.study, task=VALIDATE)

    page = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))

    assert "This task has no test" in page
    assert "Each example needs 40 different workers:" in page


def test_study_without_caption_matching_launches_nothing(client: Client, project: Project) -> None:
    other = make_study(name="Other")
    sign_in(client, RESEARCHER, other)
    batch: Batch = make_batch(study=other, task=VALIDATE)

    page = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))

    assert "has no caption matching yet" in page


def test_first_questions_of_one_answer_are_not_launched(client: Client, project: Project) -> None:
    for number in range(10):
        add_question(project=project, picturing=make_fit_picture, caption=f"caption {number}", is_match=True)
    batch = make_batch(study=project.study, task=ONBOARDING)

    page = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))

    assert "All first questions have the same answer" in page


def test_test_of_too_few_first_questions_is_not_launched(client: Client, project: Project) -> None:
    make_first_questions(project, count=9)
    batch = make_batch(study=project.study, task=ONBOARDING, items_per_assignment=10)

    page = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))

    assert "Each worker is to get 10 first questions, and 9 are there. Write the others." in page


def test_author_does_not_see_what_is_right_in_the_test_nor_links_to_batches(client: Client) -> None:
    project = make_project()
    make_first_questions(project, count=1)
    batch = open_batch(project, task=ONBOARDING, title="The test of May")
    sign_in(client, AUTHOR, project.study)

    pages = client.get(at("project_change", project))

    assert client.get(at("first_questions", project)).status_code == 403
    assert at("first_questions", project) not in text_of(pages)
    assert "The test of May" in text_of(pages)
    assert reverse("admin:hits_batch_change", args=[batch.pk]) not in text_of(pages)


@pytest.mark.parametrize("change", ["taken away", "other picture"])
def test_question_that_changed_meanwhile_is_not_changed_over_it(project: Project, change: str) -> None:
    [question] = make_first_questions(project, count=1)
    if change == "taken away":
        take_away(question=question, project=project, now=NOW)
    else:
        FirstQuestion.objects.update(picture=make_fit_picture())

    with pytest.raises(RuleBroken, match="changed or taken away meanwhile"):
        change_question(
            question=question, project=project, picturing=None, caption="new", is_match=True, now=NOW
        )

    assert list(FirstQuestion.objects.values_list("caption", flat=True)) == ["first caption 0"]
