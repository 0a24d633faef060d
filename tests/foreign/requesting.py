"""The requester's part where a page comes without a client: boto3, over HTTP."""

from dataclasses import dataclass
from typing import Any

from crowd.marketplace.questions import read_answers
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of, hit_input


@dataclass(frozen=True, kw_only=True)
class Review:
    """An assignment that was read and approved: whose it is, and its answers that are not empty."""

    worker_id: str
    status: str
    answers: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Requester:
    api: Any

    def post(self, question: str) -> str:
        hit_id: str = self.api.create_hit(**hit_input(Question=question))["HIT"]["HITId"]
        return hit_id

    def approve(self, hit_id: str) -> Review:
        """Approve the only assignment of the HIT, and read it."""
        (submitted,) = self.api.list_assignments_for_hit(HITId=hit_id)["Assignments"]
        self.api.approve_assignment(AssignmentId=submitted["AssignmentId"])
        approved = self.api.get_assignment(AssignmentId=submitted["AssignmentId"])["Assignment"]
        return Review(
            worker_id=approved["WorkerId"],
            status=approved["AssignmentStatus"],
            answers={name: "|".join(values) for name, values in read_answers(approved["Answer"]).items()},
        )


def requester_with(sites: Sites, credentials: Credentials) -> Requester:
    return Requester(api=client_of(sites, credentials))
