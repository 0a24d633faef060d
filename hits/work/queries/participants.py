"""People who took part in a study, by role: those whose submitted work counts."""

from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import QuerySet

from hits import families
from hits.providers.capabilities import OF_PLAYERS
from hits.studies.models import Study
from hits.work.models.assignments import Assignment


def participants(study: Study) -> dict[str, set[int]]:
    """Return the workers of each role that anybody had, in the order of the tasks. Players are none."""
    rows = _counting_work().filter(hit__batch__study=study).values_list("hit__batch__task", "worker")
    by_role = _by_role(rows.order_by().distinct())
    return _without_side_work(by_role)


def roles_by_study(worker_id: int, *, studies: Collection[int] | QuerySet[Any]) -> dict[int, Collection[str]]:
    """Return the roles that a worker has had, by study; `studies` are keys, or a query of keys."""
    rows = _counting_work().filter(worker=worker_id, hit__batch__study__in=studies)
    found: dict[int, list[tuple[str, int]]] = {}
    for study, task in rows.values_list("hit__batch__study", "hit__batch__task").order_by().distinct():
        found.setdefault(study, []).append((task, worker_id))
    return {study: _by_role(tasks).keys() for study, tasks in found.items()}


def _counting_work() -> Any:
    work = Assignment.objects.filter(status__in=Assignment.COUNTING, kept_out=False)
    return work.exclude(account__kind__in=OF_PLAYERS)


def _by_role(rows: Iterable[tuple[str, int]]) -> dict[str, set[int]]:
    by_task: dict[str, set[int]] = {}
    for task, worker_id in rows:
        by_task.setdefault(task, set()).add(worker_id)
    found = {
        role: set[int]().union(*(by_task.get(task, ()) for task in tasks))
        for role, tasks in families.roles().items()
    }
    return {role: workers for role, workers in found.items() if workers}


def _without_side_work(by_role: dict[str, set[int]]) -> dict[str, set[int]]:
    """Leave out those who were only asked about other work of the study, if there is other work."""
    side = families.side_roles()
    main = {role: workers for role, workers in by_role.items() if role not in side}
    return main or by_role
