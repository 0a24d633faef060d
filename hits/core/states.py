"""The one function that moves a state machine: compare and swap; a lost race is a logged no-op."""

from collections.abc import Collection
from typing import Any, Protocol

import structlog
from django.db.models import Model

log = structlog.get_logger()


class Stateful(Protocol):
    TRANSITIONS: dict[Any, set[Any]]
    pk: Any
    status: str


def sources_of(model: type[Any], to: str) -> list[str]:
    return [source for source, targets in model.TRANSITIONS.items() if to in targets]


def move(row: Any, to: str, *, since: Collection[str] = (), **changes: Any) -> bool:
    """Move the row and return True if this call did it; the row's fields then hold the new values.

    `since` narrows the states it may come from: launching a draft is not resuming a pause.
    """
    model: type[Model] = type(row)
    sources = [source for source in sources_of(model, to) if not since or source in since]
    moved = model._default_manager.filter(pk=row.pk, status__in=sources).update(status=to, **changes)
    if not moved:
        log.info("state.move_lost", model=model.__name__, pk=row.pk, to=str(to))
        return False
    for name, value in {"status": to, **changes}.items():
        setattr(row, name, value)
    return True
