"""Questions to language models: asked once, answered in slices, and stored with the model's provenance."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.core.errors import RuleBroken
from hits.identity.roles import OPERATOR, RESEARCHER
from scoring import tasks
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services import answering_questions
from scoring.services.answering_questions import answer_questions, next_size
from scoring.services.asking_models import (
    NewQuestion,
    ask_and_find,
    ask_questions,
    find_questions,
    perplexity,
    probabilities,
    retry_questions,
    top_words,
)
from scoring.services.model_loading import code_version
from tests.factories import NOW
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import WEIGHTS, make_rival
from tests.scoring.text_fakes import FakeText, use_text_fakes

pytestmark = pytest.mark.django_db
GAP = "The lemon is [MASK]."


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> type[FakeText]:
    return use_text_fakes(monkeypatch)


def clock_at(now: datetime = NOW) -> Callable[[], datetime]:
    return lambda: now


def masked() -> RegisteredRival:
    return make_rival("bert", kind="masked")


def answered(question: NewQuestion, rival: RegisteredRival) -> ModelQuestion:
    ask_questions([question], rival=rival, now=NOW)
    answer_questions(clock=clock_at(NOW + timedelta(seconds=1)))
    return ModelQuestion.objects.get(key=question.key)


def test_best_words_come_with_what_holds_the_model_to_its_word(text: type[FakeText]) -> None:
    text.words = {GAP: ["sour", "yellow", "round"]}

    found = answered(top_words(GAP, k=2), masked())

    assert found.output == [{"word": "sour", "p": 0.5}, {"word": "yellow", "p": 1 / 3}]
    assert (found.status, found.answered_at) == ("answered", NOW + timedelta(seconds=1))
    assert found.provenance == {
        "rival": "bert",
        "kind": "masked",
        "model": "fake",
        "weights_sha256": WEIGHTS,
        "preprocessing": {"reads": "a dictionary"},
        "device": "paper",
        "code_version": code_version(),
    }


def test_probabilities_come_with_the_way_they_were_scored(text: type[FakeText]) -> None:
    text.chances = {"sour": 0.25, "sweet": 0.125}
    rival = masked()

    properly = answered(probabilities(GAP, ["sour", "sweet"]), rival)
    looked_up = answered(probabilities(GAP, ["sour"], as_one_token=True), rival)

    assert properly.output == [
        {"word": "sour", "p": 0.25, "pieces": 1, "way": "single"},
        {"word": "sweet", "p": 0.125, "pieces": 1, "way": "single"},
    ]
    assert looked_up.output == [{"word": "sour", "p": 0.25, "pieces": 1, "way": "one token"}]


def test_a_perplexity_is_a_number(text: type[FakeText]) -> None:
    text.chances = {"The lemon is sour.": 42.5}

    assert answered(perplexity("The lemon is sour."), make_rival("gpt", kind="causal")).output == 42.5


def test_the_same_question_is_one_row_and_answered_once(text: type[FakeText]) -> None:
    rival = masked()
    ask_questions([top_words(GAP, k=2), top_words(GAP, k=2), top_words(GAP, k=3)], rival=rival, now=NOW)
    answer_questions(clock=clock_at())

    found = ask_and_find([top_words(GAP, k=2)], rival=rival, now=NOW + timedelta(days=1))
    again = answer_questions(clock=clock_at(NOW + timedelta(days=1)))

    assert again == 0
    assert found[top_words(GAP, k=2).key].asked_at == NOW
    assert ModelQuestion.objects.count() == 2
    assert sum(size for _, size in text.calls) == 2


def test_ask_and_find_asks_what_was_never_asked(text: type[FakeText]) -> None:
    rival = masked()
    questions = [top_words(GAP, k=1), probabilities(GAP, ["sour"])]
    ask_questions(questions[:1], rival=rival, now=NOW)

    found = ask_and_find(questions, rival=rival, now=NOW + timedelta(hours=1))

    assert {found[one.key].asked_at for one in questions} == {NOW, NOW + timedelta(hours=1)}
    assert find_questions(questions, rival=make_rival("other", kind="masked")) == {}


def test_questions_of_one_kind_share_a_call(text: type[FakeText]) -> None:
    rival = masked()
    ask_questions(
        [
            *(top_words(f"The {noun} is [MASK].", k=8) for noun in ("lemon", "fig", "watermelon")),
            probabilities(GAP, ["sour"]),
        ],
        rival=rival,
        now=NOW,
    )

    count = answer_questions(clock=clock_at())

    assert count == 4
    assert sorted(text.calls) == [("probabilities", 1), ("top_words", 3)]


@pytest.mark.parametrize(
    ("kind", "question"), [("causal", top_words(GAP, k=1)), ("masked", perplexity("A."))]
)
def test_a_model_is_not_asked_what_it_cannot_answer(kind: str, question: NewQuestion) -> None:
    with pytest.raises(RuleBroken, match="language model"):
        ask_questions([question], rival=make_rival("one", kind=kind), now=NOW)

    assert not ModelQuestion.objects.exists()


def test_a_model_that_scores_pictures_is_asked_nothing() -> None:
    with pytest.raises(RuleBroken, match="choose a masked language model"):
        ask_questions([top_words(GAP, k=1)], rival=make_rival("clip"), now=NOW)


def test_a_model_that_cannot_be_loaded_leaves_its_questions_with_the_reason(text: type[FakeText]) -> None:
    text.down = "The weights are gone."
    ask_questions([top_words(GAP, k=1), probabilities(GAP, ["sour"])], rival=masked(), now=NOW)

    answer_questions(clock=clock_at())

    rows = set(ModelQuestion.objects.values_list("status", "tries", "try_at", "problem"))
    assert rows == {("waiting", 1, NOW + timedelta(seconds=5), "The weights are gone.")}


def test_answers_come_when_the_model_is_back(text: type[FakeText]) -> None:
    text.down = "The weights are gone."
    ask_questions([top_words(GAP, k=1)], rival=masked(), now=NOW)
    answer_questions(clock=clock_at())
    text.down = ""

    early = answer_questions(clock=clock_at(NOW + timedelta(seconds=4)))
    later = answer_questions(clock=clock_at(NOW + timedelta(seconds=5)))

    assert (early, later) == (0, 1)
    assert ModelQuestion.objects.get().problem == ""


def test_a_question_that_cannot_be_read_fails_alone_and_says_why(text: type[FakeText]) -> None:
    prompts = [f"The {noun} is [MASK]." for noun in ("fig", "poison", "lemon", "cherry")]
    ask_questions([top_words(prompt, k=1) for prompt in prompts], rival=masked(), now=NOW)

    count = answer_questions(clock=clock_at())

    failed = ModelQuestion.objects.exclude(status="answered").get()
    assert count == 3
    assert (failed.input["prompt"], failed.status) == (prompts[1], "failed")
    assert failed.problem == "This is no sentence."


def test_a_question_that_there_is_no_room_for_waits(text: type[FakeText]) -> None:
    ask_questions([top_words("A crowded [MASK].", k=1)], rival=masked(), now=NOW)

    answer_questions(clock=clock_at())

    found = ModelQuestion.objects.get()
    assert (found.status, found.try_at) == ("waiting", NOW + timedelta(seconds=5))
    assert found.problem == "There is no room on the card."


def test_retrying_asks_what_failed_and_what_waits_at_once(text: type[FakeText]) -> None:
    ask_questions(
        [top_words("A crowded [MASK].", k=1), top_words("A poison [MASK].", k=1), top_words(GAP, k=1)],
        rival=masked(),
        now=NOW,
    )
    answer_questions(clock=clock_at())

    count = retry_questions(ModelQuestion.objects.all(), now=NOW + timedelta(seconds=1))

    assert count == 2
    assert set(ModelQuestion.objects.values_list("status", "try_at")) == {
        ("answered", NOW),
        ("waiting", NOW + timedelta(seconds=1)),
    }


def test_killed_before_it_stores_nothing_is_lost_and_nothing_comes_twice(
    text: type[FakeText], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_questions([top_words(f"A {number} [MASK].", k=1) for number in range(3)], rival=masked(), now=NOW)
    store = answering_questions._store
    monkeypatch.setattr(answering_questions, "_store", _die)
    with pytest.raises(KeyboardInterrupt):
        answer_questions(clock=clock_at())
    monkeypatch.setattr(answering_questions, "_store", store)
    before = list(ModelQuestion.objects.values_list("status", flat=True))

    count = answer_questions(clock=clock_at())

    assert (before, count) == (["waiting"] * 3, 3)
    assert ModelQuestion.objects.filter(status="answered").count() == 3


def _die(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_whoever_comes_second_stores_nothing(text: type[FakeText], monkeypatch: pytest.MonkeyPatch) -> None:
    ask_questions([top_words(GAP, k=1)], rival=masked(), now=NOW)
    store = answering_questions._store

    def come_second(questions: Any, outputs: Any, **given: Any) -> int:
        store(questions, [[{"word": "first", "p": 1.0}]], **given)
        return store(questions, outputs, **given)

    monkeypatch.setattr(answering_questions, "_store", come_second)

    count = answer_questions(clock=clock_at())

    assert count == 0
    assert ModelQuestion.objects.get().output == [{"word": "first", "p": 1.0}]


def test_whoever_waits_for_a_verdict_goes_before_every_slice(
    text: type[FakeText], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_questions([top_words(f"A {number} [MASK].", k=1) for number in range(40)], rival=masked(), now=NOW)
    order: list[str] = []
    answer_slice = answering_questions._answer_slice

    def note_texts(size: int, *, clock: Callable[[], datetime]) -> int | None:
        order.append("texts")
        return answer_slice(size, clock=clock)

    monkeypatch.setattr(answering_questions, "somebody_waits", lambda: True)
    monkeypatch.setattr(answering_questions, "answer_waiting", lambda **_: order.append("verdicts"))
    monkeypatch.setattr(answering_questions, "_answer_slice", note_texts)

    answer_questions(clock=clock_at())

    assert order == ["verdicts", "texts"] * 3


def test_a_sweep_ends_in_time_for_others(text: type[FakeText]) -> None:
    ask_questions([top_words(f"A {number} [MASK].", k=1) for number in range(200)], rival=masked(), now=NOW)
    moments = count(0, 15)

    answer_questions(clock=clock_at(), timer=lambda: next(moments))

    assert ModelQuestion.objects.filter(status="waiting").exists()
    assert ModelQuestion.objects.filter(status="answered").exists()


@pytest.mark.parametrize(
    ("size", "took_s", "following"), [(32, 0.1, 64), (1024, 0.1, 1024), (32, 0.6, 32), (32, 2, 16), (8, 9, 8)]
)
def test_a_slice_is_as_large_as_the_model_is_quick(size: int, took_s: float, following: int) -> None:
    assert next_size(size, took_s=took_s) == following


def test_the_task_answers(text: type[FakeText]) -> None:
    ask_questions([top_words(GAP, k=1)], rival=masked(), now=NOW - timedelta(days=3000))

    tasks.answer_questions()

    assert ModelQuestion.objects.get().status == "answered"


LIST = "admin:scoring_modelquestion_changelist"


def test_operators_see_what_waits_and_have_it_answered_again(client: Client, text: type[FakeText]) -> None:
    rival = masked()
    ask_questions([top_words("A poison [MASK].", k=1), top_words(GAP, k=1)], rival=rival, now=NOW)
    answer_questions(clock=clock_at())
    failed = ModelQuestion.objects.get(status="failed")
    sign_in(client, OPERATOR)

    page = client.get(reverse(LIST))
    after = client.post(reverse(LIST), {"action": "retry", "_selected_action": [failed.pk]}, follow=True)

    failed.refresh_from_db()
    assert page.context["cl"].result_count == 1
    assert "This is no sentence." in text_of(page)
    assert "1 question is asked again." in text_of(after)
    assert failed.status == "waiting"


def test_questions_of_every_study_are_shown_to_nobody_else(client: Client) -> None:
    sign_in(client, RESEARCHER)

    assert client.get(reverse(LIST)).status_code == 403


def test_rivals_show_how_much_waits_for_them(client: Client) -> None:
    ask_questions([top_words(GAP, k=1)], rival=masked(), now=NOW)
    sign_in(client, OPERATOR)

    page = text_of(client.get(reverse("admin:scoring_registeredrival_changelist")))

    assert '<td class="field-waiting">1</td>' in page
