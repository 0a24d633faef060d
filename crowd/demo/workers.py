"""Simulated workers, who see and do what a worker sees and does, one page after another."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from random import Random
from urllib.parse import urlencode

from crowd.demo.browser import Browser, Form, Page
from hits.core.errors import CrowdError


class SimulatedWorker(ABC):
    """A simulated worker whose answers depend on the seed and on the page. Families define the answers."""

    def __init__(self, *, number: int, seed: int, invitation: str) -> None:
        self.number = number
        self._seed = seed
        self._invitation = invitation
        self._site = Browser()
        self._frame = Browser()

    def sign_in(self) -> None:
        page = self._site.get(self._invitation)
        form = page.forms[0] if page.forms else None
        if form is None:
            raise CrowdError(f"The invitation of worker {self.number} was not accepted.")
        self._home = self._site.post(form).url

    def take_turn(self, title: str = "") -> bool:
        """Do one HIT, from the list to the submission. False: there is nothing left for this worker.

        `title`: only of work that is called so.
        """
        listed = f"{self._home}?{urlencode({'q': title})}" if title else self._home
        offer = self._site.get(listed).form("/accept/")
        if offer is None:
            return False
        work = self._site.post(offer)
        if not work.frames:
            return False
        question = self._frame.get(work.frames[0])
        form = question.form("/answer/")
        if form is None:
            self._site.post(_expect(work, "/return/"))
            return False
        saved = self._answer(question, form)
        handed_in = self._frame.post(_expect(saved, "/mturk/externalSubmit"))
        if handed_in.status != HTTPStatus.OK:
            raise CrowdError(f"Handing in was refused: {handed_in.status} {handed_in.url}")
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


def _expect(page: Page, ending: str) -> Form:
    form = page.form(ending)
    if form is None:
        raise CrowdError(f"{page.url} answered {page.status} without a form for {ending}.")
    return form
