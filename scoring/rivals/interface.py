from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hits.core.errors import CrowdError
from scoring.domain import best, ranked

Vectors = NDArray[np.float32]


class UnreadablePicture(CrowdError):
    """A picture that a rival cannot see."""


class NotNumbers(CrowdError):
    """The model has computed what is no number. Nothing is judged by it."""


@dataclass(frozen=True, kw_only=True)
class Spec:
    """Which model, and where its weights lie. `weights_sha256` is what they must be; empty: not yet known."""

    name: str
    kind: str
    model: str = ""
    path: Path | None = None
    weights_sha256: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """All that a rival is told of a picture."""

    sha256: str
    path: str
    caption: str


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """The places the rival chose, with everything needed to hold it to its word."""

    places: Sequence[int]
    scores: Sequence[float]
    provenance: Mapping[str, Any]


class LoadedModel(ABC):
    """A model in this process, and what it takes to hold it to its word."""

    kind: ClassVar[str]

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    @property
    @abstractmethod
    def weights_sha256(self) -> str:
        """Of the weights as they were read."""

    @property
    @abstractmethod
    def preprocessing(self) -> Mapping[str, Any]:
        """Everything but the weights that decides what it says; plain JSON."""

    @property
    @abstractmethod
    def device(self) -> str:
        """Where it computes, in words: the card's name, or cpu."""

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Which model, weights and preprocessing answer."""
        return {
            "rival": self.spec.name,
            "kind": self.kind,
            "model": self.spec.model,
            "weights_sha256": self.weights_sha256,
            "preprocessing": self.preprocessing,
        }


class Rival(LoadedModel):
    """Texts and pictures as unit vectors in one space: how near they lie is the score."""

    @abstractmethod
    def prompt(self, cue: str) -> str:
        """What the model really reads."""

    @abstractmethod
    def key_of(self, picture: Picture) -> str:
        """A SHA-256 of what the model reads of a picture: equal keys have equal vectors."""

    @abstractmethod
    def embed_texts(self, prompts: Sequence[str]) -> Vectors:
        """One unit vector for each prompt, in their order."""

    @abstractmethod
    def embed_pictures(self, pictures: Sequence[Picture]) -> Vectors:
        """One unit vector for each picture, in their order. Raises UnreadablePicture."""

    def score(self, text: str, pictures: Sequence[Picture]) -> list[float]:
        """Of everything anew. Whoever keeps vectors calls `scores` on them."""
        return scores(self.embed_texts([self.prompt(text)])[0], self.embed_pictures(pictures))

    def rank(self, text: str, pictures: Sequence[Picture]) -> list[int]:
        """The places from the best to the worst; ties in the order shown."""
        return ranked(self.score(text, pictures))

    def predict(self, text: str, pictures: Sequence[Picture], *, k: int) -> Prediction:
        found = self.score(text, pictures)
        return Prediction(places=best(found, k=k), scores=found, provenance=self.provenance)


def scores(text: Vectors, pictures: Vectors) -> list[float]:
    """Cosines, each summed by itself in double precision: the same whatever stands beside it."""
    found: list[float] = (pictures.astype(np.float64) * text.astype(np.float64)).sum(axis=1).tolist()
    return found
