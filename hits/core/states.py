"""The one function that moves a state machine: compare and swap; a lost race is a logged no-op."""

from collections.abc import Collection, Mapping
from typing import Any, Protocol

import structlog
from django.db.models import Model

from hits.common.bulk_writes import write_each

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


def move_each(model: type[Any], to: str, changes: Mapping[int, Mapping[str, Any]]) -> None:
    """Move rows of a model by their keys, each with its own changes to the same columns, in one statement.

    Rows that are in another state meanwhile stay as they are.
    """
    columns = list(next(iter(changes.values()), {}))
    rows = {key: (to, *(values[column] for column in columns)) for key, values in changes.items()}
    write_each(model=model, columns=["status", *columns], rows=rows, since={"status": sources_of(model, to)})
