"""A query whose vectors are all kept is answered in the request that stores it."""

from hashlib import sha256

import pytest

from hits.work.models.assignments import Assignment
from scoring.models import PendingQuery, RegisteredRival, RivalQuery, Vector, Verdict
from scoring.rivals.cue_prompts import prompt_without_model
from scoring.services import kept_verdicts, rival_answers, rival_selection
from scoring.services.model_loading import load_scorer
from scoring.services.verdict_making import as_rivals_see
from tests.factories import NOW, make_assignment
from tests.scoring.fakes import FakeRival, make_rival
from tests.scoring.test_asking import ask

pytestmark = pytest.mark.django_db


@pytest.fixture
def rival(fake: type[FakeRival], settings: object) -> RegisteredRival:
    """The default rival, which knows the pictures and has been asked about snow."""
    made = make_rival()
    settings.RIVAL = made.name  # type: ignore[attr-defined]
    ask(make_assignment())
    rival_answers.answer_waiting(clock=lambda: NOW)
    return made


def answer(assignment: Assignment, text: str = "snow") -> Verdict | None:
    rival_query, _ = ask(assignment, text)
    return rival_query.verdict


def test_word_that_was_asked_before_is_answered_at_once_and_alike(
    rival: RegisteredRival, fake: type[FakeRival]
) -> None:
    first, computed = Verdict.objects.get(), list(fake.computed)

    found = answer(make_assignment())

    assert found is not None
    assert (found.scores, found.places, found.model_score) == (first.scores, first.places, first.model_score)
    for name in ("prompt", "model", "preprocessing", "weights_sha256", "code_version"):
        assert getattr(found, name) == getattr(first, name)
    assert (found.device, first.device) == (kept_verdicts.DEVICE, "paper")
    assert not PendingQuery.objects.exists()
    assert fake.computed == computed


def test_new_word_waits_for_the_model(rival: RegisteredRival) -> None:
    assert answer(make_assignment(), "winter") is None
    assert PendingQuery.objects.get().is_urgent


@pytest.mark.parametrize("is_broken", [True, False])
def test_word_about_a_picture_without_a_vector_waits_for_the_model(
    rival: RegisteredRival, is_broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scoring.services import embedding  # noqa: PLC0415 - numpy, where it is wanted

    monkeypatch.setattr(embedding, "_memory", {})
    pictures = Vector.objects.filter(of="picture")
    one = pictures.filter(pk=pictures.earliest("pk").pk)
    one.update(values=None, problem="Broken.") if is_broken else one.delete()

    assert answer(make_assignment()) is None
    assert PendingQuery.objects.count() == 1


def test_rival_that_no_process_has_loaded_is_asked(rival: RegisteredRival) -> None:
    RegisteredRival.objects.update(space=None)

    assert answer(make_assignment()) is None


def test_rivals_that_are_only_recorded_are_asked_later(rival: RegisteredRival) -> None:
    assignment = make_assignment()
    other = make_rival("other", weights="e" * 64)
    rival_selection.play_against(study=assignment.hit.batch.study, rival=other, by=None, now=NOW)

    assert answer(assignment) is not None
    assert PendingQuery.objects.values_list("rival__name", "is_urgent").get() == ("other", False)


def test_two_words_of_one_instant_are_stored_with_one_verdict_each(rival: RegisteredRival) -> None:
    assignment = make_assignment()

    for slot in (1, 2, 1):
        ask(assignment, slot=slot)

    assert RivalQuery.objects.filter(assignment=assignment).count() == 2
    assert Verdict.objects.filter(rival_query__assignment=assignment).count() == 2


def test_prompt_and_key_without_the_packaged_model_are_those_of_the_model() -> None:
    rival = rival_selection.default_rival()
    model = load_scorer(rival)

    assert prompt_without_model(rival.kind, rival.options, "umbrella") == model.prompt("umbrella")
    shown = {"sha256": "a" * 64, "caption": "an umbrella"}
    picture = as_rivals_see(shown)
    assert kept_verdicts._key_of(picture, rival) == model.key_of(picture)  # type: ignore[attr-defined]
    assert kept_verdicts._key_of(picture, rival) == sha256(b"an umbrella").hexdigest()
