from collections.abc import Iterable, Mapping
from typing import Any

from crowd.marketplace.models import PolicyOutcome
from crowd.marketplace.operations.hits import find_hit
from crowd.marketplace.operations.pagination import page
from crowd.marketplace.operations.registry import Call, operation

LEVELS = {"Assignment": "AssignmentReviewReport", "HIT": "HITReviewReport"}


@operation
def list_review_policy_results_for_hit(call: Call) -> Mapping[str, Any]:
    hit = find_hit(call)
    levels = call.params.get("PolicyLevels") or list(LEVELS)
    rows = PolicyOutcome.objects.filter(hit=hit, level__in=levels)
    if call.params.get("RetrieveActions") is False:
        rows = rows.filter(is_action=False)
    if call.params.get("RetrieveResults") is False:
        rows = rows.filter(is_action=True)
    found = page(call, rows, name="outcomes", describe=lambda row: {"row": row})
    outcomes = [one["row"] for one in found["outcomes"]]
    return {
        "HITId": hit.external_id,
        "AssignmentReviewPolicy": hit.assignment_review_policy,
        "HITReviewPolicy": hit.hit_review_policy,
        **{LEVELS[level]: _report(row for row in outcomes if row.level == level) for level in levels},
        "NextToken": found["NextToken"],
    }


def _report(outcomes: Iterable[PolicyOutcome]) -> Mapping[str, Any]:
    rows = list(outcomes)
    return {
        "ReviewResults": [_describe_result(row) for row in rows if not row.is_action],
        "ReviewActions": [_describe_action(row) for row in rows if row.is_action],
    }


def _describe_result(row: PolicyOutcome) -> Mapping[str, Any]:
    return {
        "ActionId": row.external_id,
        "SubjectId": row.subject_id,
        "SubjectType": row.subject_type,
        "QuestionId": row.question or None,
        "Key": row.key,
        "Value": row.value,
    }


def _describe_action(row: PolicyOutcome) -> Mapping[str, Any]:
    failed = row.value != "Succeeded"
    return {
        "ActionId": row.external_id,
        "ActionName": row.key,
        "TargetId": row.subject_id,
        "TargetType": row.subject_type,
        "Status": row.value,
        "CompleteTime": row.created_at,
        "Result": "" if failed else row.note,
        "ErrorCode": row.note if failed else None,
    }
