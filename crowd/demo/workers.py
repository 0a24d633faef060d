"""Simulated workers, who see and do what a worker sees and does, one page after another."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from random import Random

from crowd.demo.browser import Browser, Form, Page
from crowd.demo.worker_sites import MarketplaceSite, WorkerSite


class SimulatedWorker(ABC):
    """A simulated worker whose answers depend on the seed and on the page. Families define the answers."""

    def __init__(
        self, *, number: int, seed: int, invitation: str, site: type[WorkerSite] = MarketplaceSite
    ) -> None:
        self.number = number
        self._seed = seed
        self._invitation = invitation
        self._frame = Browser()
        self._site = site(self._frame)

    def sign_in(self) -> None:
        self._site.sign_in(self._invitation)

    def take_turn(self, title: str = "") -> bool:
        """Do one HIT, from the list to the submission. False: there is nothing left for this worker.

        `title`: only of work that is called so.
        """
        question = self._site.accept(title)
        if question is None:
            return False
        form = question.form("/answer/")
        if form is None:
            self._site.give_back()
            return False
        self._site.hand_in(self._answer(question, form))
        return True

    @abstractmethod
    def _answer(self, question: Page, form: Form) -> Page:
        """Answer the question; return the page that says that the answer is saved."""

    def _chance(self, *about: str) -> Random:
        """A random generator of this worker's own."""
        return Random(":".join([str(self._seed), str(self.number), *about]))  # noqa: S311


def work_until_done(workers: Sequence[SimulatedWorker], *, seed: int) -> Iterator[int]:
    """Let workers take turns in a seeded order until none finds a HIT; yield who submitted, by number."""
    chance = Random(seed)  # noqa: S311
    active = list(workers)
    while active:
        chance.shuffle(active)
        for worker in list(active):
            if worker.take_turn():
                yield worker.number
            else:
                active.remove(worker)
