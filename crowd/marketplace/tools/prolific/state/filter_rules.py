"""Who may take part in a study, by its filters."""

from collections.abc import Mapping, Sequence
from typing import Any

from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.entities import TAKING, Json, Participant, Study
from crowd.marketplace.tools.prolific.state.prolific_world import World

RANGES = {"age": (18, 100), "approval_rate": (0, 100), "approval_numbers": (0, 10_000)}
CHOICES = {
    "current-country-of-residence": {"0": "United Kingdom", "1": "United States", "2": "Ireland"},
    "first-language": {"0": "English", "1": "French", "2": "German", "3": "Spanish"},
    "fluent-languages": {"0": "English", "1": "French", "2": "German", "3": "Spanish"},
}
LISTS = (
    "participant_group_allowlist",
    "participant_group_blocklist",
    "previous_studies_allowlist",
    "previous_studies_blocklist",
    "custom_allowlist",
)


def all_filters() -> list[Json]:
    ranges = [
        {"filter_id": key, "title": _title(key), "type": "range", "min": low, "max": high, "choices": None}
        for key, (low, high) in RANGES.items()
    ]
    selects = [
        {"filter_id": key, "title": _title(key), "type": "select", "min": None, "max": None, "choices": some}
        for key, some in [*CHOICES.items(), *((name, None) for name in LISTS)]
    ]
    return [*ranges, *selects]


def check_filters(world: World, filters: Sequence[Json]) -> None:
    """Raises Refused if one is not known, or names what does not exist."""
    problems = [problem for one in filters if (problem := _problem_of(world, one))]
    if problems:
        raise Refused(400, {"filters": problems})


def is_eligible(world: World, study: Study, participant: Participant) -> bool:
    filters: list[Json] = study.fields["filters"]
    return all(_lets_in(world, one, participant) for one in filters)


def _title(key: str) -> str:
    return key.replace("_", " ").replace("-", " ").capitalize()


def _problem_of(world: World, one: Json) -> str | None:
    for word in ("and", "or"):
        if word in one:
            check_filters(world, one[word])
            return None
    key = one["filter_id"]
    if key in RANGES:
        return None if "selected_range" in one else f"{key} needs a selected_range."
    if key not in CHOICES and key not in LISTS:
        return f"{key} is not a filter."
    values = one.get("selected_values")
    if values is None:
        return f"{key} needs selected_values."
    unknown = [value for value in values if not _is_known(world, key, value)]
    return f"{key} has unknown values: {', '.join(unknown)}." if unknown else None


def _is_known(world: World, key: str, value: str) -> bool:
    if key in CHOICES:
        return value in CHOICES[key]
    if key.startswith("participant_group"):
        return value in world.groups and not world.groups[value].is_deleted
    if key.startswith("previous_studies"):
        return value in world.studies
    return True


def _lets_in(world: World, one: Json, participant: Participant) -> bool:
    if "and" in one:
        return all(_lets_in(world, part, participant) for part in one["and"])
    if "or" in one:
        return any(_lets_in(world, part, participant) for part in one["or"])
    key = str(one["filter_id"])
    if key in RANGES:
        return _is_within(one["selected_range"], participant.answers.get(key))
    if key in CHOICES:
        return _has_one_of(one["selected_values"], participant.answers.get(key))
    listed = any(_is_listed(world, key, value, participant) for value in one["selected_values"])
    return listed == key.endswith("allowlist")


def _is_within(selected: Mapping[str, float], answer: Any) -> bool:
    if answer is None:
        return False
    lower, upper = selected.get("lower", float("-inf")), selected.get("upper", float("inf"))
    return lower <= float(answer) <= upper


def _has_one_of(selected: Sequence[str], answer: Any) -> bool:
    given = answer if isinstance(answer, list) else [answer]
    return any(one in selected for one in given)


def _is_listed(world: World, key: str, value: str, participant: Participant) -> bool:
    if key.startswith("custom"):
        return value == participant.id
    if key.startswith("participant_group"):
        group = world.groups.get(value)
        return group is not None and not group.is_deleted and participant.id in group.participant_ids
    earlier = world.studies[value].submissions
    return any(one.participant is participant and one.status in TAKING for one in earlier)
