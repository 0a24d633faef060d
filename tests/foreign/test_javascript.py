"""AWS's SDK for JavaScript, @aws-sdk/client-mturk, in the current version of its registry."""

from pathlib import Path
from typing import Any

import pytest

from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.foreign.driving import PROGRAMS, Client, environ_of
from tests.foreign.installing import install_node

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs_uv]


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_node(tmp_path_factory.mktemp("javascript"), "@aws-sdk/client-mturk")


@pytest.fixture
def program(node: Path, sites: Sites, credentials: Credentials, tmp_path: Path) -> Client:
    """A program directed to the marketplace by the environment alone."""
    return Client(
        command=[str(node), str(PROGRAMS / "javascript.cjs")],
        folder=node.parents[2],
        environ=environ_of(credentials, home=tmp_path, AWS_ENDPOINT_URL_MTURK=sites.marketplace),
    )


def request_error(code: str) -> dict[str, Any]:
    return {
        "name": "RequestError",
        "modelled": True,
        "code": f"AWS.MechanicalTurk.{code}",
        "status": 400,
    }


def other_error(kind: str, **body: Any) -> dict[str, Any]:
    return {"name": kind, "modelled": False, "status": 400, **body}


def test_javascript_with_the_endpoint_in_its_code(program: Client, sites: Sites) -> None:
    del_endpoint = {name: v for name, v in program.environ.items() if name != "AWS_ENDPOINT_URL_MTURK"}
    told = Client(command=program.command, folder=program.folder, environ=del_endpoint)

    assert told.run("balance", sites.marketplace) == {"AvailableBalance": "100.00"}


def test_javascript_posts_hits_and_pages_through_them(program: Client) -> None:
    report = program.run("hits")

    assert report == {
        "status": "Assignable",
        "reviewStatus": "NotReviewed",
        "title": "Which pictures?",
        "description": "Pick them – all of them.",
        "reward": "0.50",
        "counts": [3, 3, 0, 0],
        "lifetime": 3600,
        "requirements": [],
        "repeated": request_error("HitAlreadyExists"),
        "pages": [2, 2, 1, 0],  # its last HIT comes with a token, as the old service had it
        "different": 5,
        "listed": True,
        "missing": request_error("HITDoesNotExist"),
        "invalid": other_error("ValidationException"),
    }


def test_javascript_extends_expires_and_deletes_a_hit(program: Client) -> None:
    report = program.run("changes")

    assert report == {
        "again": request_error("InvalidParameterValue"),
        "extended": 3,
        "moved": 0,
        "early": request_error("InvalidHITState"),
        "expired": "Reviewable",
        "reviewable": [True],
        "reviewing": "Reviewing",
        "left": 0,
    }


def test_javascript_reviews_work(program: Client) -> None:
    report = program.run("review")

    assert report.pop("handed") == report.pop("workers")
    assert report == {
        "answered": True,
        "hidden": request_error("InvalidAssignmentState"),
        "twice": request_error("InvalidAssignmentState"),
        "rejected": ["Rejected", "Not quite.", True],
        "overridden": ["Approved", True],
        "completed": [2, 1],
        "balance": "98.50",
    }


def test_javascript_pays_tells_and_blocks_workers(program: Client) -> None:
    report = program.run("people")

    assert report == {
        "twice": request_error("InvalidParameterValue"),
        "paid": [["0.25", "All right.", True]],
        "failures": [["A1STRANGER0000", "HardFailure"]],
        "blocked": [[True, "Answers at random."]],
        "unblocked": 0,
        "unknown": other_error("ParameterValidationError", code="AWS.MechanicalTurk.InvalidParameterValue"),
    }


def test_javascript_grants_qualifications(program: Client) -> None:
    report = program.run("qualifications")

    assert report == {
        "status": "Active",
        "twice": request_error("QualificationTypeAlreadyExists"),
        "none": request_error("QualificationDoesNotExist"),
        "granted": [7, "Granted", True],
        "holders": [True],
        "found": [True],
        "guarded": [5],
        "hits": [True],
        "revoked": request_error("InvalidQualificationState"),
    }
