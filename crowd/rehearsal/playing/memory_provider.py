"""A provider in memory, with the places, the times and the decisions of a real one, and faults if wanted."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

from hits.core.errors import NothingDone, ProviderRefused, ProviderUnavailable
from hits.providers.gateway.interface import HITSpec, ProviderAssignment, ProviderBonus, ProviderHIT

BALANCE = Decimal(1_000_000)


@dataclass(kw_only=True)
class HeldHIT:
    """A HIT as the provider keeps it."""

    external_id: str
    token: UUID
    spec: HITSpec
    places: int
    expires_at: datetime
    pending: int = 0
    is_seen: bool = False
    works: dict[str, ProviderAssignment] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """What a marketplace lists as one row: HITs of one title and reward."""
        return f"{self.spec.title} {self.spec.reward}"

    @property
    def free(self) -> int:
        return self.places - self.pending - len(self.works)

    def shown(self, *, now: datetime) -> ProviderHIT:
        undecided = sum(work.status == "Submitted" for work in self.works.values())
        return ProviderHIT(
            external_id=self.external_id,
            annotation=self.spec.annotation,
            status=self._status(now),
            max_assignments=self.places,
            available=self.free,
            pending=self.pending,
            completed=len(self.works) - undecided,
            hit_type_id="REHEARSED",
            expires_at=self.expires_at,
        )

    def _status(self, now: datetime) -> str:
        if self.free > 0 and now < self.expires_at:
            return "Assignable"
        if self.pending:
            return "Unassignable"
        return "Reviewing" if self.is_seen else "Reviewable"


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """One acceptance of a HIT by a worker."""

    external_id: str
    hit: HeldHIT
    worker: str
    at: datetime


class MemoryProvider:
    """A provider of a rehearsal's process. Its clock is the rehearsal's."""

    def __init__(self, *, now: datetime, throttled: float = 0, chance: Random | None = None) -> None:
        self.now = now
        self.hits: dict[str, HeldHIT] = {}
        self.bonuses: dict[UUID, tuple[str, ProviderBonus]] = {}
        # How often a call was refused or its answer lost.
        self.refused = self.unanswered = 0
        self._by_token: dict[UUID, str] = {}
        self._hit_of: dict[str, str] = {}
        # HITs with a free place by their groups, in the order in which workers meet them.
        self._open: defaultdict[str, dict[str, HeldHIT]] = defaultdict(dict)
        self._qualifications: dict[str, str] = {}
        self._numbers = count(1)
        self._throttled = throttled
        self._chance = chance or Random(0)  # noqa: S311 - a rehearsal's chance is no secret

    # What workers do.

    def offers(self, *, without: set[str]) -> dict[str, HeldHIT]:
        """The next HIT of each group that a worker can accept, leaving out those met before."""
        firsts = ((group, self._first(hits, without)) for group, hits in self._open.items())
        return {group: hit for group, hit in firsts if hit}

    def _first(self, hits: dict[str, HeldHIT], without: set[str]) -> HeldHIT | None:
        for key, hit in list(hits.items()):
            if self.now >= hit.expires_at or hit.free <= 0:
                del hits[key]
            elif key not in without:
                return hit
        return None

    def accept(self, hit: HeldHIT, *, worker: str) -> Accepted:
        hit.pending += 1
        accepted = Accepted(external_id=f"WORK{next(self._numbers)}", hit=hit, worker=worker, at=self.now)
        self._hit_of[accepted.external_id] = hit.external_id
        return accepted

    def give_back(self, accepted: Accepted) -> None:
        accepted.hit.pending -= 1
        self._reopen(accepted.hit)

    def submit(self, accepted: Accepted, *, answer: str) -> None:
        hit = accepted.hit
        hit.pending -= 1
        hit.works[accepted.external_id] = ProviderAssignment(
            external_id=accepted.external_id,
            hit_external_id=hit.external_id,
            worker_external_id=accepted.worker,
            status="Submitted",
            accepted_at=accepted.at,
            submitted_at=self.now,
            answers={"answer": answer},
            auto_approves_at=self.now + timedelta(seconds=hit.spec.auto_approval_s),
        )

    def approve_by_clock(self) -> None:
        """Approve what nobody has decided on in time."""
        for hit in self.hits.values():
            for key, work in hit.works.items():
                due = work.auto_approves_at
                if work.status == "Submitted" and due and due <= self.now:
                    hit.works[key] = replace(work, status="Approved", approved_at=due)

    def heal(self) -> None:
        """End all faults."""
        self._throttled = 0

    def works(self) -> Iterator[ProviderAssignment]:
        for hit in self.hits.values():
            yield from hit.works.values()

    # What the gateway calls.

    def create_hit(self, spec: HITSpec, *, token: UUID) -> ProviderHIT:
        self._may_be_throttled()
        if token not in self._by_token:
            key = f"HIT{next(self._numbers)}"
            ends = self.now + timedelta(seconds=spec.lifetime_s)
            places = spec.max_assignments
            hit = HeldHIT(external_id=key, token=token, spec=spec, places=places, expires_at=ends)
            self.hits[key] = hit
            self._reopen(hit)
            self._by_token[token] = key
        self._may_lose_the_answer()
        return self.hits[self._by_token[token]].shown(now=self.now)

    def get_hit(self, external_id: str) -> ProviderHIT:
        self._may_be_throttled()
        return self._find(external_id).shown(now=self.now)

    def get_end_reason(self, external_id: str) -> str:
        return ""

    def expire_hit(self, external_id: str) -> None:
        self._may_be_throttled()
        self._find(external_id).expires_at = self.now

    def extend_hit(self, external_id: str, *, expires_at: datetime) -> None:
        self._may_be_throttled()
        hit = self._find(external_id)
        hit.expires_at = expires_at
        self._reopen(hit)

    def add_places(self, external_id: str, *, places: int, token: UUID) -> None:
        self._may_be_throttled()
        if token not in self._by_token:
            hit = self._find(external_id)
            hit.places += places
            self._reopen(hit)
            self._by_token[token] = external_id

    def mark_seen(self, external_id: str) -> None:
        self._find(external_id).is_seen = True

    def list_reviewable(self) -> Iterator[str]:
        shown = (hit.shown(now=self.now) for hit in self.hits.values())
        yield from [hit.external_id for hit in shown if hit.status == "Reviewable"]

    def list_hits(self) -> Iterator[ProviderHIT]:
        self._may_be_throttled()
        yield from [hit.shown(now=self.now) for hit in self.hits.values()]

    def list_assignments(self, hit_external_id: str) -> Iterator[ProviderAssignment]:
        self._may_be_throttled()
        yield from list(self._find(hit_external_id).works.values())

    def get_assignment(self, external_id: str) -> ProviderAssignment:
        self._may_be_throttled()
        work = self._find(self._hit_of.get(external_id, "")).works.get(external_id)
        if work is None:
            raise ProviderRefused("It was not submitted.", code="AssignmentDoesNotExist")
        return work

    def approve_assignment(self, external_id: str, *, feedback: str = "", override: bool = False) -> None:
        self._decide(external_id, status="Approved", approved_at=self.now)

    def reject_assignment(self, external_id: str, *, feedback: str, category: str = "") -> None:
        self._decide(external_id, status="Rejected", rejected_at=self.now)

    def send_bonus(
        self,
        *,
        assignment_external_id: str,
        worker_external_id: str,
        amount: Decimal,
        reason: str,
        token: UUID,
        prepared: str = "",
    ) -> None:
        self._may_be_throttled()
        bonus = ProviderBonus(
            assignment_external_id=assignment_external_id,
            worker_external_id=worker_external_id,
            amount=amount,
            reason=reason,
            granted_at=self.now,
        )
        self.bonuses.setdefault(token, (self._hit_of[assignment_external_id], bonus))
        self._may_lose_the_answer()

    def list_bonuses(self, *, hit_external_id: str) -> Iterator[ProviderBonus]:
        self._may_be_throttled()
        yield from [bonus for hit, bonus in self.bonuses.values() if hit == hit_external_id]

    def get_balance(self) -> Decimal:
        return BALANCE

    def find_qualification(self, *, mark: str) -> str | None:
        return next((key for key, name in self._qualifications.items() if name.endswith(f"[{mark}]")), None)

    def create_qualification(self, *, name: str, **_: Any) -> str:
        key = f"QUALIFICATION{next(self._numbers)}"
        self._qualifications[key] = name
        return key

    def _decide(self, external_id: str, **changes: Any) -> None:
        self._may_be_throttled()
        works = self._find(self._hit_of.get(external_id, "")).works
        if external_id not in works:
            raise ProviderRefused("It was not submitted.", code="AssignmentDoesNotExist")
        works[external_id] = replace(works[external_id], **changes)
        self._may_lose_the_answer()

    def _reopen(self, hit: HeldHIT) -> None:
        self._open[hit.group][hit.external_id] = hit

    def _find(self, external_id: str) -> HeldHIT:
        if external_id not in self.hits:
            raise ProviderRefused("There is no such HIT.", code="HITDoesNotExist")
        return self.hits[external_id]

    def _may_be_throttled(self) -> None:
        if self._throttled and self._chance.random() < self._throttled:
            self.refused += 1
            raise NothingDone("The provider is busy.")

    def _may_lose_the_answer(self) -> None:
        """What was asked for has been done by now; the caller does not hear of it."""
        if self._throttled and self._chance.random() < self._throttled:
            self.unanswered += 1
            raise ProviderUnavailable("The answer was lost.")
