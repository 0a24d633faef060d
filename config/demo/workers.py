"""Simulated workers: they see what a worker sees, and do what a worker does, one page after another."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from http import HTTPStatus
from random import Random

from config.demo.browser import Browser, Choice, Form, Page
from hits.errors import CrowdError


class SimulatedWorker:
    """Knows pictures by their bytes and, mostly, the right answer. Depends on seed, worker and item alone."""

    def __init__(
        self,
        *,
        number: int,
        seed: int,
        invitation: str,
        concepts: Mapping[str, str],
        answers: Mapping[str, frozenset[str]],
        diligence: float,
    ) -> None:
        self.number = number
        self._seed = seed
        self._invitation = invitation
        self._concepts = concepts
        self._answers = answers
        self._diligence = diligence
        self._site = Browser()
        self._frame = Browser()
        self._seen: dict[str, str] = {}

    def sign_in(self) -> None:
        page = self._site.get(self._invitation)
        form = page.forms[0] if page.forms else None
        if form is None:
            raise CrowdError(f"The invitation of worker {self.number} was not accepted.")
        self._home = self._site.post(form).url

    def take_turn(self) -> bool:
        """One HIT, from the list to handing in. False: there is nothing left for this worker."""
        offer = self._site.get(self._home).form("/accept/")
        if offer is None:
            return False
        work = self._site.post(offer)
        if not work.frames:
            return False
        question = self._frame.get(work.frames[0])
        if not question.cues:
            self._site.post(_expect(work, "/return/"))
            return False
        saved = self._answer(question)
        handed_in = self._frame.post(_expect(saved, "/mturk/externalSubmit"))
        if handed_in.status != HTTPStatus.OK:
            raise CrowdError(f"Handing in was refused: {handed_in.status} {handed_in.url}")
        return True

    def _answer(self, question: Page) -> Page:
        form = _expect(question, "/answer/")
        picks: list[tuple[str, str]] = []
        fields = list(dict.fromkeys(choice.name for choice in form.choices))
        for cue, name in zip(question.cues, fields, strict=True):
            choices = [choice for choice in form.choices if choice.name == name]
            picks += [(name, choice.value) for choice in self._pick(cue, choices)]
        return self._frame.post(form, picks)

    def _pick(self, cue: str, choices: list[Choice]) -> list[Choice]:
        by_concept = {self._look_at(choice.picture): choice for choice in choices}
        right = sorted(self._answers[cue])
        wrong = sorted(set(by_concept) - set(right))
        chance = Random(f"{self._seed}:{self.number}:{cue}")  # noqa: S311
        if chance.random() > self._diligence:
            right[chance.randrange(len(right))] = chance.choice(wrong)
        return [by_concept[concept] for concept in right]

    def _look_at(self, url: str) -> str:
        if url not in self._seen:
            self._seen[url] = self._concepts[sha256(self._frame.download(url)).hexdigest()]
        return self._seen[url]


def work_until_done(workers: list[SimulatedWorker], *, seed: int) -> Iterator[int]:
    """Turns in a seeded order until nobody finds anything. Yields the number of whoever handed in."""
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
