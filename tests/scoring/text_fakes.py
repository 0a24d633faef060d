"""Language models without weights: their answers follow from the questions, and they count their calls."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from scoring import rivals
from scoring.rivals import registry
from scoring.rivals.masked import Word, WordProbability
from tests.scoring.fakes import WEIGHTS


@dataclass(frozen=True, kw_only=True)
class FakePart:
    word: str
    part: str
    tag: str


class FakeText(rivals.LoadedModel):
    """A model with `words` by prompt, best first; other prompts have no words. `down` stops it."""

    kind = "masked"
    calls: list[tuple[str, int]] = []
    words: dict[str, Sequence[str]] = {}
    chances: dict[str, float] = {}
    # Parts of speech by word; other words are nouns.
    parts: dict[str, str] = {}
    down = ""

    def __init__(self, spec: rivals.Spec) -> None:
        super().__init__(spec)
        if self.down:
            raise rivals.WeightsMissing(self.down)

    @property
    def weights_sha256(self) -> str:
        return self.spec.weights_sha256 or WEIGHTS

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        versions = {"pipeline": "paper", "version": "1.2", "spacy": "3.8"}
        return {"reads": "a dictionary", **(versions if self.spec.kind == "tagger" else {})}

    @property
    def device(self) -> str:
        return "paper"

    def top_words(self, prompts: Sequence[str], *, k: int) -> list[list[Word]]:
        self._called("top_words", prompts)
        return [
            [Word(text=word, probability=1 / (2 + place)) for place, word in enumerate(self._of(prompt)[:k])]
            for prompt in prompts
        ]

    def probabilities(
        self, questions: Sequence[tuple[str, Sequence[str]]], *, as_one_token: bool = False
    ) -> list[list[WordProbability]]:
        self._called("one token" if as_one_token else "probabilities", [prompt for prompt, _ in questions])
        way: Any = "one token" if as_one_token else "single"
        return [
            [
                WordProbability(word=word, probability=self._chance(prompt, word), pieces=1, way=way)
                for word in words
            ]
            for prompt, words in questions
        ]

    def perplexities(self, texts: Sequence[str]) -> list[float]:
        self._called("perplexities", texts)
        return [self.chances.get(text, float(len(text))) for text in texts]

    def parts_of_speech(self, questions: Sequence[tuple[str, int, int]]) -> list[FakePart]:
        self._called("parts", [text for text, _, _ in questions])
        words = [text[start:end] for text, start, end in questions]
        return [FakePart(word=word, part=self.parts.get(word, "NOUN"), tag="T") for word in words]

    def continuations(self, texts: Sequence[str]) -> list[str]:
        self._called("continuations", texts)
        return [" ".join(self._of(text)) for text in texts]

    def questions_about(self, texts: Sequence[str]) -> list[list[list[str]]]:
        """Ask what a text begins with, if it has a known beginning."""
        self._called("questions", texts)
        return [[["What is it?", word] for word in self._of(text)] for text in texts]

    def _of(self, prompt: str) -> Sequence[str]:
        return self.words.get(prompt, ())

    def _chance(self, prompt: str, word: str) -> float:
        return self.chances.get(f"{prompt} {word}", self.chances.get(word, math.exp(-len(word))))

    def _called(self, what: str, texts: Sequence[str]) -> None:
        if any("poison" in text for text in texts):
            raise ValueError("This is no sentence.")
        if any("crowded" in text for text in texts):
            raise RuntimeError("There is no room on the card.")
        self.calls.append((what, len(texts)))


def use_text_fakes(monkeypatch: pytest.MonkeyPatch) -> type[FakeText]:
    path = f"{__name__}:{FakeText.__name__}"
    monkeypatch.setattr(registry, "PATHS", {"masked": path, "causal": path, "tagger": path})
    monkeypatch.setattr(registry, "_loaded", {})
    monkeypatch.setattr(registry, "LIBRARIES", {})
    for name, value in (("calls", []), ("words", {}), ("chances", {}), ("parts", {}), ("down", "")):
        monkeypatch.setattr(FakeText, name, value)
    return FakeText
