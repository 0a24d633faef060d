"""Cross-encoders and models that say words, each a real architecture with small random weights."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from scoring import rivals
from scoring.rivals.captioner import Captioner
from scoring.rivals.cross_encoder import CrossEncoder
from scoring.rivals.interface import NotLoadable
from scoring.rivals.word_regions import transport
from tests.scoring.fakes import FakeCross
from tests.scoring.small_language_models import one_thread
from tests.scoring.small_models import draw
from tests.scoring.small_picture_models import WORDS, save_blip, save_vilt, spec


@pytest.fixture(scope="module")
def vilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_vilt(tmp_path_factory.mktemp("vilt"))


@pytest.fixture(scope="module")
def blip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_blip(tmp_path_factory.mktemp("blip"))


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[rivals.Picture]:
    folder = tmp_path_factory.mktemp("pictures")
    return [draw(folder / f"{seed}.png", seed=seed) for seed in range(5)]


def test_a_cross_encoder_scores_each_pair_the_same_in_any_company(
    vilt: Path, pictures: list[rivals.Picture]
) -> None:
    with one_thread():
        model = CrossEncoder(spec("cross", vilt, batch_size=2))
        pairs = [(text, picture) for text in ("a dog", "the moon is red") for picture in pictures]
        together = model.score_pairs(pairs)
        alone = [model.score_pairs([pair])[0] for pair in pairs]

    assert together == pytest.approx(alone, abs=1e-4)
    assert len(set(together)) == len(pairs)


def test_a_cross_encoder_predicts_the_best_places(vilt: Path, pictures: list[rivals.Picture]) -> None:
    model = CrossEncoder(spec("cross", vilt))

    found = model.predict("dog", pictures, k=2)

    assert list(found.places) == sorted(model.rank("dog", pictures)[:2])
    assert found.provenance["prompt"] == "A/An {cue}"
    assert model.prompt("apple") == "An apple"


def test_a_cross_encoder_is_no_dual_encoder(vilt: Path) -> None:
    model = rivals.load_scorer(spec("cross", vilt))

    assert not isinstance(model, rivals.DualEncoder)


def test_a_picture_that_cannot_be_read_is_named(vilt: Path, tmp_path: Path) -> None:
    path = tmp_path / "torn.png"
    path.write_bytes(b"\x89PNG torn")
    picture = rivals.Picture(sha256="", path=str(path), caption="")

    with pytest.raises(rivals.UnreadablePicture, match=r"torn\.png cannot be read"):
        CrossEncoder(spec("cross", vilt)).score_pairs([("a dog", picture)])


def test_a_model_of_another_type_is_refused(blip: Path) -> None:
    bert = replace(spec("cross", blip), name="mine")
    (blip / "config.json").write_text((blip / "config.json").read_text().replace('"blip"', '"bert"'))

    with pytest.raises(NotLoadable, match="mine is a model of the type bert"):
        CrossEncoder(replace(bert, weights_sha256=""))

    (blip / "config.json").write_text((blip / "config.json").read_text().replace('"bert"', '"blip"'))


def test_a_model_without_its_head_is_refused(blip: Path) -> None:
    """The model can say words, but has no head for matching: transformers would invent one."""
    with pytest.raises(rivals.WeightsMissing, match="are no cross-encoder: they lack"):
        CrossEncoder(replace(spec("cross", blip), weights_sha256=""))


def test_a_captioner_says_the_same_words_in_any_company(blip: Path, pictures: list[rivals.Picture]) -> None:
    with one_thread():
        model = Captioner(replace(spec("speaker", blip, batch_size=2, max_new_tokens=6), weights_sha256=""))
        asked = [("", picture) for picture in pictures] + [("the moon is", pictures[0])]
        together = model.say(asked)
        alone = [model.say([one])[0] for one in asked]

    assert together == alone
    assert all(set(words.split()) <= set(WORDS) for words in together)
    assert any(together)
    assert not together[-1].startswith("the moon is")


def test_vilt_says_which_words_meet_which_regions_the_same_each_time(
    vilt: Path, pictures: list[rivals.Picture]
) -> None:
    with one_thread():
        model = CrossEncoder(spec("cross", vilt))
        one, again = (model.word_regions("the red dog", pictures[0]) for _ in range(2))
        other = model.word_regions("the red dog", pictures[1])

    assert list(one.words) == ["the", "red", "dog"]
    assert {(len(rows), len(row)) for rows in one.maps for row in rows} == {(2, 2)}
    assert [max(max(row) for row in rows) for rows in one.maps] == [1, 1, 1]
    assert one == again != other


def test_transport_gives_every_word_and_every_patch_its_weight() -> None:
    torch.manual_seed(1)
    words, patches = torch.randn(3, 8, dtype=torch.double), torch.randn(5, 8, dtype=torch.double)
    words[1] = 10 * patches[4]

    plan = transport(words, patches)

    assert plan.sum(dim=0).tolist() == pytest.approx([1 / 5] * 5)
    assert plan.sum(dim=1).tolist() == pytest.approx([1 / 3] * 3, abs=1e-3)
    assert plan[1].argmax() == 4


def test_a_model_that_cannot_map_words_says_so(vilt: Path, pictures: list[rivals.Picture]) -> None:
    model = FakeCross(spec("cross", vilt))

    with pytest.raises(ValueError, match="cannot say which words meet which regions"):
        model.word_regions("a dog", pictures[0])


def test_a_model_that_answers_questions_reads_the_question(
    tmp_path: Path, pictures: list[rivals.Picture]
) -> None:
    with one_thread():
        model = Captioner(spec("speaker", save_blip(tmp_path, answers=True), batch_size=2, max_new_tokens=6))
        asked = [(prompt, picture) for prompt in ("is the moon red", "a dog") for picture in pictures]
        together = model.say(asked)
        alone = [model.say([one])[0] for one in asked]
        with pytest.raises(ValueError, match="nothing is asked"):
            model.say([("", pictures[0])])

    assert together == alone
    assert all(set(words.split()) <= set(WORDS) for words in together)
    assert len(set(together)) > 1
    assert model.preprocessing["architecture"] == "BlipForQuestionAnswering"


def test_a_model_is_asked_within_the_prompt_it_was_registered_with(
    blip: Path, pictures: list[rivals.Picture]
) -> None:
    own = replace(spec("speaker", blip, max_new_tokens=6), weights_sha256="")
    with one_thread():
        bare = Captioner(own).say([("the dog is red", pictures[0]), ("", pictures[0])])
        within = Captioner(replace(own, options={"prompt": "the {text} red", "max_new_tokens": 6}))
        asked = within.say([("dog is", pictures[0]), ("", pictures[0])])

    assert asked == bare
    assert within.preprocessing["prompt"] == "the {text} red"
    with pytest.raises(NotLoadable, match="no place for what is asked"):
        Captioner(replace(own, options={"prompt": "Answer!"}))
