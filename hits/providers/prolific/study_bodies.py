"""What is sent to Prolific to make a study: places, pay, times, codes, and who may come."""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from hits.core.domain.requirements import CHOSEN, FILTER, GROUP, RANGE
from hits.core.errors import ProviderRefused
from hits.providers.gateway.interface import HITSpec
from hits.providers.prolific.completion_codes import Code, codes_of

# Their names for what stands in the address are ours to choose; the values are Prolific's.
ENTRY = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
LONGEST_NAME = 120
LONGEST_ALLOWED_MIN = 24 * 60 - 1


def study_body(spec: HITSpec, *, project_id: str, blocked_group: str) -> dict[str, Any]:
    """Return the study. Raises ProviderRefused for a requirement that Prolific does not know."""
    if spec.secret is None:
        raise ProviderRefused("A study needs its own secret for its codes.", code="NoSecret")
    minutes = minutes_of(spec.estimated_s)
    return {
        "name": spec.title,
        "internal_name": internal_name(spec),
        "description": spec.description,
        "project": project_id,
        "metadata": spec.annotation,
        "external_study_url": f"{spec.question_url}{'&' if '?' in spec.question_url else '?'}{ENTRY}",
        "prolific_id_option": "url_parameters",
        "total_available_places": spec.max_assignments,
        "reward": cents(spec.reward),
        "estimated_completion_time": minutes,
        "maximum_allowed_time": allowed_minutes(minutes, duration_s=spec.duration_s),
        "completion_codes": [_code(code) for code in codes_of(spec.secret)],
        "filters": filters_of(spec.requirements, blocked_group=blocked_group),
        "device_compatibility": ["desktop", "tablet", "mobile"],
        "submissions_config": {"max_submissions_per_participant": 1, "max_concurrent_submissions": -1},
    }


def internal_name(spec: HITSpec) -> str:
    """The name that researchers see: it ends with our mark, by which the study is found again."""
    return f"{spec.title[: LONGEST_NAME - len(spec.annotation) - 3]} [{spec.annotation}]"


def annotation_in(name: str) -> str:
    """Our mark in an internal name; "" where there is none."""
    return name[name.rfind("[") + 1 : -1] if name.endswith("]") and "[" in name else ""


def minutes_of(seconds: int) -> int:
    return max(1, math.ceil(seconds / 60))


def allowed_minutes(expected: int, *, duration_s: int) -> int:
    """The most time for one visit: what the batch gives, but not less than Prolific asks for."""
    least = math.ceil(2 + 2 * expected + 2 * math.sqrt(expected))
    return min(LONGEST_ALLOWED_MIN, max(least, minutes_of(duration_s)))


def cents(amount: Decimal) -> int:
    """The amount in hundredths. Raises ProviderRefused for a part of one."""
    whole = amount * 100
    if whole != whole.to_integral_value():
        raise ProviderRefused(f"{amount} is not a whole number of cents.", code="NotCents")
    return int(whole)


def filters_of(requirements: Sequence[Mapping[str, Any]], *, blocked_group: str) -> list[dict[str, Any]]:
    """Return the filters that keep away whom we block and whom a gate does not let in."""
    kept: dict[str, list[str]] = {"participant_group_allowlist": [], "participant_group_blocklist": []}
    if blocked_group:
        kept["participant_group_blocklist"].append(blocked_group)
    chosen = [_filter(row) for row in requirements if FILTER in row]
    for row in requirements:
        if FILTER in row:
            continue
        where = "blocklist" if row.get("Comparator") == "DoesNotExist" else "allowlist"
        kept[f"participant_group_{where}"].append(group_in(row))
    groups = [{"filter_id": name, "selected_values": ids} for name, ids in kept.items() if ids]
    return [*groups, *chosen]


def _filter(row: Mapping[str, Any]) -> dict[str, Any]:
    if between := row.get(RANGE):
        return {"filter_id": row[FILTER], "selected_range": {"lower": between[0], "upper": between[1]}}
    return {"filter_id": row[FILTER], "selected_values": list(row[CHOSEN])}


def group_in(row: Mapping[str, Any]) -> str:
    kind = str(row.get("QualificationTypeId", ""))
    if not kind.startswith(GROUP):
        raise ProviderRefused(
            "Prolific knows no such requirement: it has no countries, records or Masters of the Requester "
            "API. Take it off the batch, and choose Prolific's own filters for its study there.",
            code="UnknownRequirement",
        )
    return kind.removeprefix(GROUP)


def _code(code: Code) -> dict[str, Any]:
    action: dict[str, Any] = {"action": "MANUALLY_REVIEW"}
    if code.return_reason:
        action = {"action": "REQUEST_RETURN", "return_reason": code.return_reason}
    return {
        "code": code.code,
        "code_type": code.ending.value,
        "actions": [action],
        "actor": "participant",
    }
