"""One run of a rehearsal: the real services, a provider in memory, simulated people, and one clock."""

import heapq
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import cast

from crowd.frame.opening_visits import open_visit
from crowd.frame.visit_authentication import Visit
from crowd.frame.visit_problems import Ineligible
from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.domain.simulated_people import SimulatedPerson, draw_people, draw_seconds
from crowd.rehearsal.interface import FamilyRehearsal, expected_item_s
from crowd.rehearsal.playing.memory_provider import Accepted, HeldHIT, MemoryProvider
from crowd.rehearsal.playing.paid_bonuses import approve_owed, are_open, pay_approved
from crowd.rehearsal.playing.process_deaths import Deaths
from hits.batches.services import batch_lifecycle
from hits.batches.services.launching import launch_batch
from hits.batches.services.sending_hits import send_launching_batches
from hits.core.errors import RuleBroken
from hits.families import Answer
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.payments.services.accrual import owe_bonuses
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.registry import speak_only_to
from hits.review.services import reviewing
from hits.studies.models import Batch
from hits.sync.services import push_decisions, reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.hits import HIT
from hits.work.services import leasing
from hits.work.services.poll_schedule import look_soon
from qualifications.models import Gate, Holding
from qualifications.services import gate_holdings, platform
from scoring.services.score_recording import judge_submitted

# How often the background looks; in between, work waits for it as it waits for a real one.
BEAT = timedelta(minutes=5)
LOOKS_AGAIN = timedelta(minutes=30)
# How often in a row somebody comes in vain before they look for other work.
MOST_IN_VAIN = 3
# Between two works of one person.
PAUSE_S = 5
# After so many rounds of payments, those that are left wait until the faults are over.
MOST_ROUNDS = 200
Status = Assignment.Status
Tell = Callable[[int, int], None]


@dataclass(kw_only=True)
class Standing:
    """How far a person has come."""

    met: set[str]
    has_come: bool = False
    works: int = 0
    in_vain: int = 0
    # Groups of HITs of which one had nothing for this person, until they look again later.
    vain: set[str] = field(default_factory=set)


