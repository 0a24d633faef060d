"""A rival without a model: its answers follow from the bytes it is given, and it counts what it computes."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from scoring import rivals
from scoring.models import RegisteredRival
from scoring.rivals import registry
from tests.factories import NOW

DIMENSIONS = 8
WEIGHTS = "f" * 64


class FakeRival(rivals.DualEncoder):
    """A rival that knows pictures by SHA-256, as CLIP does. It cannot read `broken` ones; `down` stops it."""

    kind = "clip"
    computed: list[str] = []
    broken: set[str] = set()
    down = False

    def __init__(self, spec: rivals.Spec) -> None:
        super().__init__(spec)
        if self.down:
            raise rivals.WeightsMissing("The weights are gone.")

    @property
    def weights_sha256(self) -> str:
        return self.spec.weights_sha256 or WEIGHTS

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return {"reads": "a digest"}

    @property
    def device(self) -> str:
        return "paper"

    def prompt(self, cue: str) -> str:
        return f"A {cue}"

    def key_of(self, picture: rivals.Picture) -> str:
        by_caption = self.spec.kind == "caption"
        return sha256(picture.caption.encode()).hexdigest() if by_caption else picture.sha256

    def embed_texts(self, prompts: Sequence[str]) -> rivals.Vectors:
        if "poison" in " ".join(prompts):
            raise RuntimeError("This word is too much.")
        if "nothing" in " ".join(prompts):
            return np.full((len(prompts), DIMENSIONS), np.nan, dtype=np.float32)
        self.computed.extend(prompts)
        return np.stack([_vector(prompt) for prompt in prompts])

    def embed_pictures(self, pictures: Sequence[rivals.Picture]) -> rivals.Vectors:
        if any(picture.sha256 in self.broken for picture in pictures):
            raise rivals.UnreadablePicture("This picture is broken. Put a whole one in its place.")
        self.computed.extend(picture.sha256 for picture in pictures)
        return np.stack([_vector(picture.sha256) for picture in pictures])


class FakeCross(rivals.Scorer):
    """A cross-encoder: it needs the file of a picture, and keeps nothing. `asked` has what it was given."""

    kind = "cross"
    asked: list[rivals.Pair] = []

    @property
    def weights_sha256(self) -> str:
        return self.spec.weights_sha256 or WEIGHTS

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return {"reads": "both together"}

    @property
    def device(self) -> str:
        return "paper"

    def prompt(self, cue: str) -> str:
        return f"Is it a {cue}?"

    def score_pairs(self, pairs: Sequence[rivals.Pair]) -> list[float]:
        self.asked.extend(pairs)
        return [_share(f"{text} {picture.sha256}") for text, picture in pairs]


class FakeSpeaker(rivals.Speaker):
    """A model that says the beginning of a picture's digest after the prompt. It cannot see `broken` ones."""

    kind = "speaker"
    broken: set[str] = set()

    @property
    def weights_sha256(self) -> str:
        return self.spec.weights_sha256 or WEIGHTS

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return {"reads": "a digest aloud"}

    @property
    def device(self) -> str:
        return "paper"

    def say(self, asked: Sequence[tuple[str, rivals.Picture]]) -> list[str]:
        if any(picture.sha256 in self.broken for _, picture in asked):
            raise rivals.UnreadablePicture("This picture is broken. Put a whole one in its place.")
        return [f"{prompt} {picture.sha256[:4]}".strip() for prompt, picture in asked]


def _share(text: str) -> float:
    return int.from_bytes(sha256(text.encode()).digest()[:4]) / 2**32


def _vector(text: str) -> rivals.Vectors:
    values = np.frombuffer(sha256(text.encode()).digest()[:DIMENSIONS], dtype=np.uint8).astype(np.float32)
    found: rivals.Vectors = values / np.linalg.norm(values)
    return found


def make_rival(name: str = "fake", *, weights: str = WEIGHTS, kind: str = "clip") -> RegisteredRival:
    return RegisteredRival.objects.create(
        name=name, kind=kind, model="fake", weights_sha256=weights, added_at=NOW
    )


def use_fakes(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    """Put the fake in the place of CLIP and the packaged model, with nothing remembered from other tests."""
    from scoring.services import embedding  # noqa: PLC0415 - numpy, where it is wanted

    path = f"{__name__}:{FakeRival.__name__}"
    others = {one.kind: f"{__name__}:{one.__name__}" for one in (FakeCross, FakeSpeaker)}
    monkeypatch.setattr(registry, "PATHS", {"clip": path, "caption": path, **others})
    monkeypatch.setattr(FakeCross, "asked", [])
    monkeypatch.setattr(FakeSpeaker, "broken", set())
    monkeypatch.setattr(registry, "_loaded", {})
    monkeypatch.setattr(embedding, "_memory", {})
    for name, value in (("computed", []), ("broken", set()), ("down", False)):
        monkeypatch.setattr(FakeRival, name, value)
    return FakeRival
