"""Models that learn: a classifier on made-up vectors, and a masked model of a few kilobytes."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from scoring.rivals.masked import MaskedModel
from scoring.rivals.masked_training import TrainableMaskedModel, TrainingPlan
from scoring.rivals.pair_classifier import PairClassifier
from tests.scoring.small_language_models import one_thread, save_bert, spec_of

pytestmark = pytest.mark.pure
PLAN = TrainingPlan(epochs=200, batch_size=2, learning_rate=1e-2, mask_share=0, seed=3)
EXAMPLES = [
    ("zeke says that the apple is [MASK].", "rotten"),
    ("the car is [MASK].", "hot"),
    ("the apple is not [MASK].", "inedible"),
]


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    with one_thread():
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_bert(tmp_path)
    return tmp_path


def vectors(rows: int, *, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    found = np.random.default_rng(seed).normal(size=(rows, 8)).astype(np.float32)
    unit: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = found / np.linalg.norm(
        found, axis=1, keepdims=True
    )
    return unit


def learned(seed: int) -> tuple[float, float, list[float]]:
    """Return how often a classifier is right about new pairs before and after it has learned, and its scores.

    A pair belongs together if the first numbers of both have one sign: no cosine knows that.
    """
    texts, pictures = vectors(1_200, seed=1), vectors(1_200, seed=2)
    labels = (texts[:, 0] * pictures[:, 0] > 0).astype(np.float32)
    classifier = PairClassifier(16, seed=seed, learning_rate=0.01)

    def right() -> float:
        found = np.array(classifier.scores(texts[1_000:], pictures[1_000:]))
        return float(((found > 0.5) == (labels[1_000:] == 1)).mean())

    before = right()
    for _ in range(60):
        for start in range(0, 1_000, 128):
            batch = slice(start, min(start + 128, 1_000))
            classifier.learn(texts[batch], pictures[batch], labels[batch])
    return before, right(), classifier.scores(texts[1_000:], pictures[1_000:])


def test_a_classifier_learns_what_it_could_not_know() -> None:
    before, after, _ = learned(seed=1)

    assert before < 0.65
    assert after > 0.85


def test_the_same_seed_gives_the_same_classifier_whatever_else_is_drawn() -> None:
    one = learned(seed=1)[2]
    torch.rand(7)

    assert learned(seed=1)[2] == one
    assert learned(seed=2)[2] != one


def test_the_classifier_is_the_published_one() -> None:
    layers = [str(layer) for layer in PairClassifier(1_024, seed=1, learning_rate=0.001)._layers]

    assert [layer.partition("(")[0] for layer in layers] == ["LayerNorm", "Linear", "ReLU", "Linear"]
    assert "in_features=1024, out_features=256" in layers[1]
    assert "in_features=256, out_features=1" in layers[3]


def test_its_scores_are_those_of_its_layers_counted_by_hand() -> None:
    texts, pictures = vectors(5, seed=3), vectors(5, seed=4)
    classifier = PairClassifier(16, seed=1, learning_rate=0.001)
    norm, first, _, second = (
        {name: value.detach().double().numpy() for name, value in layer.named_parameters()}
        for layer in classifier._layers
    )
    x = np.concatenate([pictures, texts], axis=1).astype(np.float64)
    x = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    x = x * norm["weight"] + norm["bias"]
    x = np.maximum(x @ first["weight"].T + first["bias"], 0) @ second["weight"].T + second["bias"]

    assert classifier.scores(texts, pictures) == pytest.approx(
        (1 / (1 + np.exp(-x[:, 0]))).tolist(), rel=1e-5
    )


def trained(folder: Path, plan: TrainingPlan) -> TrainableMaskedModel:
    model = TrainableMaskedModel(spec_of(folder, "masked"))
    for _ in model.train(EXAMPLES, plan):
        torch.rand(3)  # another model computes in between
    return model


def chances(model: MaskedModel) -> list[float]:
    asked = [(prompt, [word]) for prompt, word in EXAMPLES]
    return [words[0].probability for words in model.probabilities(asked)]


def test_a_masked_model_learns_outcomes_of_one_piece_and_of_several(folder: Path) -> None:
    before = chances(MaskedModel(spec_of(folder, "masked")))

    after = chances(trained(folder, replace(PLAN, epochs=2 * PLAN.epochs)))

    assert max(before) < 0.1
    assert min(after) > 0.8


def test_words_masked_at_random_teach_it_the_sentences(folder: Path) -> None:
    before = chances(MaskedModel(spec_of(folder, "masked")))

    after = chances(trained(folder, replace(PLAN, epochs=100, mask_share=0.3)))

    assert all(now > then for now, then in zip(after, before, strict=True))


def test_the_same_plan_gives_the_same_weights_and_another_seed_others(folder: Path) -> None:
    plan = replace(PLAN, epochs=2, mask_share=0.3)

    one, same, other = (chances(trained(folder, p)) for p in (plan, plan, replace(plan, seed=4)))

    assert one == same != other


def test_each_epoch_has_its_steps_and_the_last_of_them_says_so(folder: Path) -> None:
    model = TrainableMaskedModel(spec_of(folder, "masked"))

    assert list(model.train(EXAMPLES, replace(PLAN, epochs=2))) == [0, 1, 1, 2]
    assert model.steps_of(3, PLAN) == 2


def test_a_prompt_without_a_gap_or_too_long_cannot_be_read(folder: Path) -> None:
    model = TrainableMaskedModel(spec_of(folder, "masked"))

    assert model.can_read("the apple is [MASK].", ["red", "inedible"])
    assert not model.can_read("the apple is red.", ["red"])
    assert not model.can_read("very " * 40 + "[MASK].", ["red"])
    assert not model.can_read("the apple is [MASK].", [" "])
