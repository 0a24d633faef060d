"""Who else has a say in who may work: rooms above register doors, and every entry goes through them all."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hits.identity.models.workers import Worker
    from hits.studies.models import Batch
    from hits.work.models.hits import HIT

_doors: list["Door"] = []


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Requirements as the Requester API takes them; and why a launch has to wait, with what to do."""

    requirements: Sequence[Mapping[str, Any]] = ()
    obstacles: Sequence[str] = ()
    # What is in no launch's way, and is seldom meant.
    warnings: Sequence[str] = ()


class Door(ABC):
    """What must hold of a worker before work begins, at the provider and here."""

    @abstractmethod
    def ask(self, batch: "Batch") -> "Asked":
        """What the provider is to ask of workers, beside the batch's own requirements."""

    @abstractmethod
    def refuse_entry(self, *, hit: "HIT", worker: "Worker", now: datetime) -> None:
        """Raises RuleBroken with a code and words for the worker. Holds the worker's row."""


def register(door: Door) -> None:
    """Called from an AppConfig.ready."""
    _doors.append(door)


def ask(batch: "Batch") -> Asked:
    """The batch's own requirements and those of every door, and whatever is in the way of a launch."""
    asked = [door.ask(batch) for door in _doors]
    return Asked(
        requirements=[*batch.requirements, *(row for one in asked for row in one.requirements)],
        obstacles=[words for one in asked for words in one.obstacles],
        warnings=[words for one in asked for words in one.warnings],
    )


def refuse_entry(*, hit: "HIT", worker: "Worker", now: datetime) -> None:
    for door in _doors:
        door.refuse_entry(hit=hit, worker=worker, now=now)
