"""Masked language models that are trained further, on sentences of which a word is known to be right."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil

import torch
from torch import Tensor

from scoring.rivals.masked import MaskedModel

# A token that is masked at random becomes the mask, or else one of chance, or stays as it is.
AS_MASK, AS_CHANCE = 0.8, 0.9
LONGEST_GRADIENT = 1.0
IGNORED = -100
# Further apart than the steps of any run, so that no two runs share their chance.
APART = 1_000_003


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """The tokens of a whole sentence, and the places of the word that was asked for."""

    ids: Sequence[int]
    word: range


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """The numbers of a training. `mask_share` is a share of 1; 0 masks the word that was asked for alone."""

    epochs: int
    batch_size: int
    learning_rate: float
    mask_share: float
    seed: int


class TrainableMaskedModel(MaskedModel):
    """A masked model whose weights change here, so nobody else may use the same copy.

    It can be asked between any two steps. The same plan and sentences give the same weights on a processor,
    whatever else this process computes between the steps.
    """

    def can_read(self, prompt: str, words: Sequence[str]) -> bool:
        """Whether the model can be asked for these words in the prompt's gap."""
        try:
            for word in words:
                self._row(prompt, masks=len(self._target(word, as_one_token=False).ids))
        except ValueError:
            return False
        return True

    def train(self, examples: Sequence[tuple[str, str]], plan: TrainingPlan) -> Iterator[int]:
        """Train on prompts with the word that fills each; yield after each step how many epochs are whole.

        AdamW without decay, gradients of length 1 at most, and a rate that falls to 0 in a straight line.
        """
        sentences = [self._sentence(prompt, word) for prompt, word in examples]
        optimizer = torch.optim.AdamW(self._model.parameters(), lr=plan.learning_rate, weight_decay=0.0)
        steps = plan.epochs * self.steps_of(len(sentences), plan)
        rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / max(1, steps))
        step = 0
        for epoch in range(plan.epochs):
            for batch, is_last in _batches(len(sentences), plan, epoch=epoch):
                with self._chance_of(plan.seed * APART + step):
                    self._step([sentences[place] for place in batch], optimizer, plan)
                rate.step()
                step += 1
                yield epoch + is_last

    @staticmethod
    def steps_of(sentences: int, plan: TrainingPlan) -> int:
        """Return how many steps one epoch has."""
        return ceil(sentences / plan.batch_size)

    def _sentence(self, prompt: str, word: str) -> Sentence:
        ids = self._target(word, as_one_token=False).ids
        row = self._row(prompt, masks=len(ids))
        start = row.index(self._tokenizer.mask_token_id)
        return Sentence(
            ids=[*row[:start], *ids, *row[start + len(ids) :]], word=range(start, start + len(ids))
        )

    def _step(
        self, sentences: Sequence[Sentence], optimizer: torch.optim.Optimizer, plan: TrainingPlan
    ) -> None:
        ids, real = self._padded(sentences)
        hidden = self._hidden(sentences, ids, plan)
        if not hidden.any():
            return
        asked = self._covered(ids, hidden) if plan.mask_share else self._masked(ids, hidden)
        labels = ids.masked_fill(~hidden, IGNORED)
        self._model.train()
        loss = self._model(input_ids=asked, attention_mask=real, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), LONGEST_GRADIENT)
        optimizer.step()
        self._model.eval()

    def _padded(self, sentences: Sequence[Sentence]) -> tuple[Tensor, Tensor]:
        longest, pad = max(len(one.ids) for one in sentences), self._tokenizer.pad_token_id or 0
        ids = [[*one.ids, *[pad] * (longest - len(one.ids))] for one in sentences]
        real = [[1] * len(one.ids) + [0] * (longest - len(one.ids)) for one in sentences]
        return torch.tensor(ids, device=self._device), torch.tensor(real, device=self._device)

    def _hidden(self, sentences: Sequence[Sentence], ids: Tensor, plan: TrainingPlan) -> Tensor:
        """Return which tokens are to be found: some of chance, or those of the word that was asked for."""
        if not plan.mask_share:
            places = [[place in one.word for place in range(ids.shape[1])] for one in sentences]
            return torch.tensor(places, device=self._device)
        special = torch.tensor(self._tokenizer.all_special_ids, device=self._device)
        drawn = torch.rand(ids.shape).to(self._device) < plan.mask_share
        return drawn & ~torch.isin(ids, special)

    def _masked(self, ids: Tensor, hidden: Tensor) -> Tensor:
        return ids.masked_fill(hidden, self._tokenizer.mask_token_id)

    def _covered(self, ids: Tensor, hidden: Tensor) -> Tensor:
        """Return the tokens with the hidden ones masked, replaced by chance, or left."""
        drawn = torch.rand(ids.shape).to(self._device)
        others = torch.randint(len(self._tokenizer), ids.shape).to(self._device)
        masked = self._masked(ids, hidden & (drawn < AS_MASK))
        return torch.where(hidden & (drawn >= AS_MASK) & (drawn < AS_CHANCE), others, masked)

    @contextmanager
    def _chance_of(self, seed: int) -> Iterator[None]:
        """Random numbers of this step alone; those of the rest of the process go on as they were."""
        cards = [self._device] if self._device.type == "cuda" else []
        with torch.random.fork_rng(devices=cards):
            torch.manual_seed(seed)
            yield


def _batches(count: int, plan: TrainingPlan, *, epoch: int) -> Iterator[tuple[list[int], bool]]:
    """Yield the places of each batch of an epoch, in an order of its own, and whether it is the last."""
    chance = torch.Generator().manual_seed(plan.seed * APART + epoch)
    order = torch.randperm(count, generator=chance).tolist()
    for start in range(0, count, plan.batch_size):
        yield order[start : start + plan.batch_size], start + plan.batch_size >= count
