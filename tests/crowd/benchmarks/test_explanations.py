"""Explanations of models are judged blind beside people's, and their ratings stand in the table."""

from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.services import benchmark_results
from crowd.whoops.judge.services.benchmark_words import take_words
from crowd.whoops.judge.services.explanation_lists import make_explanations
from crowd.whoops.models import Category, Image, Project
from crowd.whoops.models.judged_items import Option, Question
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER
from scoring.models.model_questions import ModelQuestion
from scoring.rivals import registry
from tests.crowd.benchmarks.making import asked, file_of, uploaded
from tests.crowd.releases.studies import release_of
from tests.crowd.whoops.making_questions import make_data, questions
from tests.crowd.whoops.making_results import Crowd, annotate, cast
from tests.factories import NOW
from tests.hits.calling import Notebook
from tests.pages import text_of
from tests.people import make_member, sign_in
from tests.scoring.fakes import FakeSpeaker, make_rival, use_fakes
from tests.scoring.text_fakes import FakeText

pytestmark = pytest.mark.django_db
Kind = Question.Kind


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch)
    text = f"{FakeText.__module__}:{FakeText.__name__}"
    monkeypatch.setattr(registry, "PATHS", {**registry.PATHS, "causal": text})


@pytest.fixture
def project() -> Project:
    """Two images of two categories, with one annotation each."""
    project = make_data(images=2, annotations_wanted=1)
    for image in images_of(project):
        annotate(image, caption=f"caption {image.number}", explanation=f"person {image.number}")
        image.category = Category.objects.get_or_create(name=f"Category {image.number}")[0]
        image.save()
    return project


def images_of(project: Project) -> list[Image]:
    return list(project.images.order_by("number"))


def open_task(project: Project, key: str = "explanation") -> Benchmark:
    task = benchmark_tasks.get("whoops", key)
    release = release_of(project.study, "whoops", version=key)
    return benchmark_results.open_benchmark(release=release, task=task, now=NOW)


def explain(project: Project, *texts: str, name: str = "blip", key: str = "explanation") -> Result:
    column = "explanation" if key == "explanation" else "caption"
    lines = [f"{one.public_id},{text}" for one, text in zip(images_of(project), texts, strict=True)]
    file = BytesIO("\n".join([f"image,{column}", *lines]).encode())
    return uploaded(open_task(project, key), file, name=name)


def table(benchmark: Benchmark, place: int = 0) -> list[list[str]]:
    return [[cell.words for _, cell in row] for row in tables_of(benchmark)[place].shown()]


def test_a_model_says_why_after_the_papers_question(project: Project) -> None:
    benchmark = open_task(project)

    result = asked(benchmark, make_rival("blip", kind="speaker"))

    assert {one.input["prompt"] for one in ModelQuestion.objects.all()} == {"Why is it weird?"}
    assert (result.status, result.answered, result.sums) == ("done", 2, [])
    # It stands in the table before anybody has judged it.
    assert [row[0] for row in table(benchmark)] == ["blip"]
    assert uploaded(benchmark, file_of(result)).answered == 2


def test_a_language_model_explains_a_persons_caption(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {f"caption {number}\nWhy is it weird?\n": ["because", str(number)] for number in (1, 2)}
    monkeypatch.setattr(FakeText, "words", said)
    benchmark = open_task(project)

    result = asked(benchmark, make_rival("gpt2", kind="causal"))

    assert set(result.items.values_list("answer", flat=True)) == {"because 1", "because 2"}
    assert table(benchmark)[0][-1] == "asked here; reads a person's caption, and sees no image"


def test_explanations_are_judged_among_those_of_people_and_rated(project: Project) -> None:
    result = explain(project, "model 1", "model 2")

    assert take_words(project=project, result=result, now=NOW) == 2
    make_explanations(project=project, incomplete=False, now=NOW)

    lists = questions(project, Kind.EXPLAIN)
    assert [{option.source for option in one.options.all()} for one in lists] == [
        {"people", "designer", "blip"}
    ] * 2
    judges = Crowd(project, people=3, right=1, seed=1).people
    votes = {"model 1": [True, True, False], "model 2": [False, False, True]}
    votes |= {"person 1": [True] * 3, "person 2": [True, True, False]}
    for option in Option.objects.filter(question__in=lists):
        cast(option, votes.get(option.text, [False] * 3), judges)
    rows = {row[0]: row[1:3] for row in table(result.benchmark)}
    assert rows == {"blip": ["50.0 %", "2"], "Annotators": ["100.0 %", "2"], "Designers": ["0.0 %", "2"]}
    by_category = {(row[0], row[1]): row[2] for row in table(result.benchmark, 1)}
    assert by_category["blip", "Category 1"] == "100.0 %"
    assert by_category["blip", "Category 2"] == "0.0 %"


def test_the_same_words_are_taken_once_and_long_ones_not_at_all(project: Project) -> None:
    result = explain(project, "model 1", "x" * 501)

    assert take_words(project=project, result=result, now=NOW) == 1
    with pytest.raises(RuleBroken, match="is there already"):
        take_words(project=project, result=result, now=NOW)

    assert [option.text for option in Option.objects.all()] == ["model 1"]


def test_a_model_that_is_called_people_is_refused(project: Project) -> None:
    result = explain(project, "model 1", "model 2", name="People")

    with pytest.raises(RuleBroken, match="names our own explanations"):
        take_words(project=project, result=result, now=NOW)

    assert not Option.objects.exists()


def test_captions_are_asked_about_at_once(project: Project) -> None:
    result = explain(project, "a fish", "a boat", key="description")

    assert take_words(project=project, result=result, now=NOW) == 2

    asked_about = questions(project, Kind.RATE)
    assert [(one.variant, one.options.get().text, one.options.get().source) for one in asked_about] == [
        ("weird", "a fish", "blip"),
        ("weird", "a boat", "blip"),
    ]
    assert all(one.item for one in asked_about)
    with pytest.raises(RuleBroken, match="is there already"):
        take_words(project=project, result=result, now=NOW)


def test_an_image_that_is_no_longer_shown_is_left_out(project: Project) -> None:
    result = explain(project, "model 1", "model 2")
    Image.objects.filter(number=1).update(state=Image.State.REFUSED)

    assert take_words(project=project, result=result, now=NOW) == 1

    assert [option.text for option in Option.objects.all()] == ["model 2"]


def test_words_are_taken_on_a_page_and_by_the_api(client: Client, project: Project) -> None:
    result = explain(project, "model 1", "model 2")
    sign_in(client, RESEARCHER, project.study)
    page = reverse("admin:whoops_take_words", args=[project.pk])
    assert "blip: Explain what is weird" in text_of(client.get(page))

    client.post(page, {"result": str(result.public_id), "confirmed": "yes"})
    assert Option.objects.filter(source="blip").count() == 2

    held = Notebook(make_member(RESEARCHER, project.study))
    address = f"whoops/projects/{project.pk}/take-words/"
    again = held.post(address, {"result": str(result.public_id)})
    other = explain(project, "other 1", "other 2", name="other", key="description")
    taken = held.post(address, {"result": str(other.public_id)})
    assert (again.status_code, taken.status_code) == (409, 200)
    assert Option.objects.filter(source="other").count() == 2


def test_speakers_words_are_taken_as_they_are_said(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeSpeaker, "say", lambda _, asked: ["  Fish \n swim " for _ in asked])
    result = asked(open_task(project), make_rival("blip", kind="speaker"))

    take_words(project=project, result=result, now=NOW)

    assert set(Option.objects.values_list("text", flat=True)) == {"Fish swim"}
