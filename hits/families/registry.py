from typing import TYPE_CHECKING

from hits.core.errors import CrowdError
from hits.families.abilities import AsksAnew, TakesFiles, UsesUp
from hits.families.interface import Purpose, TaskType

if TYPE_CHECKING:
    from hits.work.models.assignments import Assignment

_families: dict[str, TaskType] = {}


def register(family: TaskType) -> None:
    """Called from the family's AppConfig.ready."""
    _families[family.key] = family


def get(key: str) -> TaskType:
    if key not in _families:
        raise CrowdError(f"There is no task {key}. Known: {', '.join(sorted(_families))}.")
    return _families[key]


def registered() -> dict[str, TaskType]:
    return dict(sorted(_families.items()))


def taking_files(key: str) -> TakesFiles | None:
    """The task, if its items may come from a file."""
    task: object = _families.get(key)
    return task if isinstance(task, TakesFiles) else None


def known_measures() -> list[str]:
    """Of all families: what a bonus table may name."""
    return sorted({measure for family in _families.values() for measure in family.measures})


def judged_later() -> list[str]:
    """The tasks whose work is approved before it can be judged."""
    return [key for key, family in registered().items() if family.is_judged_later]


def offered() -> dict[str, TaskType]:
    """Those that a researcher may choose."""
    return {key: family for key, family in registered().items() if family.purpose != Purpose.HOUSE}


def asks_anew(key: str) -> bool:
    return isinstance(_families.get(key), AsksAnew)


def uses_up(work: "Assignment") -> bool:
    """Whether whoever opened this test, and did not hand it in, has seen too much to begin anew."""
    task = get(work.hit.batch.task)
    return isinstance(task, UsesUp) and task.uses_up(work)


def is_test(key: str) -> bool:
    return key in _families and _families[key].purpose == Purpose.TEST


def is_offered(key: str) -> bool:
    return key not in _families or _families[key].purpose != Purpose.HOUSE
