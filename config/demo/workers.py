"""Simulated workers: they see what a worker sees, and do what a worker does, one page after another."""

import time
from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from http import HTTPStatus
from random import Random
from typing import Any

from config.demo.browser import Browser, Choice, Form, Page
from hits.errors import CrowdError

PATIENCE_S = 60
LOOK_S = 0.05
MOST_CHOSEN = 4


class SimulatedWorker:
    """Knows pictures by their bytes and what people say to them. Depends on seed, worker and item alone."""

    def __init__(
        self,
        *,
        number: int,
        seed: int,
        invitation: str,
        concepts: Mapping[str, str],
        answers: Mapping[str, Collection[str]],
        diligence: float,
        tags: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.number = number
        self._seed = seed
        self._invitation = invitation
        self._concepts = concepts
        self._answers = answers
        self._diligence = diligence
        self._tags = tags or {}
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
        saved = self._do(question)
        if saved is None:
            self._site.post(_expect(work, "/return/"))
            return False
        handed_in = self._frame.post(_expect(saved, "/mturk/externalSubmit"))
        if handed_in.status != HTTPStatus.OK:
            raise CrowdError(f"Handing in was refused: {handed_in.status} {handed_in.url}")
        return True

    def _do(self, question: Page) -> Page | None:
        """None where nothing is left for this worker."""
        form = question.form("/answer/")
        if form is None:
            return None
        return self._invent(form) if form.ask else self._answer(question, form)

    def _answer(self, question: Page, form: Form) -> Page:
        picks: list[tuple[str, str]] = []
        for cue, k, (name, choices) in zip(question.cues, question.counts, _grouped(form), strict=True):
            picks += [(name, choice.value) for choice in self._pick(cue, choices, k=k)]
        return self._frame.post(form, picks)

    def _pick(self, cue: str, choices: list[Choice], *, k: int) -> list[Choice]:
        by_concept = {self._look_at(choice.picture): choice for choice in choices}
        chance = self._chance(cue)
        belong = self._belonging(cue, by_concept)
        others = sorted(set(by_concept) - set(belong))
        right = [*belong, *chance.sample(others, len(others))][:k]
        if chance.random() > self._diligence:
            right[chance.randrange(k)] = chance.choice(sorted(set(by_concept) - set(right)))
        return [by_concept[concept] for concept in right]

    def _belonging(self, cue: str, concepts: Collection[str]) -> list[str]:
        known = self._answers.get(cue) or [one for one in concepts if cue in self._tags.get(one, ())]
        return sorted(set(known) & set(concepts))

    def _invent(self, form: Form) -> Page:
        """Words that several of the pictures share, each put to the model; the form only hands them in."""
        used: set[str] = set()
        for slot, choices in _grouped(form):
            by_concept = {self._look_at(choice.picture): choice for choice in choices}
            cue, chosen = self._think_of(by_concept, used=used)
            used.add(cue)
            places = [("chosen", by_concept[concept].value) for concept in chosen]
            self._ask(form, [("slot", slot), ("cue", cue), *places])
        return self._frame.post(form)

    def _think_of(self, concepts: Collection[str], *, used: Collection[str]) -> tuple[str, list[str]]:
        """A word for two to four of them; where none is left, for one of them and any other."""
        said = sorted({tag for concept in concepts for tag in self._tags.get(concept, ())} - set(used))
        fitting = [(cue, self._belonging(cue, concepts)) for cue in said if cue not in concepts]
        shared = [one for one in fitting if 2 <= len(one[1]) <= MOST_CHOSEN]
        chance = self._chance(*sorted(concepts), *sorted(used))
        if shared:
            return chance.choice(shared)
        cue, alone = chance.choice(fitting)
        return cue, [*alone, chance.choice(sorted(set(concepts) - set(alone)))]

    def _ask(self, form: Form, fields: list[tuple[str, str]]) -> None:
        state: dict[str, Any] = self._frame.call(form.ask, [*form.hidden, *fields])
        deadline = time.monotonic() + PATIENCE_S
        while state.get("state") == "waiting" and time.monotonic() < deadline:
            time.sleep(LOOK_S)
            state = self._frame.call(form.verdict, [*form.hidden, fields[0]])
        if state.get("state") not in ("answered", "late"):
            raise CrowdError(f"The model was not asked: {state.get('problem', state)}")

    def _chance(self, *about: str) -> Random:
        return Random(":".join([str(self._seed), str(self.number), *about]))  # noqa: S311

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


def _grouped(form: Form) -> list[tuple[str, list[Choice]]]:
    names = dict.fromkeys(choice.name for choice in form.choices)
    return [(name, [choice for choice in form.choices if choice.name == name]) for name in names]


def _expect(page: Page, ending: str) -> Form:
    form = page.form(ending)
    if form is None:
        raise CrowdError(f"{page.url} answered {page.status} without a form for {ending}.")
    return form
