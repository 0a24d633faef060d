from hits.errors import CrowdError
from hits.families.interface import TaskFamily

_families: dict[str, TaskFamily] = {}


def register(family: TaskFamily) -> None:
    """Called from the family's AppConfig.ready."""
    _families[family.key] = family


def get(key: str) -> TaskFamily:
    if key not in _families:
        raise CrowdError(f"There is no task {key}. Known: {', '.join(sorted(_families))}.")
    return _families[key]


def registered() -> dict[str, TaskFamily]:
    return dict(sorted(_families.items()))
