"""Models that say words about a picture, such as BLIP: captions, answers, explanations."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForImageTextToText, AutoProcessor, BlipForQuestionAnswering
from transformers.utils import logging as transformers_logging

from scoring.rivals import weights
from scoring.rivals.devices import device_of, name_of
from scoring.rivals.interface import NotLoadable, Picture, Speaker, Spec
from scoring.rivals.picture_files import read_picture

BATCH_SIZE = 8
MOST_TOKENS = 60
# Where the words of a question stand in the option `prompt`.
ASKED = "{text}"
GREEDY = {"do_sample": False, "num_beams": 1}


class Captioner(Speaker):
    """A model of transformers that is given a picture and a text, loaded from a local folder only.

    It takes the most probable token each time, so that the same question has the same answer. Options:
    `prompt` (with {text}, around what it is asked), `max_new_tokens`, `device` and `batch_size`.
    """

    kind = "speaker"

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self._sha256 = weights.check(spec)
        self._device = device_of(spec.options)
        self._batch_size = int(spec.options.get("batch_size", BATCH_SIZE))
        self._template = str(spec.options.get("prompt", ASKED))
        if ASKED not in self._template:
            raise NotLoadable(
                f"The prompt of {spec.name} has no place for what is asked. Write {ASKED} there."
            )
        self._most_tokens = int(spec.options.get("max_new_tokens", MOST_TOKENS))
        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._processor = weights.load_processor(AutoProcessor, spec)
        called = "model that says words about pictures"
        model = weights.load_whole(_loader_of(spec), spec, called=called)
        self._model = model.to(self._device).eval()

    @property
    def weights_sha256(self) -> str:
        return self._sha256

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return {
            "reads": "a text and pixels",
            "architecture": type(self._model).__name__,
            "processor": type(self._processor).__name__,
            "prompt": self._template,
            "decoding": "greedy",
            "max_new_tokens": self._most_tokens,
        }

    @property
    def device(self) -> str:
        return name_of(self._device)

    def say(self, asked: Sequence[tuple[str, Picture]]) -> list[str]:
        """Ask together only what has the same prompt: padding would change what is said."""
        found = [""] * len(asked)
        for prompt in dict.fromkeys(prompt for prompt, _ in asked):
            places = [place for place, (one, _) in enumerate(asked) if one == prompt]
            for start in range(0, len(places), self._batch_size):
                batch = places[start : start + self._batch_size]
                words = self._say(prompt, [asked[place][1] for place in batch])
                for place, said in zip(batch, words, strict=True):
                    found[place] = said
        return found

    def _say(self, prompt: str, pictures: Sequence[Picture]) -> list[str]:
        images = [read_picture(picture, lambda image: image.convert("RGB")) for picture in pictures]
        if not prompt and isinstance(self._model, BlipForQuestionAnswering):
            raise ValueError(f"{self.spec.name} answers questions, and nothing is asked. It cannot describe.")
        prompt = self._template.replace(ASKED, prompt) if prompt else ""
        text = {"text": [prompt] * len(images)} if prompt else {}
        inputs = self._processor(images=images, return_tensors="pt", **text).to(self._device)
        with torch.inference_mode():
            tokens = self._model.generate(**inputs, **GREEDY, max_new_tokens=self._room_after(inputs))
        said = self._processor.batch_decode(tokens, skip_special_tokens=True)
        return [_without(prompt, " ".join(words.split())) for words in said]

    def _room_after(self, inputs: Mapping[str, Any]) -> int:
        """How many tokens may follow: a model has places for so many, those of the prompt among them."""
        config = getattr(self._model.config, "text_config", self._model.config)
        places = getattr(config, "max_position_embeddings", None)
        if not places:
            return self._most_tokens
        taken: int = inputs["input_ids"].shape[1] if "input_ids" in inputs else 1
        if taken >= places:
            raise ValueError(
                f"The prompt has {taken} tokens, and {self.spec.name} reads fewer than {places}."
            )
        return min(self._most_tokens, int(places) - taken)


def _loader_of(spec: Spec) -> Any:
    """The class of the model: those of BLIP that answer questions are in no list of transformers."""
    config = weights.load_processor(AutoConfig, spec)
    answers = BlipForQuestionAnswering.__name__ in (config.architectures or ())
    return BlipForQuestionAnswering if answers else AutoModelForImageTextToText


def _without(prompt: str, words: str) -> str:
    """What is said beyond the prompt, which some models repeat."""
    return words[len(prompt) :].lstrip() if prompt and words.lower().startswith(prompt.lower()) else words
