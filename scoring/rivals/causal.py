"""Causal language models: how surprising a whole text is."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM

from hits.core.errors import CrowdError
from scoring.rivals.interface import Spec
from scoring.rivals.masked import LanguageModel


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

    def _check_blind(self) -> None:
        """Raise LooksAhead for a masked model: transformers loads it as causal, but it reads both ways."""
        one, other = self._logits([[0, 1], [0, 2]])
        if not torch.allclose(one[0], other[0], rtol=1e-3, atol=1e-3):
            raise LooksAhead(f"{self.spec.name} knows what follows a token; fetch a causal language model.")

    def _row(self, text: str) -> list[int]:
        begin = self._tokenizer.bos_token_id
        (ids,) = self._plain_ids([text])
        row = ids if begin is None else [begin, *ids]
        if not text.strip() or len(row) < 2:
            raise ValueError(f"There is nothing to predict in {text!r}; give a text of two words or more.")
        self._check_length(text, row)
        return row


def _perplexity(logits: torch.Tensor, row: Sequence[int]) -> float:
    following = torch.tensor(row[1:], device=logits.device)
    return cross_entropy(logits[:-1].float(), following).double().exp().item()
