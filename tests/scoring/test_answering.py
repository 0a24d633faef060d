from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Thread

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet

from scoring import rivals
from scoring.domain import best
from scoring.models import PendingQuery, RegisteredRival, Space, Vector, Verdict
from scoring.services import embedding, embedding_backfill, rival_answers, rival_pool
from scoring.services.model_loading import code_version, load_rival
from scoring.services.rival_selection import default_rival
from tests.factories import NOW, make_assignment
from tests.scoring.fakes import WEIGHTS, FakeRival, make_rival
from tests.scoring.test_asking import ask

pytestmark = pytest.mark.django_db


def clock_at(now: datetime = NOW) -> Callable[[], datetime]:
    return lambda: now


def test_answer_waiting_keeps_everything_that_holds_the_rival_to_its_word(fake: type[FakeRival]) -> None:
    rival_query, _ = ask(make_assignment())

    answered = rival_answers.answer_waiting(clock=clock_at(NOW + timedelta(milliseconds=250)))

    verdict = Verdict.objects.get()
    assert answered == 1
    assert not PendingQuery.objects.exists()
    assert (verdict.rival_query, verdict.rival.name) == (rival_query, "minilm")
    assert verdict.model == "sentence-transformers/all-MiniLM-L6-v2"
    assert verdict.weights_sha256 == WEIGHTS
    assert (verdict.prompt, verdict.preprocessing) == ("A snow", {"reads": "a digest"})
    assert verdict.candidates == [one["sha256"] for one in rival_query.pictures]
    assert verdict.places == best(verdict.scores, k=2)
    assert (verdict.latency_ms, verdict.device, verdict.code_version) == (250, "paper", code_version())
    assert verdict.answered_at == NOW + timedelta(milliseconds=250)


@pytest.mark.parametrize(
    "change", [lambda rows: rows.update(model_score=0), lambda rows: rows.delete()], ids=["update", "delete"]
)
def test_the_database_never_changes_a_verdict(
    fake: type[FakeRival], change: Callable[[QuerySet[Verdict]], object]
) -> None:
    ask(make_assignment())
    rival_answers.answer_waiting(clock=clock_at())
    before = Verdict.objects.values().get()

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        change(Verdict.objects.all())

    assert Verdict.objects.values().get() == before


def test_answered_twice_there_is_one_verdict(fake: type[FakeRival]) -> None:
    rival_query, _ = ask(make_assignment())
    rival_answers.answer_waiting(clock=clock_at())
    before = Verdict.objects.values().get()
    # As if another process had read the row before it was gone.
    PendingQuery.objects.create(
        rival_query=rival_query, rival=rival_query.paid_on, is_urgent=True, asked_at=NOW, try_at=NOW
    )

    rival_answers.answer_waiting(clock=clock_at(NOW + timedelta(hours=1)))

    assert Verdict.objects.values().get() == before
    assert not PendingQuery.objects.exists()


def test_what_waits_together_is_computed_together_and_nothing_twice(fake: type[FakeRival]) -> None:
    for number in range(5):
        ask(make_assignment(), "snow" if number % 2 else "ice")

    rival_answers.answer_waiting(clock=clock_at())
    first = list(fake.computed)
    ask(make_assignment())
    rival_answers.answer_waiting(clock=clock_at())

    assert sorted(first) == sorted({"A snow", "A ice", *(f"{number:064x}" for number in range(5))})
    assert fake.computed == first
    assert len(set(Verdict.objects.filter(prompt="A snow").values_list("model_score", flat=True))) == 1


