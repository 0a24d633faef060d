"""Simulated spymasters and solvers, who know pictures by their bytes and by what people say to them."""

import time
from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Any

from crowd.demo import workers
from crowd.demo.browser import Choice, Form, Page
from crowd.demo.worker_sites import MarketplaceSite, WorkerSite
from hits.core.errors import CrowdError

PATIENCE_S = 60
LOOK_S = 0.05
MOST_CHOSEN = 4


class SimulatedWorker(workers.SimulatedWorker):
    """A simulated worker whose answers depend only on seed, worker and item."""

    def __init__(
        self,
        *,
        number: int,
        seed: int,
        invitation: str,
        site: type[WorkerSite] = MarketplaceSite,
        concepts: Mapping[str, str],
        answers: Mapping[str, Collection[str]],
        diligence: float,
        tags: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        super().__init__(number=number, seed=seed, invitation=invitation, site=site)
        self._concepts = concepts
        self.answers = answers
        # Picks what does not belong, as somebody does who hardly looks.
        self.is_careless = False
        self._diligence = diligence
        self._tags = tags or {}
        self._seen: dict[str, str] = {}

    def _answer(self, question: Page, form: Form) -> Page:
        return self._invent(form) if form.ask else self._solve(question, form)

    def _solve(self, question: Page, form: Form) -> Page:
        picks: list[tuple[str, str]] = []
        for cue, k, (name, choices) in zip(question.cues, question.counts, _grouped(form), strict=True):
            picks += [(name, choice.value) for choice in self._pick(cue, choices, k=k)]
        return self._frame.post(form, picks)

    def _pick(self, cue: str, choices: list[Choice], *, k: int) -> list[Choice]:
        by_concept = {self._look_at(choice.picture): choice for choice in choices}
        chance = self._chance(cue)
        belong = self._belonging(cue, by_concept)
        others = sorted(set(by_concept) - set(belong))
        if self.is_careless:
            return [by_concept[concept] for concept in [*others, *belong][:k]]
        right = [*belong, *chance.sample(others, len(others))][:k]
        if chance.random() > self._diligence:
            right[chance.randrange(k)] = chance.choice(sorted(set(by_concept) - set(right)))
        return [by_concept[concept] for concept in right]

    def _belonging(self, cue: str, concepts: Collection[str]) -> list[str]:
        known = self.answers.get(cue) or [one for one in concepts if cue in self._tags.get(one, ())]
        return sorted(set(known) & set(concepts))

    def _invent(self, form: Form) -> Page:
        """Put words that several pictures share to the model one by one; the form only submits them."""
        used: set[str] = set()
        for slot, choices in _grouped(form):
            by_concept = {self._look_at(choice.picture): choice for choice in choices}
            cue, chosen = self._think_of(by_concept, used=used)
            used.add(cue)
            places = [("chosen", by_concept[concept].value) for concept in chosen]
            self._ask(form, [("slot", slot), ("cue", cue), *places])
        return self._frame.post(form)

    def _think_of(self, concepts: Collection[str], *, used: Collection[str]) -> tuple[str, list[str]]:
        """A word for two to four of the concepts; where none is left, for one of them and any other."""
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

    def _look_at(self, url: str) -> str:
        if url not in self._seen:
            self._seen[url] = self._concepts[sha256(self._frame.download(url)).hexdigest()]
        return self._seen[url]


def _grouped(form: Form) -> list[tuple[str, list[Choice]]]:
    names = dict.fromkeys(choice.name for choice in form.choices)
    return [(name, [choice for choice in form.choices if choice.name == name]) for name in names]