class Stage:
    def __init__(
        self, batch: Batch, *, family: FamilyRehearsal, assumed: Assumptions, seed: int, now: datetime
    ) -> None:
        self.batch, self.family, self.assumed = batch, family, assumed
        follow_up = family.follow_up(batch)
        self.batches = [batch, *([follow_up] if follow_up else [])]
        self.began_at = self.now = now
        self.final_at: datetime | None = None
        self.chance = Random(seed)  # noqa: S311 - a rehearsal's chance is no secret
        self.provider = MemoryProvider(
            now=now,
            throttled=assumed.throttled / 100,
            chance=Random(seed + 1),  # noqa: S311
        )
        self.deaths = Deaths(assumed.killed / 100, chance=Random(seed + 2))  # noqa: S311
        self.events_lost = 0
        self.people = list(draw_people(assumed, chance=self.chance, now=now))
        self.standings = {person.number: Standing(met=set()) for person in self.people}
        # Why work could not begin or was not finished, and how often.
        self.refused: Counter[str] = Counter()
        self._queue: list[tuple[datetime, int, Callable[[], None]]] = []
        self._order = count()
        self._is_news = True

    def play(self, *, tell: Tell) -> None:
        """Launch, and let people come until all is final or the days are over."""
        speak_only_to(cast("Provider", self.provider))
        self._launch()
        for person in self.people:
            self._at(person.next_awake(person.comes_at), lambda person=person: self._look(person))  # type: ignore[misc]
        self._at(self.now, self._beat)
        ends = self.began_at + timedelta(days=self.assumed.most_days)
        wanted = self.family.unfinished(self.batch).count()
        while self._queue and self._queue[0][0] <= ends and self.final_at is None:
            self.now, _, act = heapq.heappop(self._queue)
            self.provider.now = self.now
            act()
            if act == self._beat:
                left = self.family.unfinished(self.batch).count()
                wanted = max(wanted, left)  # work makes more work
                tell(wanted - left, wanted)
                self._see_whether_final(left)
        self._settle()

    def _launch(self) -> None:
        platform.make_types(now=self.now)
        by = User.objects.create_user("rehearsal", is_staff=True, is_superuser=True)
        self.by = by
        self.approver = User.objects.create_user("approver", is_staff=True, is_superuser=True)
        self._give_gates()
        launch_batch(batch=self.batch, by=by, now=self.now, confirmed=True)
        self.family.begin(batch=self.batch, by=by)
        while self._send():
            self.batch.refresh_from_db()

    def _send(self) -> bool:
        send_launching_batches(now=self.now, clock=lambda: self.now)
        return HIT.objects.filter(batch__status=Batch.Status.LAUNCHING, status="intended").exists() and (
            self.assumed.throttled == 0
        )

    def _give_gates(self) -> None:
        gates = list(Gate.objects.filter(study=self.batch.study))
        opening = dict.fromkeys(
            (gate, batch.account) for batch in self.batches for gate in gates if batch.task in gate.opens
        )
        for person in self.people if opening else ():
            if person.passes_tests:
                for gate, account in opening:
                    worker = Worker.objects.known(account=account, external_id=person.name)
                    gate_holdings.note_value(
                        gate=gate, worker=worker, value=Holding.Value.PASSED, now=self.now
                    )

    # What people do.

    def _look(self, person: SimulatedPerson) -> None:
        """Accept the next HIT, and work on it; go home where the day, the work or the patience is over."""
        standing = self.standings[person.number]
        if standing.works >= person.most_works or standing.in_vain >= MOST_IN_VAIN:
            return
        if (awake := person.next_awake(self.now)) > self.now:
            self._at(awake, lambda: self._look(person))
            return
        standing.has_come = True
        hit = self._choose(standing)
        if hit is None:
            standing.in_vain += 1
            self._at(self.now + LOOKS_AGAIN, lambda: self._look(person))
            return
        standing.met.add(hit.external_id)
        self._begin(person, self.provider.accept(hit, worker=person.name))

    def _choose(self, standing: Standing) -> HeldHIT | None:
        """Choose one of the groups of HITs that a marketplace lists, another than one met in vain."""
        groups = self.provider.offers(without=standing.met)
        names = [name for name in groups if name not in standing.vain] or list(groups)
        if not names:
            standing.vain.clear()
            return None
        return groups[names[0] if len(names) == 1 else self.chance.choice(names)]

    def _begin(self, person: SimulatedPerson, accepted: Accepted) -> None:
        assignment = self._open(person, accepted)
        if assignment is None:
            self._give_back(person, accepted)
        elif self.chance.random() * 100 < self.assumed.gives_up:
            self.refused["given up by the worker"] += 1
            self._at(assignment.deadline_at, lambda: self._expire(accepted))
            self._next(person, after_s=PAUSE_S)
        else:
            batch = assignment.hit.batch
            usual_s = self._item_s(batch) * len(leasing.items_of(assignment))
            takes_s = draw_seconds(person, usual_s=usual_s, chance=self.chance)
            if takes_s >= batch.duration_s:
                self.refused["not ready when the time was over"] += 1
                self._at(assignment.deadline_at, lambda: self._expire(accepted))
                self._next(person, after_s=batch.duration_s)
            else:
                done_at = self.now + timedelta(seconds=takes_s)
                self._at(done_at, lambda: self._finish(person, accepted, assignment))

    def _item_s(self, batch: Batch) -> float:
        """Seconds for one item; in what follows as many more or fewer as its batch expects."""
        return self.assumed.item_s * expected_item_s(batch) / expected_item_s(self.batch)

    def _open(self, person: SimulatedPerson, accepted: Accepted) -> Assignment | None:
        """Open the work as the page does, and lease items; None if the worker may not, or nothing is left."""
        rows = HIT.objects.select_related("batch__account", "batch__study")
        # As the page's address names it: its id at the provider may not have reached us yet.
        hit = rows.get(token=accepted.hit.token)
        visit = Visit(
            hit=hit,
            assignment_id=accepted.external_id,
            worker_id=person.name,
            submit_to="",
            accepted_at=self.now,
            deadline_at=self.now + timedelta(seconds=hit.batch.duration_s),
        )
        try:
            assignment = self.deaths.served(lambda: self._serve(visit))
        except Ineligible as refusal:
            self.refused[str(refusal.code)] += 1
            return None
        if assignment is None:
            self.refused["nothing left for this worker"] += 1
        return assignment

    def _serve(self, visit: Visit) -> Assignment | None:
        assignment = open_visit(visit, now=self.now)
        return assignment if leasing.lease_items(assignment=assignment, now=self.now) else None

    def _give_back(self, person: SimulatedPerson, accepted: Accepted) -> None:
        standing = self.standings[person.number]
        standing.in_vain += 1
        standing.vain.add(accepted.hit.group)
        self._expire(accepted)
        self._next(person, after_s=PAUSE_S)

    def _expire(self, accepted: Accepted) -> None:
        self.provider.give_back(accepted)
        self._hear(accepted)

    def _finish(self, person: SimulatedPerson, accepted: Accepted, assignment: Assignment) -> None:
        items = leasing.items_of(assignment)
        answer = self.deaths.served(
            lambda: self.family.answer(
                assignment=assignment, items=items, person=person, chance=self.chance, now=self.now
            )
        )
        answer = leasing.family_of_batch(assignment.hit.batch).check_answer(answer=answer, items=items)
        try:
            self.deaths.served(lambda: self._save(assignment, answer))
        except RuleBroken as refusal:
            self.refused[refusal.code] += 1
        self.provider.submit(accepted, answer=json.dumps(answer))
        self._hear(accepted)
        standing = self.standings[person.number]
        standing.works, standing.in_vain = standing.works + 1, 0
        self._next(person, after_s=PAUSE_S)

    def _save(self, assignment: Assignment, answer: Answer) -> None:
        leasing.save_answer(assignment=assignment, answer=answer, now=self.now)

    def _next(self, person: SimulatedPerson, *, after_s: float) -> None:
        self._at(self.now + timedelta(seconds=after_s), lambda: self._look(person))

    def _hear(self, accepted: Accepted) -> None:
        """Hear the provider's event, unless it is lost: the look that is due anyway finds it later."""
        self._is_news = True
        if self.chance.random() * 100 < self.assumed.lost_events:
            self.events_lost += 1
        else:
            hits = HIT.objects.filter(external_id=accepted.hit.external_id)
            look_soon(hit_ids=list(hits.values_list("pk", flat=True)), now=self.now)

    # What the background does.

    def _beat(self) -> None:
        if self._is_news or self.now.minute < BEAT.seconds // 60:
            self._is_news = False
            self._sweep()
        self._at(self.now + BEAT, self._beat)

    def _sweep(self) -> None:
        """Run the sweeps once. Where the process dies in the middle, the next beat finds what it has left."""
        self.provider.approve_by_clock()
        before = self.deaths.count
        with self.deaths.risked():
            self._run_sweeps()
        self._is_news |= self.deaths.count > before

    def _run_sweeps(self) -> None:
        while reconciling.reconcile(now=self.now) and not self.assumed.throttled:
            pass
        judge_submitted(now=self.now)
        self.family.sweep(now=self.now)
        self._review()
        self._release_pilots()
        while push_decisions.approve_judged(now=self.now) and not self.assumed.throttled:
            pass
        push_decisions.send_decisions(now=self.now)
        owe_bonuses(now=self.now)
        # A batch that has grown and a pilot that was released send their HITs at once.
        send_launching_batches(now=self.now, clock=lambda: self.now)

    def _review(self) -> None:
        by_hand = [batch for batch in self.batches if batch.review_by == Batch.Review.HAND]
        if not by_hand:
            return
        waited = self.now - timedelta(hours=self.assumed.review_h)
        decided = Decision.objects.values("assignment")
        ripe = Assignment.objects.filter(
            hit__batch__in=by_hand, status=Status.SUBMITTED, submitted_at__lte=waited
        )
        for work in ripe.exclude(pk__in=decided).order_by("pk"):
            reviewing.decide(assignment=work, kind=Decision.Kind.APPROVE, by=self.by, now=self.now)

    def _release_pilots(self) -> None:
        held = Batch.objects.filter(pk__in=[batch.pk for batch in self.batches], pilot_hits__gt=0)
        for batch in held.filter(launched_at__isnull=False, pilot_released_at=None).order_by("pk"):
            self._release_pilot(batch)

    def _release_pilot(self, batch: Batch) -> None:
        """Release a pilot once its places are filled or over, and a person has had the time to look."""
        pilot = HIT.objects.filter(batch=batch, number__lte=batch.pilot_hits)
        looked_at = self.now - timedelta(hours=self.assumed.review_h)
        works = Assignment.objects.filter(hit__in=pilot, submitted_at__lte=looked_at)
        is_over = pilot.filter(expires_at__gt=looked_at).count() == 0 and pilot.exists()
        if is_over or works.count() >= sum(pilot.values_list("max_assignments", flat=True)):
            batch_lifecycle.release_pilot(batch=batch, by=self.by, now=self.now)

    def _see_whether_final(self, left: int) -> None:
        if left == 0 and self.final_at is None:
            self.final_at = self.now

    def _settle(self) -> None:
        """Let the background finish what people have left to it: with the faults first, and then without."""
        self._wait(hours=self.assumed.review_h, minutes=1)
        if self.assumed.has_faults:
            self._sweep()
            self._pay()
        self._heal()
        for _ in range(4):
            self._wait(minutes=10)
            reconciling.reconcile_everything(now=self.now)
            self._sweep()
        if self.assumed.has_faults:
            self._pay()

    def _heal(self) -> None:
        self.provider.heal()
        self.deaths.end()

    def _pay(self) -> None:
        """Pay what is owed, as far as the faults allow in so many rounds."""
        approve_owed(preparer=self.by, approver=self.approver, now=self.now)
        rounds = 0
        while are_open() and rounds < MOST_ROUNDS:
            self._wait(minutes=6)
            pay_approved(deaths=self.deaths, now=self.now)
            rounds += 1

    def _wait(self, *, hours: int = 0, minutes: int = 0) -> None:
        self.now += timedelta(hours=hours, minutes=minutes)
        self.provider.now = self.now

    def _at(self, at: datetime, act: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (at, next(self._order), act))
