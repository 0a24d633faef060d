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
    """Raised for a picture that a rival cannot see."""


class NotLoadable(CrowdError):
    """Raised if the description, or the weights' file, makes no model that can be asked here."""


class NotNumbers(CrowdError):
    """Raised if a model has computed values that are no numbers; nothing is judged by them."""


@dataclass(frozen=True, kw_only=True)
class Spec:
    """The description of a model to load, with the place of its weights.

    `weights_sha256` is what they must be; empty: not yet known.
    """

    name: str
    kind: str
    model: str = ""
    path: Path | None = None
    weights_sha256: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture as a rival is given it."""

    sha256: str
    path: str
    caption: str


# A text as the model reads it, and a picture.
Pair = tuple[str, Picture]


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """The places that the rival chose, with everything needed to reproduce them."""

    places: Sequence[int]
    scores: Sequence[float]
    provenance: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class WordRegions:
    """Each word of a text has rows of a coarse grid over a picture, which say how much of it is there."""

    words: Sequence[str]
    maps: Sequence[Sequence[Sequence[float]]]


class LoadedModel(ABC):
    """A model loaded in this process, with everything needed to reproduce its answers."""

    kind: ClassVar[str]
    # A module of torch, where it is one.
    _model: Any = None

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    @property
    def parameters(self) -> int | None:
        """How many numbers the model has learned, shared ones once; None where they cannot be counted."""
        return None if self._model is None else sum(one.numel() for one in self._model.parameters())

    @property
    @abstractmethod
    def weights_sha256(self) -> str:
        """SHA-256 of the weights as they were read."""

    @property
    @abstractmethod
    def preprocessing(self) -> Mapping[str, Any]:
        """Everything but the weights that decides the model's answers; plain JSON."""

    @property
    @abstractmethod
    def device(self) -> str:
        """Where the model computes, in words: the card's name, or cpu."""

    @property
    def provenance(self) -> Mapping[str, Any]:
        """The model, weights and preprocessing that give the answers."""
        return {
            "rival": self.spec.name,
            "kind": self.kind,
            "model": self.spec.model,
            "weights_sha256": self.weights_sha256,
            "preprocessing": self.preprocessing,
        }


class Scorer(LoadedModel):
    """A model that says how well a text and a picture fit: the higher the score, the better."""

    @abstractmethod
    def prompt(self, cue: str) -> str:
        """The text that the model really reads for a cue."""

    @abstractmethod
    def score_pairs(self, pairs: Sequence[Pair]) -> list[float]:
        """One score for each text, as it is read, with its picture.

        Raises UnreadablePicture if one cannot be read.
        """

    def word_regions(self, text: str, picture: Picture) -> WordRegions:
        """Return which words of the text meet which regions of the picture.

        Raises ValueError for a model that cannot say so, and UnreadablePicture for a picture.
        """
        raise ValueError(f"{self.spec.name} cannot say which words meet which regions of a picture.")

    def score(self, cue: str, pictures: Sequence[Picture]) -> list[float]:
        prompt = self.prompt(cue)
        return self.score_pairs([(prompt, picture) for picture in pictures])

    def rank(self, cue: str, pictures: Sequence[Picture]) -> list[int]:
        """Places from the best to the worst; ties in the order shown."""
        return ranked(self.score(cue, pictures))

    def predict(self, cue: str, pictures: Sequence[Picture], *, k: int) -> Prediction:
        found = self.score(cue, pictures)
        return Prediction(places=best(found, k=k), scores=found, provenance=self.provenance)


class DualEncoder(Scorer):
    """A scorer that embeds texts and pictures apart, as unit vectors in one space; their cosine is the score.

    So a vector can be kept, and whoever keeps them scores without the model.
    """

    @abstractmethod
    def key_of(self, picture: Picture) -> str:
        """A SHA-256 of what the model reads of a picture: equal keys have equal vectors."""

    @abstractmethod
    def embed_texts(self, prompts: Sequence[str]) -> Vectors:
        """One unit vector for each prompt, in their order."""

    @abstractmethod
    def embed_pictures(self, pictures: Sequence[Picture]) -> Vectors:
        """One unit vector for each picture, in their order.

        Raises UnreadablePicture if one cannot be read.
        """

    def score_pairs(self, pairs: Sequence[Pair]) -> list[float]:
        """Scores with everything embedded again; a caller that keeps vectors calls `cosines` on them."""
        if not pairs:
            return []
        texts = self.embed_texts([text for text, _ in pairs])
        return cosines(texts, self.embed_pictures([picture for _, picture in pairs]))


class Speaker(LoadedModel):
    """A model that says words about a picture."""

    @abstractmethod
    def say(self, asked: Sequence[tuple[str, Picture]]) -> list[str]:
        """What it says to each prompt, which may be empty, and picture. The same input gives the same words.

        Raises UnreadablePicture if one cannot be read.
        """


def cosines(texts: Vectors, pictures: Vectors) -> list[float]:
    """Cosines, each summed separately in double precision: the same whatever else is in the batch.

    `texts` is one vector for all pictures, or one for each.
    """
    found: list[float] = (pictures.astype(np.float64) * texts.astype(np.float64)).sum(axis=1).tolist()
    return found
