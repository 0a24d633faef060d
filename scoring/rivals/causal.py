"""Causal language models: how surprising a whole text is, and what they say after it."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM

from hits.core.errors import CrowdError
from scoring.rivals.interface import Spec
from scoring.rivals.masked import LanguageModel

# Of what is said after a text, which is an answer or a sentence.
MOST_NEW_TOKENS = 60
GREEDY = {"do_sample": False, "num_beams": 1}


class LooksAhead(CrowdError):
    """Raised for a model that sees the tokens it predicts, so that its perplexities would mean nothing."""


class CausalModel(LanguageModel):
    """A model that reads a text from left to right, beginning with the tokenizer's BOS token if it has one.

    The first token read is given, not predicted. So with BOS every token of the text counts; without one the
    first token does not, and a text of one token has no perplexity.
    """

    kind = "causal"
    loader = AutoModelForCausalLM

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return {
            "reads": "a text",
            **super().preprocessing,
            "begins_with": self._tokenizer.bos_token,
            "perplexity": "exp of the mean negative log likelihood of the tokens after the first",
            "continuation": f"greedy, one line of at most {MOST_NEW_TOKENS} tokens",
        }

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self._check_blind()

    def perplexities(self, texts: Sequence[str]) -> list[float]:
        """Perplexities of the texts, in their order. Raises ValueError for a text with nothing to predict."""
        rows = [self._row(text) for text in texts]
        found = [0.0] * len(rows)
        for place, logits in self._passes(rows):
            found[place] = _perplexity(logits, rows[place])
        return found

    def continuations(self, texts: Sequence[str]) -> list[str]:
        """The line that follows each text, by the most probable token each time.

        Only texts of one length are read together: padding would change what is said. Raises ValueError for
        an empty text, and for one after which there is no room.
        """
        rows = [self._row(text, least=1) for text in texts]
        found = [""] * len(rows)
        for length in sorted({len(row) for row in rows}):
            alike = [place for place, row in enumerate(rows) if len(row) == length]
            for start in range(0, len(alike), self._batch_size):
                places = alike[start : start + self._batch_size]
                for place, said in zip(places, self._go_on([rows[one] for one in places]), strict=True):
                    found[place] = said
        return found

    def _go_on(self, rows: Sequence[Sequence[int]]) -> list[str]:
        length = len(rows[0])
        room = min(MOST_NEW_TOKENS, self._most_tokens - length)
        if room < 1:
            raise ValueError(f"A text has {length} tokens, and {self.spec.name} reads fewer: shorten it.")
        ids = torch.tensor(rows, device=self._device)
        with torch.inference_mode():
            whole = self._model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=room,
                pad_token_id=self._tokenizer.pad_token_id or self._tokenizer.eos_token_id or 0,
                **GREEDY,
            )
        said = self._tokenizer.batch_decode(whole[:, length:], skip_special_tokens=True)
        return [next(iter(words.strip().splitlines()), "").strip() for words in said]

    def _check_blind(self) -> None:
        """Raise LooksAhead for a masked model: transformers loads it as causal, but it reads both ways."""
        one, other = self._logits([[0, 1], [0, 2]])
        if not torch.allclose(one[0], other[0], rtol=1e-3, atol=1e-3):
            raise LooksAhead(f"{self.spec.name} knows what follows a token; fetch a causal language model.")

    def _row(self, text: str, *, least: int = 2) -> list[int]:
        begin = self._tokenizer.bos_token_id
        (ids,) = self._plain_ids([text])
        row = ids if begin is None else [begin, *ids]
        if not text.strip() or len(row) < least:
            raise ValueError(f"There is nothing to predict in {text!r}; give a text of two words or more.")
        self._check_length(text, row)
        return row


def _perplexity(logits: torch.Tensor, row: Sequence[int]) -> float:
    following = torch.tensor(row[1:], device=logits.device)
    return cross_entropy(logits[:-1].float(), following).double().exp().item()
