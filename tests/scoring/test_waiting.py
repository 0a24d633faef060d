"""Questions to models that become due because time has passed, and what sweeps cost while nothing is due."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings

from scoring.models import PendingQuery, PoolPicture
from scoring.services import answering_questions, embedding_backfill, rival_answers, score_recording
from scoring.services.answering_questions import answer_questions
from scoring.services.asking_models import ask_questions, top_words
from scoring.services.pending_work import FIRST_PAUSE, REST, next_answer, next_filling, next_question_answer
from scoring.services.rival_answers import answer_waiting
from tests.factories import NOW, make_assignment
from tests.idle import watch
from tests.scoring.fakes import FakeRival, make_rival
from tests.scoring.test_answering import clock_at, enter
from tests.scoring.test_asking import ask
from tests.scoring.text_fakes import FakeText, use_text_fakes

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> type[FakeText]:
    return use_text_fakes(monkeypatch)


@pytest.mark.parametrize("next_instant", [next_answer, next_filling, next_question_answer])
def test_nothing_is_due_where_nobody_asks(next_instant: Callable[..., datetime | None]) -> None:
    assert next_instant(now=NOW) is None


def test_question_to_a_rival_that_is_down_is_due_after_a_pause(
    fake: type[FakeRival], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(make_assignment())
    monkeypatch.setattr(fake, "down", True)
    answer_waiting(clock=clock_at())
    monkeypatch.setattr(fake, "down", False)
    due = NOW + FIRST_PAUSE
    assert next_answer(now=NOW) == due

    answered = [answer_waiting(clock=clock_at(at)) for at in (due - SECOND, due)]

    assert (answered, next_answer(now=due)) == ([0, 1], None)


def test_first_question_of_either_urgency_is_due_first() -> None:
    for number, is_urgent in enumerate((True, False, True, False)):
        rival_query, _ = ask(make_assignment())
        PendingQuery.objects.filter(rival_query=rival_query).update(
            is_urgent=is_urgent, try_at=NOW + number * SECOND
        )

    assert next_answer(now=NOW) == NOW
    PendingQuery.objects.filter(try_at=NOW).delete()
    assert next_answer(now=NOW) == NOW + SECOND


def test_model_question_that_failed_is_due_after_a_pause(text: type[FakeText]) -> None:
    rival = make_rival("bert", kind="masked")
    text.down = "The weights are gone."
    ask_questions([top_words("The lemon is [MASK].", k=1)], rival=rival, now=NOW)
    answer_questions(clock=clock_at())
    text.down = ""
    due = NOW + FIRST_PAUSE
    assert next_question_answer(now=NOW) == due

    answered = [answer_questions(clock=clock_at(at)) for at in (due - SECOND, due)]

    assert (answered, next_question_answer(now=due)) == ([0, 1], None)


def test_rival_that_could_not_read_the_pool_tries_again(
    fake: type[FakeRival], monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(2)
    fake.broken = {f"{1:064x}"}
    monkeypatch.setattr(fake, "down", True)
    embedding_backfill.fill_pools()
    assert next_filling(now=NOW) == NOW + REST

    monkeypatch.setattr(fake, "down", False)
    embedding_backfill.fill_pools()

    assert next_filling(now=NOW) is None
    PoolPicture.objects.filter(sha256=f"{0:064x}").update(caption_sha256="a" * 64)
    assert next_filling(now=NOW) == NOW + REST


def test_pool_without_a_rival_is_never_due(settings: LazySettings) -> None:
    enter(1)
    settings.RIVAL = "nobody"

    assert next_filling(now=NOW) is None


SWEEPS: list[tuple[Callable[[], object], int]] = [
    (lambda: score_recording.judge_submitted(now=NOW), 1),
    (lambda: rival_answers.answer_waiting(clock=clock_at()), 2),
    (embedding_backfill.fill_pools, 6),
    (lambda: answering_questions.answer_questions(clock=clock_at()), 2),
]


@pytest.mark.parametrize(("run", "queries"), SWEEPS)
def test_sweep_that_finds_nothing_asks_little_and_writes_nothing(
    run: Callable[[], object], queries: int, fake: type[FakeRival]
) -> None:
    enter(2)
    embedding_backfill.fill_pools()
    ask(make_assignment())
    rival_answers.answer_waiting(clock=clock_at())

    idle = watch(run)

    assert (idle.queries, idle.writes) == (queries, [])
