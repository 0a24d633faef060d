"""psiTurk's MTurkServices, which knows Amazon's addresses alone, through the proxy."""

from pathlib import Path

import pytest

from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.tools.tls_proxy.server import Proxy
from tests.foreign.driving import PROGRAMS, Client, environ_of
from tests.foreign.installing import install_python, without

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs_uv]

# Its last release asks for a boto3 of 2019, which no longer runs on this Python.
NEWER = ["boto3", "botocore", "urllib3"]
# Requirements of its shell and its server, which its MTurkServices does not need.
UNUSED = without(
    "cmd2", "gitpython", "gunicorn", "psutil", "pyopenssl", "pytest", "setproctitle", "sqlalchemy"
)


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_python(tmp_path_factory.mktemp("psiturk"), "psiturk", instead=[*NEWER, *UNUSED])


@pytest.fixture
def program(python: Path, proxy: Proxy, credentials: Credentials, tmp_path: Path) -> Client:
    return Client(
        command=[str(python), str(PROGRAMS / "psiturk_program.py")],
        folder=tmp_path,
        environ=environ_of(
            credentials, home=tmp_path, HTTPS_PROXY=proxy.url, AWS_CA_BUNDLE=str(proxy.authority.bundle)
        ),
    )


def test_psiturk_makes_extends_lists_expires_and_deletes_hits(program: Client) -> None:
    assert program.run("hits") == {
        "balances": ["85.00", "85.00"],
        "max_assignments": 5,
        "is_expired": [False, True],
        "status": ["Assignable", "Reviewable"],
        "left": 10,
        "missing": "error",
    }


def test_psiturk_reviews_and_pays(program: Client) -> None:
    assert program.run("review") == {
        "waiting": True,
        "rejected": [True],
        "unrejected": "Approved",
        "completed": 2,
        "needing_action": 0,
        "balance": "98.25",
    }


def test_psiturk_asks_for_qualifications(program: Client) -> None:
    assert program.run("qualifications") == {"found": [True], "guarded": "Assignable"}
