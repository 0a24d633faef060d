"""Who else has a say in who may work: rooms above register policies, and every entry is put to them all."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hits.identity.models.workers import Worker
    from hits.studies.models import Batch
    from hits.work.models.hits import HIT

_policies: list["EntryPolicy"] = []


@dataclass(frozen=True, kw_only=True)
class PlatformRequirements:
    """Requirements as the Requester API takes them; and why a launch has to wait, with what to do."""

    requirements: Sequence[Mapping[str, Any]] = ()
    obstacles: Sequence[str] = ()
    # What is in no launch's way, and is seldom meant.
    warnings: Sequence[str] = ()


class EntryPolicy(ABC):
    """What must hold of a worker before work begins, at the provider and here."""

    @abstractmethod
    def ask(self, batch: "Batch") -> "Asked":
        """What the provider is to ask of workers, beside the batch's own requirements."""

    @abstractmethod
    def refuse_entry(self, *, hit: "HIT", worker: "Worker", now: datetime) -> None:
        """Raises RuleBroken with a code and words for the worker. Holds the worker's row."""


def register(policy: EntryPolicy) -> None:
    """Called from an AppConfig.ready."""
    _policies.append(policy)


def ask(batch: "Batch") -> PlatformRequirements:
    """The batch's own requirements and those of every policy, and whatever is in the way of a launch."""
    asked = [policy.ask(batch) for policy in _policies]
    return PlatformRequirements(
        requirements=[*batch.requirements, *(row for one in asked for row in one.requirements)],
        obstacles=[words for one in asked for words in one.obstacles],
        warnings=[words for one in asked for words in one.warnings],
    )


def refuse_entry(*, hit: "HIT", worker: "Worker", now: datetime) -> None:
    for policy in _policies:
        policy.refuse_entry(hit=hit, worker=worker, now=now)
