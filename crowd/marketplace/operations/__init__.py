"""One function per operation of the service, found by its name: create_hit answers CreateHIT."""

from crowd.marketplace.operations import (
    assignments,
    bonuses,
    hit_changes,
    hit_types,
    hits,
    notifications,
    policy_results,
    qualification_requests,
    qualification_types,
    qualifications,
    requester,
    uploads,
    workers,
)
from crowd.marketplace.operations.registry import OPERATIONS, Call

__all__ = [
    "OPERATIONS",
    "Call",
    "assignments",
    "bonuses",
    "hit_changes",
    "hit_types",
    "hits",
    "notifications",
    "policy_results",
    "qualification_requests",
    "qualification_types",
    "qualifications",
    "requester",
    "uploads",
    "workers",
]
