from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from scoring.domain import best


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
    provenance: Mapping[str, str]


class Rival(ABC):
    name: ClassVar[str]

    @property
    @abstractmethod
    def provenance(self) -> Mapping[str, str]:
        """Which model, weights and prompt answer."""

    @abstractmethod
    def score(self, text: str, pictures: Sequence[Picture]) -> list[float]:
        """How well the text goes with each picture; higher is better."""

    def predict(self, text: str, pictures: Sequence[Picture], *, k: int) -> Prediction:
        scores = self.score(text, pictures)
        return Prediction(places=best(scores, k=k), scores=scores, provenance=self.provenance)
