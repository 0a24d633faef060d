"""Questions about pictures, a cross-encoder that plays the game, and the nearest pictures of the pool."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.core.errors import RuleBroken
from scoring import rivals
from scoring.domain import best
from scoring.models import PoolPicture, RegisteredRival, Vector, Verdict
from scoring.models.model_questions import ModelQuestion
from scoring.services import (
    embedding,
    embedding_backfill,
    nearest_pictures,
    pending_work,
    rival_answers,
    rival_pool,
)
from scoring.services.answering_questions import answer_questions
from scoring.services.asking_models import NewQuestion, ask_questions, likeness, perplexity, scores, words
from scoring.services.asking_rivals import ShownPicture
from scoring.services.nearest_pictures import nearest_in_pool
from scoring.services.rival_selection import play_against
from tests.factories import NOW, make_assignment
from tests.scoring.fakes import WEIGHTS, FakeCross, FakeRival, FakeSpeaker, make_rival
from tests.scoring.test_asking import ask

pytestmark = pytest.mark.django_db
SHOWN = [ShownPicture(sha256=f"{number:064x}", caption=f"picture {number}") for number in range(3)]


def enter(shown: Sequence[ShownPicture] = SHOWN) -> None:
    rival_pool.enter_pool(
        [rival_pool.Entering(sha256=one.sha256, path=f"p/{one.sha256}.png", caption="c") for one in shown]
    )


def answered(question: NewQuestion, rival: RegisteredRival) -> ModelQuestion:
    ask_questions([question], rival=rival, now=NOW)
    answer_questions(clock=lambda: NOW)
    return ModelQuestion.objects.get(rival=rival)


def test_a_dual_encoder_scores_each_text_against_each_picture(fake: type[FakeRival]) -> None:
    found = answered(scores(["a dog", "a moon"], SHOWN), make_rival())

    model = FakeRival(rivals.Spec(name="fake", kind="clip", weights_sha256=WEIGHTS))
    pictures = model.embed_pictures([rivals.Picture(sha256=one.sha256, path="", caption="") for one in SHOWN])
    texts = model.embed_texts(["a dog", "a moon"])
    assert found.output == [rivals.cosines(text, pictures) for text in texts]
    assert (found.provenance["weights_sha256"], found.provenance["device"]) == (WEIGHTS, "paper")


def test_a_cue_is_read_in_the_models_own_prompt_and_a_caption_as_it_is(fake: type[FakeRival]) -> None:
    answered(scores(["dog"], SHOWN[:1], are_cues=True), make_rival())
    assert "A dog" in fake.computed

    answered(scores(["a dog barks"], SHOWN[:1]), make_rival("another", weights="e" * 64))
    assert "a dog barks" in fake.computed


def test_vectors_that_are_kept_are_not_computed_again(fake: type[FakeRival]) -> None:
    rival = make_rival()
    ask_questions([scores(["a dog"], SHOWN)], rival=rival, now=NOW)
    answer_questions(clock=lambda: NOW)
    before = len(fake.computed)

    ask_questions([scores(["a moon"], SHOWN)], rival=rival, now=NOW)
    answer_questions(clock=lambda: NOW)

    assert fake.computed[before:] == ["a moon"]


def test_a_cross_encoder_is_given_the_files_and_scores_every_pair_in_one_call(fake: type[FakeRival]) -> None:
    enter()
    rival = make_rival(kind="cross")
    asked = [scores(["a dog", "a moon"], SHOWN[:2]), scores(["a cat"], SHOWN[2:])]
    ask_questions(asked, rival=rival, now=NOW)

    answer_questions(clock=lambda: NOW)

    outputs = [one.output for one in ModelQuestion.objects.order_by("pk")]
    assert sorted(len(rows) for rows in outputs) == [1, 2]
    assert len(FakeCross.asked) == 5
    assert {Path(picture.path) for _, picture in FakeCross.asked} == {
        Path(settings.MEDIA_ROOT) / f"p/{one.sha256}.png" for one in SHOWN
    }
    assert not Vector.objects.exists()


@pytest.mark.parametrize(
    ("one", "others"),
    [
        ("dog", ["moon", "sea"]),
        ("dog", SHOWN[:2]),
        (SHOWN[0], ["moon", "sea"]),
        (SHOWN[0], SHOWN[1:]),
        (SHOWN[0], ["moon", SHOWN[1]]),
    ],
    ids=["text-text", "text-image", "image-text", "image-image", "both"],
)
def test_a_dual_encoder_compares_texts_and_pictures_in_any_combination(
    fake: type[FakeRival], one: str | ShownPicture, others: Sequence[str | ShownPicture]
) -> None:
    found = answered(likeness(one, others), make_rival())

    model = FakeRival(rivals.Spec(name="fake", kind="clip", weights_sha256=WEIGHTS))

    def vector(side: str | ShownPicture) -> rivals.Vectors:
        if isinstance(side, str):
            return model.embed_texts([f"A {side}"])
        return model.embed_pictures([rivals.Picture(sha256=side.sha256, path="", caption="")])

    assert found.output == [rivals.cosines(vector(one), vector(other))[0] for other in others]


def test_several_comparisons_in_one_batch_keep_their_own_answers(fake: type[FakeRival]) -> None:
    rival = make_rival()
    asked = [likeness("dog", SHOWN), likeness(SHOWN[0], ["sea"]), likeness("dog", ["sea", "dog"])]
    ask_questions(asked, rival=rival, now=NOW)
    fake.broken.add(SHOWN[1].sha256)

    answer_questions(clock=lambda: NOW)

    found = {one.key: one for one in ModelQuestion.objects.all()}
    assert [found[one.key].status for one in asked] == ["failed", "answered", "answered"]
    assert found[asked[2].key].output[1] == pytest.approx(1)
    assert len(found[asked[1].key].output) == 1


def test_a_speaker_says_words_and_a_broken_picture_fails_alone(fake: type[FakeRival]) -> None:
    enter()
    rival = make_rival(kind="speaker")
    FakeSpeaker.broken.add(SHOWN[1].sha256)
    ask_questions([words("Why?", one) for one in SHOWN], rival=rival, now=NOW)

    answer_questions(clock=lambda: NOW)

    found = {one.input["pictures"][0]["sha256"]: one for one in ModelQuestion.objects.all()}
    assert [found[one.sha256].status for one in SHOWN] == ["answered", "failed", "answered"]
    assert found[SHOWN[0].sha256].output == "Why? 0000"
    assert found[SHOWN[1].sha256].problem == "This picture is broken. Put a whole one in its place."


@pytest.mark.parametrize(
    ("kind", "question", "said"),
    [
        ("masked", scores(["a dog"], SHOWN), "a model that scores texts against pictures"),
        ("clip", words("", SHOWN[0]), "a model that says words"),
        ("cross", perplexity("A dog."), "a causal language model"),
        ("cross", likeness("dog", ["moon"]), "embeds texts and pictures apart"),
    ],
)
def test_a_model_is_asked_only_what_it_can_answer(kind: str, question: NewQuestion, said: str) -> None:
    with pytest.raises(RuleBroken, match=said):
        ask_questions([question], rival=make_rival(kind=kind), now=NOW)


def test_a_cross_encoder_plays_the_association_game(fake: type[FakeRival]) -> None:
    assignment = make_assignment()
    study = assignment.hit.batch.study
    rival = make_rival("vilt", kind="cross")
    play_against(study=study, rival=rival, by=None, now=NOW, paid=True)
    rival_query, _ = ask(assignment)

    rival_answers.answer_waiting(clock=lambda: NOW)

    verdict = Verdict.objects.get(rival=rival)
    assert verdict == rival_query.verdict
    assert verdict.prompt == "Is it a snow?"
    assert verdict.places == best(verdict.scores, k=2)
    assert len(verdict.scores) == len(rival_query.pictures)


def test_the_pool_is_not_embedded_for_a_cross_encoder(fake: type[FakeRival]) -> None:
    enter()
    study = make_assignment().hit.batch.study
    play_against(study=study, rival=make_rival("vilt", kind="cross"), by=None, now=NOW, paid=True)

    embedding_backfill.fill_pools()

    assert PoolPicture.objects.count() == 3
    assert set(Vector.objects.values_list("space__weights_sha256", flat=True)) == {WEIGHTS}
    assert pending_work.next_filling(now=NOW) is None
    rival_answers.warm_up()
    assert fake.computed


def digest(number: int) -> str:
    return f"{number:064x}"


@pytest.fixture
def pooled(fake: type[FakeRival]) -> RegisteredRival:
    """A model that has seen the forty pictures of the pool."""
    rival_pool.enter_pool(
        [rival_pool.Entering(sha256=digest(one), path=f"p/{one}.png", caption="c") for one in range(40)]
    )
    rival = make_rival()
    while embedding.fill_pool(rival):
        pass
    return rival


def by_hand(wanted: int, *, k: int) -> list[str]:
    model = FakeRival(rivals.Spec(name="fake", kind="clip", weights_sha256=WEIGHTS))
    names = [digest(one) for one in range(40)]
    vectors = model.embed_pictures([rivals.Picture(sha256=one, path="", caption="") for one in names])
    (mine,) = model.embed_pictures([rivals.Picture(sha256=digest(wanted), path="", caption="")])
    order = np.argsort(-(vectors @ mine), kind="stable")
    return [names[place] for place in order if names[place] != digest(wanted)][:k]


@pytest.mark.parametrize("at_once", [7, 1_000])
def test_the_nearest_are_those_of_a_whole_sort(
    pooled: RegisteredRival, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(nearest_pictures, "AT_ONCE", at_once)

    found = nearest_in_pool(pooled, [digest(3), digest(100)], k=5)

    # One of them is in the pool itself, and is not its own partner.
    assert [one.sha256 for one in found[digest(3)]] == by_hand(3, k=5)
    assert [one.sha256 for one in found[digest(100)]] == by_hand(100, k=5)
    cosines = [one.cosine for one in found[digest(100)]]
    assert cosines == sorted(cosines, reverse=True)


def test_a_picture_that_cannot_be_read_is_left_out(pooled: RegisteredRival, fake: type[FakeRival]) -> None:
    fake.broken = {digest(100)}
    Vector.objects.filter(content_sha256=digest(5)).update(values=None, problem="It is torn.")

    found = nearest_in_pool(pooled, [digest(100), digest(101)], k=40)

    assert list(found) == [digest(101)]
    assert len(found[digest(101)]) == 39


def test_the_pool_is_read_once_for_all(pooled: RegisteredRival) -> None:
    for some in ([100], list(range(100, 140))):
        nearest_in_pool(pooled, [digest(one) for one in some], k=3)

    with CaptureQueriesContext(connection) as queries:
        nearest_in_pool(pooled, [digest(one) for one in range(100, 140)], k=3)

    assert len(queries) <= 5


def test_a_model_without_vectors_is_refused(fake: type[FakeRival]) -> None:
    with pytest.raises(rivals.NotLoadable, match="no vectors to keep"):
        nearest_in_pool(make_rival(kind="cross"), [digest(1)], k=1)
