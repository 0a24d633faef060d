"""Taggers: the part of speech of a word in its sentence, and questions by rules, by a pipeline of spaCy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import spacy

from scoring.rivals import weights
from scoring.rivals.interface import LoadedModel, Spec
from scoring.rivals.question_rules import questions_of

# Parts of the pipeline that do not decide on parts of speech.
UNUSED = ("ner", "lemmatizer")


@dataclass(frozen=True, kw_only=True)
class TaggedWord:
    """A word as the tagger has read it: its universal part of speech and the finer tag behind that."""

    word: str
    part: str
    tag: str


class Tagger(LoadedModel):
    """A tagger that is loaded from a local folder only. It computes on the processor."""

    kind = "tagger"

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self._sha256 = weights.check(spec)
        try:
            self._pipeline = spacy.load(str(spec.path), exclude=UNUSED)
        except OSError as error:
            raise weights.WeightsMissing(f"{spec.name} is no pipeline of spaCy: {error}") from error
        if "tagger" not in self._pipeline.pipe_names:
            raise weights.WeightsMissing(f"The pipeline of {spec.name} has no tagger. Fetch one that has.")

    @property
    def weights_sha256(self) -> str:
        return self._sha256

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        meta = self._pipeline.meta
        return {
            "reads": "a sentence",
            "spacy": version("spacy"),
            "pipeline": f"{meta['lang']}_{meta['name']}",
            "version": meta["version"],
            "of_several_tokens": "the head of them",
        }

    @property
    def device(self) -> str:
        return "cpu"

    def parts_of_speech(self, questions: Sequence[tuple[str, int, int]]) -> list[TaggedWord]:
        """The word at these places of each text. Raises ValueError where there is none."""
        found = []
        for (text, start, end), document in zip(
            questions, self._pipeline.pipe(text for text, _, _ in questions), strict=True
        ):
            span = document.char_span(start, end, alignment_mode="expand")
            if span is None or not text[start:end].strip():
                raise ValueError(f"There is no word from {start} to {end} in {text!r}.")
            head = span.root
            found.append(TaggedWord(word=head.text, part=head.pos_, tag=head.tag_))
        return found

    def questions_about(self, texts: Sequence[str]) -> list[list[list[str]]]:
        """Make questions that each sentence answers, with their answers, by rules.

        Raises ValueError if the pipeline has no parser, by which the rules go.
        """
        if "parser" not in self._pipeline.pipe_names:
            raise ValueError(f"The pipeline of {self.spec.name} has no parser. Fetch one that has.")
        return [[list(one) for one in questions_of(document)] for document in self._pipeline.pipe(texts)]
