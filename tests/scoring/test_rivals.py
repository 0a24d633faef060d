"""The packaged rival is real: it is loaded and asked."""

import pytest

from hits.errors import CrowdError
from scoring import rivals


def picture(caption: str) -> rivals.Picture:
    return rivals.Picture(sha256="", path="", caption=caption)


def test_minilm_finds_what_belongs_to_the_cue() -> None:
    captions = ["a bottle of wine", "a red fire engine", "a bunch of grapes", "a bicycle", "a pencil"]

    prediction = rivals.get("minilm").predict("vineyard", [picture(text) for text in captions], k=2)

    assert list(prediction.places) == [0, 2]


def test_minilm_says_the_same_twice_and_who_it_is() -> None:
    captions = ["a cat", "a dog", "a house"]

    first = rivals.get("minilm").predict("pet", [picture(text) for text in captions], k=2)
    second = rivals.get("minilm").predict("pet", [picture(text) for text in captions], k=2)

    assert first == second
    assert len(first.provenance["weights_sha256"]) == 64


def test_unknown_rival_names_the_known_ones() -> None:
    with pytest.raises(CrowdError, match="Known: minilm"):
        rivals.get("nobody")
