"""Dallinger's MTurkService, which knows Amazon's addresses alone, through the proxy."""

from pathlib import Path

import pytest
from django.utils import timezone

from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.tools.tls_proxy.server import Proxy
from tests.crowd.marketplace.rows import post_hit
from tests.foreign.driving import PROGRAMS, Client, environ_of
from tests.foreign.installing import install_python, without

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs_uv]

# The only requirement that is replaced: it would need PostgreSQL's headers and a compiler.
COMPILED, READY = "psycopg2", "psycopg2-binary"


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_python(tmp_path_factory.mktemp("dallinger"), "dallinger", READY, instead=without(COMPILED))


@pytest.fixture
def environ(proxy: Proxy, credentials: Credentials, tmp_path: Path, sweeping: None) -> dict[str, str]:
    return environ_of(
        credentials, home=tmp_path, HTTPS_PROXY=proxy.url, AWS_CA_BUNDLE=str(proxy.authority.bundle)
    )


@pytest.fixture
def program(python: Path, environ: dict[str, str], tmp_path: Path) -> Client:
    command = [str(python), str(PROGRAMS / "dallinger_program.py")]
    return Client(command=command, folder=tmp_path, environ=environ)


def test_dallinger_asks_for_the_balance_of_either_environment(program: Client) -> None:
    assert program.run("account") == {
        "sandbox": [100.0, True],
        "production": 100.0,
        "wrong": "MTurkServiceException",
    }


def test_dallinger_makes_extends_lists_and_expires_hits(program: Client, credentials: Credentials) -> None:
    for _ in range(100):  # with its own, more than one page of its largest size
        post_hit(requester=credentials.requester, reward="0.01", now=timezone.now())

    report = program.run("hits")

    assert report == {
        "made": {
            "title": "Bartlett (dlgr-1)",
            "keywords": ["memory", "story"],
            "reward": 0.5,
            "status": "Assignable",
            "review_status": "NotReviewed",
        },
        "requirements": ["000000000000000000L0", "00000000000000000071"],
        "counts": [4, 4],
        "longer_hours": 2.0,
        "ours": [True],
        "total": 101,
        "annotation": "experiment-1",
        "expired": "Reviewable",
        "more_of_nothing": "MTurkServiceException",
        "expire_nothing": "MTurkServiceException",
        "too_many": "MTurkServiceException",
    }


def test_dallinger_subscribes_is_told_and_disables_a_hit(program: Client) -> None:
    assert program.run("topic") == {
        "subscribed": ["experiment-1"],
        "told": ["AssignmentAccepted", "AssignmentSubmitted"],
        "of_the_hit": [True, True],
        "disabled": True,
        "hits": [],
        "topics": [],
    }


def test_dallinger_scores_workers(program: Client) -> None:
    assert program.run("qualifications") == {
        "status": "Active",
        "twice": "DuplicateQualificationNameError",
        "found": True,
        "not_found": None,
        "unscored": "WorkerLacksQualification",
        "nameless": None,
        "scores": [1, 2],
        "assigned": [True, True],
        "score": 11,
        "holders": [[True, 2]],
        "revoked": True,
        "after": "RevokedQualification",
        "anew": 1,
        "disposed": True,
    }


def test_dallinger_approves_and_pays(program: Client) -> None:
    assert program.run("review") == {
        "at_once": "Approved",
        "at_once_again": "MTurkServiceException",
        "before": "Submitted",
        "approved": True,
        "after": "Approved",
        "bonus": True,
        "too_much": "MTurkServiceException",
        "missing": None,
        "balance": 97.45,
    }


def test_dallinger_compensates_one_worker(program: Client) -> None:
    assert program.run("compensation") == {"status": "Assignable", "keywords": []}
