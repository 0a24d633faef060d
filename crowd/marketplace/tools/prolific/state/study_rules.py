"""What a study may say: checked when it is made, and whenever it changes."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.cost_rules import FLOORS, hourly_rate
from crowd.marketplace.tools.prolific.state.entities import Json, Study, Workspace
from crowd.marketplace.tools.prolific.state.filter_rules import check_filters
from crowd.marketplace.tools.prolific.state.prolific_world import World

PLACEHOLDERS = ("{{%PROLIFIC_PID%}}", "{{%STUDY_ID%}}", "{{%SESSION_ID%}}")
LONGEST_MINUTES = 24 * 60 - 1
DEFAULTS: Mapping[str, Any] = {
    "internal_name": "",
    "metadata": "",
    "external_study_url": None,
    "access_details": [],
    "completion_codes": [],
    "filters": [],
    "filter_set_id": None,
    "maximum_allowed_time": LONGEST_MINUTES,
    "device_compatibility": ["desktop", "tablet", "mobile"],
    "peripheral_requirements": [],
    "naivety_distribution_rate": None,
    "study_type": None,
    "submissions_config": {},
    "credential_pool_id": None,
    "is_external_study_url_secure": False,
}
SUBMISSIONS_CONFIG: Mapping[str, Any] = {
    "max_submissions_per_participant": 1,
    "max_concurrent_submissions": -1,
    "auto_rejection_categories": [],
}
PAYING_OTHERWISE = frozenset({"FIXED_SCREEN_OUT_PAYMENT", "DYNAMIC_PAYMENT"})
# What may change once a study is published.
CHANGEABLE = frozenset(
    {"internal_name", "total_available_places", "access_details", "submissions_config", "completion_codes"}
)
Problems = defaultdict[str, list[str]]


def fill_in(asked: Json) -> Json:
    """The fields of a study with what was left out."""
    fields = {**DEFAULTS, **asked}
    fields["submissions_config"] = {**SUBMISSIONS_CONFIG, **fields["submissions_config"]}
    fields.pop("project", None)
    return fields


def check_fields(world: World, workspace: Workspace, fields: Json) -> None:
    """Raises Refused with everything that is wrong, by field."""
    problems: Problems = defaultdict(list)
    _check_address(fields, problems)
    _check_times(fields, problems)
    _check_reward(fields, workspace, problems)
    _check_codes(world, fields, problems)
    if fields["filter_set_id"] is not None:
        problems["filter_set_id"].append("There is no such filter set.")
    pool = fields["credential_pool_id"]
    if pool is not None and pool not in world.credential_pools:
        problems["credential_pool_id"].append("There is no such pool of credentials.")
    if problems:
        raise Refused(400, dict(problems))
    check_filters(world, fields["filters"])


def check_published_change(study: Study, changes: Json) -> None:
    """Raises Refused for a change that a published study does not allow."""
    problems: Problems = defaultdict(list)
    for name in changes.keys() - CHANGEABLE:
        problems[name].append("This field can't be changed once the study is published.")
    if changes.get("total_available_places", study.places) < study.places:
        problems["total_available_places"].append("The number of places can only be increased.")
    if "access_details" in changes and not _only_adds(
        study.fields["access_details"], changes["access_details"]
    ):
        problems["access_details"].append("Addresses can only be added.")
    if "completion_codes" in changes and not _only_more_slots(study, changes["completion_codes"]):
        problems["completion_codes"].append("Only slots can be changed, and only upward.")
    if problems:
        raise Refused(400, dict(problems))


def least_allowed_time(minutes: int) -> float:
    return 2 + 2 * minutes + 2 * math.sqrt(minutes)


def actions_of(code: Json) -> list[Json]:
    return list(code.get("actions", []))


def action_of(code: Json, kind: str) -> Json | None:
    return next((action for action in actions_of(code) if action["action"] == kind), None)


def code_of(study: Study, entered: str | None) -> Json | None:
    codes: list[Json] = study.fields["completion_codes"]
    return next((code for code in codes if code["code"] == entered), None)


def _check_address(fields: Json, problems: Problems) -> None:
    url, details = fields["external_study_url"], fields["access_details"]
    if bool(url) == bool(details):
        problems["external_study_url"].append("Give either external_study_url or access_details.")
        return
    urls = [url] if url else [one["external_url"] for one in details]
    if fields["prolific_id_option"] == "url_parameters":
        missing = [word for word in PLACEHOLDERS if not all(word in one for one in urls)]
        if missing:
            problems["external_study_url"].append(f"The address lacks {', '.join(missing)}.")
    if details and sum(one["total_allocation"] for one in details) != fields["total_available_places"]:
        problems["access_details"].append("The allocations must sum up to total_available_places.")


def _check_times(fields: Json, problems: Problems) -> None:
    least = least_allowed_time(fields["estimated_completion_time"])
    if not least <= fields["maximum_allowed_time"] <= LONGEST_MINUTES:
        problems["maximum_allowed_time"].append(
            f"The maximum time must be at least {math.ceil(least)} minutes and less than 24 hours."
        )


def _check_reward(fields: Json, workspace: Workspace, problems: Problems) -> None:
    rate = hourly_rate(reward=fields["reward"], minutes=fields["estimated_completion_time"])
    floor = FLOORS[workspace.currency_code]
    if rate < floor:
        problems["reward"].append(f"The reward per hour is {rate}, less than the minimum of {floor}.")


def _check_codes(world: World, fields: Json, problems: Problems) -> None:
    codes = fields["completion_codes"]
    if not codes:
        problems["completion_codes"].append("A study needs a completion code.")
    if len({code["code"] for code in codes}) < len(codes):
        problems["completion_codes"].append("Each code must be unique within the study.")
    for code in codes:
        problems["completion_codes"].extend(_problems_of_code(world, code, reward=fields["reward"]))
    if not problems["completion_codes"]:
        del problems["completion_codes"]


def _problems_of_code(world: World, code: Json, *, reward: int) -> Iterable[str]:
    kinds = [action["action"] for action in actions_of(code)]
    if {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"} <= set(kinds):
        yield f"{code['code']} can't both approve automatically and be reviewed manually."
    if "AUTOMATICALLY_APPROVE" in kinds and PAYING_OTHERWISE.intersection(kinds):
        yield f"{code['code']} can't both approve automatically and pay otherwise."
    for action in actions_of(code):
        kind = action["action"]
        if kind.endswith("_PARTICIPANT_GROUP") and action.get("participant_group") not in world.groups:
            yield f"{kind} needs a participant_group that exists."
        if kind == "REQUEST_RETURN" and not action.get("return_reason"):
            yield "REQUEST_RETURN needs a return_reason."
        if kind == "FIXED_SCREEN_OUT_PAYMENT" and not 0 < action.get("fixed_screen_out_reward", 0) < reward:
            yield "fixed_screen_out_reward must be less than the reward."
        if kind == "FIXED_SCREEN_OUT_PAYMENT" and "slots" not in action:
            yield "FIXED_SCREEN_OUT_PAYMENT needs slots."
        if kind == "DYNAMIC_PAYMENT" and code.get("actor") != "researcher":
            yield "DYNAMIC_PAYMENT is for codes whose actor is the researcher."


def _only_adds(before: list[Json], after: list[Json]) -> bool:
    wanted = {one["external_url"]: one["total_allocation"] for one in after}
    return all(wanted.get(one["external_url"], 0) >= one["total_allocation"] for one in before)


def _only_more_slots(study: Study, after: list[Json]) -> bool:
    before: list[Json] = study.fields["completion_codes"]
    if [_without_slots(code) for code in before] != [_without_slots(code) for code in after]:
        return False
    pairs = zip(before, after, strict=True)
    return all(_slots(new) >= _slots(old) for old, new in pairs)


def _without_slots(code: Json) -> Json:
    actions = [{key: value for key, value in one.items() if key != "slots"} for one in actions_of(code)]
    return {**code, "actions": actions}


def _slots(code: Json) -> int:
    return sum(action.get("slots", 0) for action in actions_of(code))
