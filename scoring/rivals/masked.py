"""Masked language models: which words fill a gap best, and how probable given ones are."""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

from scoring.rivals import weights
from scoring.rivals.devices import device_of, name_of
from scoring.rivals.interface import LoadedModel, NotNumbers, Spec

MASK = "[MASK]"
BATCH_SIZE = 32
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
UNUSED = re.compile(r"[\[<]unused[_ ]?\d+[\]>]")

Way = Literal["single", "pieces", "one token", "unknown"]


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word that may fill the gap, and its share of the whole vocabulary's probability."""

    text: str
    probability: float


@dataclass(frozen=True, kw_only=True)
class WordProbability:
    """A word's probability in the gap, how many pieces the tokenizer makes of it, and how it was scored.

    `single` and `pieces` are scored properly, `one token` and `unknown` were looked up as one token. Scored
    properly, a word with a piece that the vocabulary lacks is `unknown` too.
    """

    word: str
    probability: float
    pieces: int
    way: Way


@dataclass(frozen=True, kw_only=True)
class _Target:
    word: str
    pieces: int
    way: Way
    ids: tuple[int, ...]


class LanguageModel(LoadedModel):
    """A model that reads text alone, loaded from a local folder only; no code of the folder is run."""

    loader: ClassVar[Any]

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self._sha256 = weights.check(spec)
        self._device = device_of(spec.options)
        self._dtype = spec.options.get("dtype") or ("float16" if self._device.type == "cuda" else "float32")
        if self._dtype not in DTYPES:
            raise ValueError(f"There is no dtype {self._dtype} here. Take one of {', '.join(DTYPES)}.")
        self._batch_size = int(spec.options.get("batch_size", BATCH_SIZE))
        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._tokenizer: Any = AutoTokenizer.from_pretrained(
            spec.path, local_files_only=True, trust_remote_code=False
        )
        self._model = self._load_model()

    @property
    def weights_sha256(self) -> str:
        return self._sha256

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return {
            "tokenizer": type(self._tokenizer).__name__,
            "architecture": type(self._model).__name__,
            "dtype": self._dtype,
        }

    @property
    def device(self) -> str:
        return name_of(self._device)

    def _load_model(self) -> Any:
        called = f"{self.kind} language model"
        model = weights.load_whole(self.loader, self.spec, called=called, dtype=DTYPES[self._dtype])
        return model.to(self._device).eval()

    @cached_property
    def _most_tokens(self) -> int:
        """How many tokens the model can read at once."""
        positions = getattr(self._model.config, "max_position_embeddings", None)
        if not positions:
            return int(self._tokenizer.model_max_length)
        for name, table in self._model.named_modules():
            # RoBERTa and its kin count positions from after the padding's one.
            if name.endswith("position_embeddings") and getattr(table, "padding_idx", None) is not None:
                positions -= table.padding_idx + 1
        return int(min(positions, self._tokenizer.model_max_length))

    def _check_length(self, text: str, ids: Sequence[int]) -> None:
        if len(ids) > self._most_tokens:
            raise ValueError(
                f"This is {len(ids)} tokens long and {self.spec.name} reads {self._most_tokens} at most; "
                f"shorten it: {text!r:.200}"
            )

    def _plain_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of the texts without special tokens, also where a text spells one out."""
        if not texts:
            return []
        found: list[list[int]] = self._tokenizer(
            list(texts), add_special_tokens=False, split_special_tokens=True, verbose=False
        )["input_ids"]
        return found

    def _batches(self, rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Yield the places that share a pass, rows of like length together, so that little is padding."""
        by_length = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        for start in range(0, len(by_length), self._batch_size):
            yield by_length[start : start + self._batch_size]

    def _passes(self, rows: Sequence[Sequence[int]]) -> Iterator[tuple[int, torch.Tensor]]:
        """Yield each row's place and its logits."""
        for places in self._batches(rows):
            for place, logits in zip(places, self._logits([rows[place] for place in places]), strict=True):
                yield place, logits[: len(rows[place])]

    def _logits(self, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        """Logits of rows padded on the right, where padding moves no token; a mask marks the real tokens."""
        longest = max(len(row) for row in rows)
        pad = self._tokenizer.pad_token_id or 0
        ids = [[*row, *[pad] * (longest - len(row))] for row in rows]
        real = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
        with torch.inference_mode():
            logits: torch.Tensor = self._model(
                input_ids=torch.tensor(ids, device=self._device),
                attention_mask=torch.tensor(real, device=self._device),
            ).logits
        if logits.isnan().any():
            raise NotNumbers(
                f"{self.spec.name} computes no numbers in {self._dtype}. "
                "Register it with the option dtype: float32, or bfloat16."
            )
        return logits


class MaskedModel(LanguageModel):
    """A model that fills the one [MASK] of a prompt. A word is read as within a sentence, after a blank."""

    kind = "masked"
    loader = AutoModelForMaskedLM

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return {
            "reads": f"a prompt with one {MASK}",
            **super().preprocessing,
            "mask": self._tokenizer.mask_token,
            "word": " {word}",
            "normalisation": "geometric mean over the pieces, one mask for each, in one pass",
        }

    def top_words(self, prompts: Sequence[str], *, k: int) -> list[list[Word]]:
        """The k most probable whole words for each prompt's gap; ties in the vocabulary's order."""
        if not 0 < k <= len(self._words):
            raise ValueError(f"k must be from 1 to {len(self._words)}, the words known here; it is {k}.")
        gaps = sorted({(prompt, 1) for prompt in prompts})
        found = {
            prompt: words
            for some, logs in self._fill(gaps)
            for (prompt, _), words in zip(some, self._best(logs[:, 0], k=k), strict=True)
        }
        return [list(found[prompt]) for prompt in prompts]

    def probabilities(
        self, questions: Sequence[tuple[str, Sequence[str]]], *, as_one_token: bool = False
    ) -> list[list[WordProbability]]:
        """Probabilities of each word in its prompt's gap, in the order asked.

        A word of several pieces gets as many masks, and the geometric mean of the pieces' probabilities, each
        at its own mask. `as_one_token` is how published scores were computed: such a word is [UNK] to it.
        """
        target_of = {
            word: self._target(word, as_one_token=as_one_token)
            for word in {word for _, words in questions for word in words}
        }
        logs = self._mean_logs(
            {(prompt, target_of[word].ids) for prompt, words in questions for word in words}
        )
        return [
            [_scored(target_of[word], logs[prompt, target_of[word].ids]) for word in words]
            for prompt, words in questions
        ]

    def _target(self, word: str, *, as_one_token: bool) -> _Target:
        trimmed = word.strip()
        (ids,) = self._plain_ids([f" {trimmed}"])
        if not trimmed or not ids:
            raise ValueError(f"There is nothing to score in {word!r}; give a word.")
        unknown = self._tokenizer.unk_token_id
        if as_one_token and unknown is None:
            raise ValueError(f"{self.spec.name} has no token for the unknown; score its words properly.")
        if unknown in ids or (as_one_token and len(ids) > 1):
            asked = (unknown,) if as_one_token else tuple(ids)
            return _Target(word=trimmed, pieces=len(ids), way="unknown", ids=asked)
        way: Way = "one token" if as_one_token else "single" if len(ids) == 1 else "pieces"
        return _Target(word=trimmed, pieces=len(ids), way=way, ids=tuple(ids))

    def _mean_logs(
        self, asked: Collection[tuple[str, tuple[int, ...]]]
    ) -> dict[tuple[str, tuple[int, ...]], float]:
        """Mean log probabilities; one row of a pass serves all words of a prompt that have as many pieces."""
        sharing = defaultdict(list)
        for prompt, ids in sorted(asked):
            sharing[prompt, len(ids)].append(ids)
        found: dict[tuple[str, tuple[int, ...]], float] = {}
        for gaps, logs in self._fill(list(sharing)):
            for (prompt, masks), at_masks in zip(gaps, logs, strict=True):
                asked_ids = sharing[prompt, masks]
                picked = at_masks[torch.arange(masks), torch.tensor(asked_ids, device=self._device)]
                means = picked.double().mean(dim=1).tolist()
                found |= {(prompt, ids): mean for ids, mean in zip(asked_ids, means, strict=True)}
        return found

    def _fill(self, gaps: Sequence[tuple[str, int]]) -> Iterator[tuple[list[tuple[str, int]], torch.Tensor]]:
        """Yield, by pass, its prompts with their numbers of masks, and the log probabilities at each mask."""
        rows = [self._row(prompt, masks=masks) for prompt, masks in gaps]
        for places in self._batches(rows):
            some = [gaps[place] for place in places]
            logits = self._at_masks([rows[place] for place in places], most=max(masks for _, masks in some))
            yield some, logits.float().log_softmax(dim=-1)

    def _at_masks(self, rows: Sequence[Sequence[int]], *, most: int) -> torch.Tensor:
        """Logits at the first masks of each row, equally many for every row; those past its own are filling.

        The vocabulary is looked at nowhere else: the last layer is given these places alone. A model without
        such a layer computes every place, and they are picked afterwards.
        """
        firsts = torch.tensor([row.index(self._tokenizer.mask_token_id) for row in rows], device=self._device)
        lengths = torch.tensor([len(row) for row in rows], device=self._device)
        wanted = firsts[:, None] + torch.arange(most, device=self._device)
        wanted = torch.minimum(wanted, lengths[:, None] - 1)
        with _narrowed(self._model.get_output_embeddings(), wanted) as narrowed:
            logits = self._logits(rows)
        return logits if narrowed else _pick(logits, wanted)

    def _row(self, prompt: str, *, masks: int) -> list[int]:
        """Token ids of the prompt with so many masks.

        They are multiplied as tokens, since blanks between masks in the text could become tokens themselves.
        Raises ValueError unless the prompt holds [MASK] exactly once and no other special token.
        """
        if prompt.count(MASK) != 1:
            raise ValueError(f"A prompt holds {MASK} exactly once, where the word belongs: {prompt!r:.200}")
        # The blank before the gap belongs to the word: some tokenizers would keep it as a token.
        before, _, after = prompt.partition(MASK)
        text = f"{before.rstrip()}{self._tokenizer.mask_token}{after}"
        ids = self._tokenizer(text, verbose=False)["input_ids"]
        special = set(self._tokenizer.all_special_ids) - {self._tokenizer.unk_token_id}
        if sum(one in special for one in ids) != self._tokenizer.num_special_tokens_to_add() + 1:
            raise ValueError(
                f"But for one {MASK}, a prompt holds no special token of {self.spec.name}: {prompt!r:.200}"
            )
        gap = ids.index(self._tokenizer.mask_token_id)
        row = [*ids[:gap], *[self._tokenizer.mask_token_id] * masks, *ids[gap + 1 :]]
        self._check_length(prompt, row)
        return row

    def _best(self, logs: torch.Tensor, *, k: int) -> list[list[Word]]:
        """The k best words of each row.

        All that tie with the last one are compared, so that ties are in order.
        """
        of_words = logs[:, self._word_ids]
        least = of_words.topk(k, dim=-1).values[:, -1:]
        rows, places = (of_words >= least).nonzero(as_tuple=True)
        values = of_words[rows, places].tolist()
        found: list[list[tuple[float, int]]] = [[] for _ in logs]
        for row, place, value in zip(rows.tolist(), places.tolist(), values, strict=True):
            found[row].append((-value, place))
        return [
            [Word(text=self._texts[place], probability=math.exp(-value)) for value, place in sorted(one)[:k]]
            for one in found
        ]

    @cached_property
    def _texts(self) -> list[str]:
        return list(self._words.values())

    @cached_property
    def _word_ids(self) -> torch.Tensor:
        return torch.tensor(list(self._words), device=self._device)

    @cached_property
    def _words(self) -> dict[int, str]:
        """Words that may fill the gap, in the vocabulary's order: whole words longer than one character.

        A token is a whole word if its text, after a blank, is read as this token. So continuation pieces stay
        out whatever marks them: "##", or that "Ġ" or "▁" is lacking.
        """
        vocabulary = sorted(self._tokenizer.get_vocab().items(), key=lambda entry: entry[1])
        texts = {
            one: self._tokenizer.convert_tokens_to_string([token]).strip()
            for token, one in vocabulary
            if one < self._model.config.vocab_size and one not in self._tokenizer.all_special_ids
        }
        long = {one: text for one, text in texts.items() if len(text) > 1 and not UNUSED.fullmatch(text)}
        read = self._plain_ids([f" {text}" for text in long.values()])
        return {one: text for (one, text), ids in zip(long.items(), read, strict=True) if ids == [one]}


def _scored(target: _Target, log: float) -> WordProbability:
    return WordProbability(word=target.word, probability=math.exp(log), pieces=target.pieces, way=target.way)


def _pick(values: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """The wanted places of each row."""
    return values[torch.arange(len(wanted), device=values.device)[:, None], wanted]


@contextmanager
def _narrowed(layer: torch.nn.Module | None, wanted: torch.Tensor) -> Iterator[list[bool]]:
    """Within this context the layer sees the wanted places only; the yielded list fills once it did."""
    done: list[bool] = []

    def narrow(_: torch.nn.Module, given: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...] | None:
        if given[0].dim() != 3 or len(given[0]) != len(wanted):
            return None
        done.append(True)
        return (_pick(given[0], wanted), *given[1:])

    hook = layer.register_forward_pre_hook(narrow) if layer is not None else None
    try:
        yield done
    finally:
        if hook is not None:
            hook.remove()
