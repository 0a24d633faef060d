"""What this room shows on the page of a worker: the tests, and what the worker agreed to."""

from collections.abc import Mapping
from typing import Any

from hits.admin.people.worker_sections import WorkerSection, announce
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from qualifications.admin.finding_gates import ATTEMPTS, HOLDINGS, VIEW
from qualifications.queries.worker_tests import consents_for, find_tests

FOLDER = "admin/qualifications/people"


def _tests(worker: Worker, user: User) -> Mapping[str, Any]:
    return {"tests": find_tests(worker, user)}


def _consents(worker: Worker, user: User) -> Mapping[str, Any]:
    return {"consents": list(consents_for(worker, user))}


announce(
    WorkerSection(
        template=f"{FOLDER}/worker_tests.html", permissions=[VIEW, ATTEMPTS, HOLDINGS], context=_tests
    ),
    WorkerSection(
        template=f"{FOLDER}/worker_consents.html",
        permissions=["qualifications.view_consenttext"],
        context=_consents,
    ),
)
