"""Cross-encoders: models that read a text and a picture together, such as ViLT. They keep no vectors."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from transformers import AutoConfig, AutoProcessor, BlipForImageTextRetrieval, ViltForImageAndTextRetrieval
from transformers.utils import logging as transformers_logging

from scoring.rivals import weights
from scoring.rivals.cue_prompts import WITH_ARTICLE, prompt_of, template_of
from scoring.rivals.devices import device_of, name_of
from scoring.rivals.interface import NotLoadable, NotNumbers, Pair, Picture, Scorer, Spec, WordRegions
from scoring.rivals.picture_files import read_picture
from scoring.rivals.word_regions import regions_of

BATCH_SIZE = 16
# By the type that the model's own description gives.
ARCHITECTURES: Mapping[str, Any] = {
    "vilt": ViltForImageAndTextRetrieval,
    "blip": BlipForImageTextRetrieval,
}


class CrossEncoder(Scorer):
    """A model with a head that says whether a text belongs to a picture, loaded from a local folder only.

    It is for one thread at a time. Options: `prompt` (with {cue}), `device` and `batch_size`.
    """

    kind = "cross"

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self._template = template_of(spec)
        self._sha256 = weights.check(spec)
        self._device = device_of(spec.options)
        self._batch_size = int(spec.options.get("batch_size", BATCH_SIZE))
        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._architecture = _architecture_of(spec)
        self._processor = weights.load_processor(AutoProcessor, spec)
        loader = ARCHITECTURES[self._architecture]
        self._model = weights.load_whole(loader, spec, called="cross-encoder").to(self._device).eval()

    @property
    def weights_sha256(self) -> str:
        return self._sha256

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return {
            "reads": "a text and pixels together",
            "architecture": type(self._model).__name__,
            "processor": type(self._processor).__name__,
            "score": "the logit of the head that says whether they belong together",
        }

    @property
    def provenance(self) -> Mapping[str, Any]:
        return {**super().provenance, "prompt": self._template or WITH_ARTICLE}

    @property
    def device(self) -> str:
        return name_of(self._device)

    def prompt(self, cue: str) -> str:
        return prompt_of(cue, self._template)

    def score_pairs(self, pairs: Sequence[Pair]) -> list[float]:
        scores = [score for batch in self._batches(pairs) for score in self._score(batch)]
        if not all(map(_is_number, scores)):
            raise NotNumbers(f"{self.spec.name} computes no numbers on {self.device}.")
        return scores

    def word_regions(self, text: str, picture: Picture) -> WordRegions:
        if self._architecture != "vilt":
            return super().word_regions(text, picture)
        return regions_of(self._model, self._processor.tokenizer, self._inputs_of([(text, picture)]))

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[Sequence[Pair]]:
        for start in range(0, len(pairs), self._batch_size):
            yield pairs[start : start + self._batch_size]

    def _score(self, pairs: Sequence[Pair]) -> list[float]:
        with torch.inference_mode():
            found = self._model(**self._inputs_of(pairs))
        return _logits_of(found, self._architecture)

    def _inputs_of(self, pairs: Sequence[Pair]) -> Any:
        return self._processor(
            images=[_pixels_of(picture) for _, picture in pairs],
            text=[text for text, _ in pairs],
            return_tensors="pt",
            padding=True,
            truncation=True,
        ).to(self._device)


def _pixels_of(picture: Picture) -> Any:
    return read_picture(picture, lambda image: image.convert("RGB"))


def _logits_of(found: Any, architecture: str) -> list[float]:
    """One logit for each pair. BLIP has two: that they do not belong together, and that they do."""
    is_one = architecture == "vilt"
    logits = found.logits[:, 0] if is_one else found.itm_score[:, 1] - found.itm_score[:, 0]
    values: list[float] = logits.double().tolist()
    return values


def _architecture_of(spec: Spec) -> str:
    config = weights.load_processor(AutoConfig, spec)
    if config.model_type not in ARCHITECTURES:
        raise NotLoadable(
            f"{spec.name} is a model of the type {config.model_type}. Cross-encoders that can be asked here "
            f"are of the types {', '.join(ARCHITECTURES)}, with a head for matching."
        )
    return str(config.model_type)


def _is_number(score: float) -> bool:
    return abs(score) != float("inf") and score == score  # noqa: PLR0124 - the only value unlike itself
