"""Questions about pictures, to whatever model can answer them, and a cross-encoder that plays the game."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.conf import settings

from hits.core.errors import RuleBroken
from scoring import rivals
from scoring.domain import best
from scoring.models import PoolPicture, RegisteredRival, Vector, Verdict
from scoring.models.model_questions import ModelQuestion
from scoring.services import embedding_backfill, pending_work, rival_answers, rival_pool
from scoring.services.answering_questions import answer_questions
from scoring.services.asking_models import NewQuestion, ask_questions, likeness, perplexity, scores, words
from scoring.services.asking_rivals import ShownPicture
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