def test_another_process_reads_the_vectors_and_computes_nothing(
    fake: type[FakeRival], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(make_assignment())
    rival_answers.answer_waiting(clock=clock_at())
    fake.computed.clear()
    monkeypatch.setattr(embedding, "_memory", {})
    ask(make_assignment())

    rival_answers.answer_waiting(clock=clock_at())

    assert fake.computed == []
    scores = [verdict.scores for verdict in Verdict.objects.all()]
    assert scores[0] == scores[1]


def test_urgent_questions_go_before_all_rescoring(fake: type[FakeRival]) -> None:
    ask(make_assignment(), "old")
    PendingQuery.objects.update(is_urgent=False)
    ask(make_assignment(), "new")

    rival_answers.answer_waiting(clock=clock_at())

    assert [word for word in fake.computed if word.startswith("A ")] == ["A new", "A old"]


def test_a_rival_that_is_down_puts_its_questions_off_and_scores_nothing(fake: type[FakeRival]) -> None:
    fake.down = True
    ask(make_assignment())
    ask(make_assignment())

    answered = rival_answers.answer_waiting(clock=clock_at())

    assert answered == 0
    assert not Verdict.objects.exists()
    assert (
        list(PendingQuery.objects.values_list("tries", "try_at", "problem"))
        == [(1, NOW + timedelta(seconds=5), "The weights are gone.")] * 2
    )


def test_the_verdict_comes_when_the_rival_is_back(fake: type[FakeRival]) -> None:
    fake.down = True
    ask(make_assignment())
    rival_answers.answer_waiting(clock=clock_at())
    fake.down = False

    early = rival_answers.answer_waiting(clock=clock_at(NOW + timedelta(seconds=4)))
    later = rival_answers.answer_waiting(clock=clock_at(NOW + timedelta(seconds=5)))

    assert (early, later) == (0, 1)
    assert Verdict.objects.get().latency_ms == 5000


def test_one_poisoned_rival_query_does_not_hold_up_the_others(fake: type[FakeRival]) -> None:
    for text in ("snow", "poison", "ice"):
        ask(make_assignment(), text)

    answered = rival_answers.answer_waiting(clock=clock_at())

    assert answered == 2
    assert PendingQuery.objects.values_list("rival_query__text", "problem").get() == (
        "poison",
        "This word is too much.",
    )


def test_what_is_no_number_is_neither_kept_nor_a_score(fake: type[FakeRival]) -> None:
    ask(make_assignment(), "nothing")

    rival_answers.answer_waiting(clock=clock_at())

    assert not Verdict.objects.exists()
    assert not Vector.objects.filter(of="prompt").exists()
    assert "computes no numbers" in PendingQuery.objects.get().problem


def test_pauses_grow_and_have_an_end(fake: type[FakeRival]) -> None:
    ask(make_assignment(), "poison")
    now, pauses = NOW, []
    for _ in range(14):
        rival_answers.answer_waiting(clock=clock_at(now))
        try_at = PendingQuery.objects.get().try_at
        pauses.append((try_at - now).total_seconds())
        now = try_at

    assert pauses[:4] == [5, 10, 20, 40]
    assert pauses[-1] == 3600


def test_an_unreadable_picture_is_told_once_and_not_tried_for_ever(fake: type[FakeRival]) -> None:
    fake.broken = {f"{1:064x}"}
    enter(3)

    embedding_backfill.fill_pools()
    filled = list(fake.computed)
    again = embedding_backfill.fill_pools()

    assert sorted(filled) == [f"{0:064x}", f"{2:064x}"]
    assert (again, fake.computed) == (0, filled)
    assert "broken" in Vector.objects.get(values=None).problem


def test_a_rival_query_with_an_unreadable_picture_waits_with_the_reason(fake: type[FakeRival]) -> None:
    fake.broken = {f"{1:064x}"}
    ask(make_assignment())

    rival_answers.answer_waiting(clock=clock_at())

    assert not Verdict.objects.exists()
    assert "Put a whole one" in PendingQuery.objects.get().problem


def enter(count: int) -> None:
    rival_pool.enter_pool(
        [
            rival_pool.Entering(sha256=f"{number:064x}", path="", caption=f"picture {number}")
            for number in range(count)
        ]
    )


def test_pictures_of_the_pool_are_embedded_before_anybody_asks(fake: type[FakeRival]) -> None:
    enter(20)

    filled = embedding_backfill.fill_pools()
    fake.computed.clear()
    ask(make_assignment())
    rival_answers.answer_waiting(clock=clock_at())

    assert filled == 20
    assert fake.computed == ["A snow"]


def test_a_new_rival_fills_in_behind_the_old_one(fake: type[FakeRival]) -> None:
    enter(3)
    embedding_backfill.fill_pools()
    study = make_assignment().hit.batch.study
    rival = make_rival(weights="e" * 64)
    study.rivals.create(rival=rival, added_at=NOW)

    filled = embedding_backfill.fill_pools()

    assert filled == 3
    assert sorted(Space.objects.values_list("weights_sha256", flat=True)) == ["e" * 64, WEIGHTS]
    assert Vector.objects.count() == 6


def test_whoever_asks_while_the_pool_fills_goes_first(
    fake: type[FakeRival], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "AT_ONCE", 2)
    monkeypatch.setattr("django.utils.timezone.now", clock_at())
    enter(6)
    ask(make_assignment())

    embedding_backfill.fill_pools()

    assert fake.computed.index("A snow") == 2


def test_warm_reads_every_vector_of_the_pool(fake: type[FakeRival], monkeypatch: pytest.MonkeyPatch) -> None:
    enter(3)
    embedding_backfill.fill_pools()
    monkeypatch.setattr(embedding, "_memory", {})
    fake.computed.clear()

    rival_answers.warm_up()

    loaded = load_rival(RegisteredRival.objects.get(name="minilm"))
    assert len(embedding._kept(loaded.space, "picture")) == 3
    assert fake.computed == ["A warm"]


def test_without_pictures_no_model_is_loaded(fake: type[FakeRival]) -> None:
    rival_answers.warm_up()
    embedding_backfill.fill_pools()

    assert not Space.objects.exists()


def test_warm_up_survives_a_rival_that_is_down(fake: type[FakeRival]) -> None:
    enter(1)
    fake.down = True

    rival_answers.warm_up()

    assert not Space.objects.exists()


def test_the_memory_has_an_end(fake: type[FakeRival], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "MOST_KEPT", 3)
    ask(make_assignment())

    rival_answers.answer_waiting(clock=clock_at())

    loaded = load_rival(RegisteredRival.objects.get(name="minilm"))
    assert len(embedding._kept(loaded.space, "picture")) == 3
    assert Verdict.objects.count() == 1


def test_packaged_weights_are_held_to_what_was_first_read(fake: type[FakeRival]) -> None:
    rival = default_rival()
    load_rival(rival)

    rival.refresh_from_db()

    assert rival.weights_sha256 == WEIGHTS


def test_a_mended_caption_is_what_is_told_from_then_on() -> None:
    enter(1)
    rival_pool.enter_pool([rival_pool.Entering(sha256=f"{0:064x}", path="x.png", caption="a cat")])

    picture = embedding.locate([rivals.Picture(sha256=f"{0:064x}", path="", caption="")])[0]

    assert picture.path.endswith("x.png")


@pytest.mark.django_db(transaction=True)
def test_a_question_that_comes_while_others_are_answered_is_not_left_over(
    fake: type[FakeRival], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread at work looks once more before it ends; the second one need not wait."""
    late = make_assignment()
    ask(make_assignment())
    seconds: list[int] = []
    decide = rival_answers._decide

    def decide_slowly(*args: object, **kwargs: object) -> list[Verdict]:
        if not seconds:
            other = Thread(target=come_late)
            other.start()
            other.join()
        return decide(*args, **kwargs)  # type: ignore[arg-type]

    def come_late() -> None:
        try:
            ask(late, "ice")
            seconds.append(rival_answers.answer_waiting(clock=clock_at()))
        finally:
            connection.close()

    monkeypatch.setattr(rival_answers, "_decide", decide_slowly)

    answered = rival_answers.answer_waiting(clock=clock_at())

    assert (seconds, answered) == ([0], 2)
    assert not PendingQuery.objects.exists()
