"""Policies on who may work: rooms above register them, and every entry is checked by all of them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hits.identity.models.workers import Worker
    from hits.studies.models import Batch
    from hits.work.models.hits import HIT

_policies: list["EntryPolicy"] = []


@dataclass(frozen=True, kw_only=True)
class PlatformRequirements:
    """Requirements as the Requester API takes them, and why a launch has to wait, with what to do."""

    requirements: Sequence[Mapping[str, Any]] = ()
    # What requirements of qualifications that we gave mean to a person, by the type's id.
    meanings: Mapping[str, str] = field(default_factory=dict)
    obstacles: Sequence[str] = ()
    # Conditions that stop no launch but are seldom intended.
    warnings: Sequence[str] = ()


class EntryPolicy(ABC):
    """Policy on what must hold of a worker before work begins, at the provider and here."""

    # Whether it decides by what workers have said about themselves: staff are not told of its refusals.
    is_personal = False
    # Its refusals as clauses for staff, by their codes: "they have not taken the test that opens it".
    staff_words: Mapping[str, str] = {}

    @abstractmethod
    def ask(self, batch: "Batch") -> "PlatformRequirements":
        """Return what the provider is to ask of workers beside the batch's own requirements."""

    @abstractmethod
    def refuse_entry(self, *, hit: "HIT", worker: "Worker", now: datetime) -> None:
        """Raise RuleBroken, with words for the worker, if entry is refused. The worker's row is locked."""


def register(policy: EntryPolicy) -> None:
    """Register a policy. Called from an AppConfig.ready."""
    _policies.append(policy)


def ask(batch: "Batch") -> PlatformRequirements:
    """Return the batch's own requirements with those of every policy, and every obstacle to a launch."""
    asked = [policy.ask(batch) for policy in _policies]
    return PlatformRequirements(
        requirements=[*batch.requirements, *(row for one in asked for row in one.requirements)],
        meanings={kind: words for one in asked for kind, words in one.meanings.items()},
        obstacles=[words for one in asked for words in one.obstacles],
        warnings=[words for one in asked for words in one.warnings],
    )


def refuse_entry(*, hit: "HIT", worker: "Worker", now: datetime, for_staff: bool = False) -> None:
    """Raise RuleBroken by the first policy that refuses entry. `for_staff`: personal ones are not asked."""
    for policy in _policies:
        if not (for_staff and policy.is_personal):
            policy.refuse_entry(hit=hit, worker=worker, now=now)


def words_for_staff(code: str) -> str:
    """The refusal as a clause for staff; "" where no policy has one, and what workers read has to do."""
    return next((policy.staff_words[code] for policy in _policies if code in policy.staff_words), "")
