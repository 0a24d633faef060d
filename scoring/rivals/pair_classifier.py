"""A classifier of pairs: whether a text and a picture belong together, learned from their frozen vectors."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from scoring.rivals.interface import Vectors

# The hidden layer is so much narrower than the two vectors beside each other.
NARROWER = 4


class PairClassifier:
    """Layer norm, one hidden layer and one output.

    It is so small that it computes on one thread of the processor, where several would wait for each other.
    So the same seed and the same batches give the same classifier, whatever the machine has.
    """

    def __init__(self, width: int, *, seed: int, learning_rate: float) -> None:
        """`width` is that of the two vectors beside each other."""
        hidden = width // NARROWER
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._layers = nn.Sequential(
                nn.LayerNorm(width), nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, 1)
            )
        self._optimizer = torch.optim.Adam(self._layers.parameters(), lr=learning_rate)
        self._loss = nn.BCEWithLogitsLoss()

    def learn(self, texts: Vectors, pictures: Vectors, labels: Vectors) -> float:
        """Take one step on a batch, and return the loss before it. A label is 1 for a pair that belongs."""
        with _one_thread():
            self._optimizer.zero_grad()
            loss = self._loss(self._outputs(texts, pictures), torch.from_numpy(labels))
            loss.backward()
            self._optimizer.step()
        return float(loss.item())

    def scores(self, texts: Vectors, pictures: Vectors) -> list[float]:
        """Return how surely each text and its picture belong together, from 0 to 1."""
        with _one_thread(), torch.inference_mode():
            found: list[float] = self._outputs(texts, pictures).double().sigmoid().tolist()
        return found

    def _outputs(self, texts: Vectors, pictures: Vectors) -> Tensor:
        beside = torch.cat([torch.from_numpy(pictures), torch.from_numpy(texts)], dim=1)
        outputs: Tensor = self._layers(beside).squeeze(1)
        return outputs


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
