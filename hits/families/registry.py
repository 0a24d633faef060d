from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.functional import Promise

from hits.core.errors import CrowdError
from hits.families.abilities import AsksAnew, StatesJudgments, TakesFiles, UsesUp
from hits.families.interface import Purpose, TaskType

if TYPE_CHECKING:
    from hits.work.models.assignments import Assignment

_task_types: dict[str, TaskType] = {}
_measure_names: dict[str, str | Promise] = {}


def register(task_type: TaskType) -> None:
    """Register a task type. Called from its AppConfig.ready."""
    _task_types[task_type.key] = task_type


def get(key: str) -> TaskType:
    if key not in _task_types:
        raise CrowdError(f"There is no task {key}. Known: {', '.join(sorted(_task_types))}.")
    return _task_types[key]


def registered() -> dict[str, TaskType]:
    return dict(sorted(_task_types.items()))


def taking_files(key: str) -> TakesFiles | None:
    """Return the task if its items may come from a file, else None."""
    task: object = _task_types.get(key)
    return task if isinstance(task, TakesFiles) else None


def known_measures() -> list[str]:
    """Return the measures of all task types, which a bonus table may name."""
    return sorted({measure for task_type in _task_types.values() for measure in task_type.measures})


def name_measures(names: Mapping[str, str | Promise]) -> None:
    """Register plain names of measures; called from AppConfig.ready of whoever scores by them."""
    _measure_names.update(names)


def measure_name(measure: str) -> str:
    """Return the plain name of a measure; one that was given none is shown by its key."""
    return str(_measure_names.get(measure) or measure.replace("_", " "))


def judged_later() -> list[str]:
    """Return the tasks whose work is approved before it can be judged."""
    return [key for key, task_type in registered().items() if task_type.is_judged_later]


def offered() -> dict[str, TaskType]:
    """Return the tasks that a researcher may choose."""
    return {key: task_type for key, task_type in registered().items() if task_type.purpose != Purpose.HOUSE}


def roles() -> dict[str, list[str]]:
    """Return the roles of people who take part in studies, each with its tasks; a test gives no role."""
    found: dict[str, list[str]] = {}
    for key, task_type in registered().items():
        if task_type.purpose == Purpose.WORK:
            found.setdefault(task_type.role or task_type.name, []).append(key)
    return found


def side_roles() -> set[str]:
    """Return the roles whose tasks only ask about other work."""
    return {role for role, tasks in roles().items() if all(_task_types[task].is_side_work for task in tasks)}


def asks_anew(key: str) -> bool:
    return isinstance(_task_types.get(key), AsksAnew)


def mixes_attention(key: str) -> bool:
    """Whether attention items may be mixed into the pages of this task. A test has right answers anyway."""
    task: object = _task_types.get(key)
    is_work = isinstance(task, TaskType) and task.purpose == Purpose.WORK
    return is_work and isinstance(task, StatesJudgments) and task.mixes_attention


def uses_up(work: "Assignment") -> bool:
    """Whether the worker who opened this test, and did not submit it, has seen too much to begin again."""
    task = get(work.hit.batch.task)
    return isinstance(task, UsesUp) and task.uses_up(work)


def is_test(key: str) -> bool:
    return key in _task_types and _task_types[key].purpose == Purpose.TEST


def beside_work() -> list[str]:
    """Return the tasks that are no work for a study's data: tests, and pages that only pay a bonus."""
    return [key for key, task_type in registered().items() if task_type.purpose != Purpose.WORK]


def of_the_house() -> list[str]:
    """Return the tasks whose batches the system makes by itself."""
    return [key for key, task_type in registered().items() if task_type.purpose == Purpose.HOUSE]


def is_offered(key: str) -> bool:
    return key not in _task_types or _task_types[key].purpose != Purpose.HOUSE
