"""One function per operation of the service, found by its name: create_hit answers CreateHIT."""

from crowd.marketplace.operations import assignments, bonuses, hits, requester
from crowd.marketplace.operations.registry import OPERATIONS, Call

__all__ = ["OPERATIONS", "Call", "assignments", "bonuses", "hits", "requester"]
