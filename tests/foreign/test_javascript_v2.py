"""The second version of AWS's SDK for JavaScript, aws-sdk, which older programs still use."""

from pathlib import Path

import pytest

from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.foreign.driving import PROGRAMS, Client, environ_of
from tests.foreign.installing import install_node

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs_uv]


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_node(tmp_path_factory.mktemp("javascript-v2"), "aws-sdk")


def test_javascript_v2_with_the_endpoint_in_its_code(
    node: Path, sites: Sites, credentials: Credentials, tmp_path: Path
) -> None:
    """The second version reads no endpoint from the environment."""
    program = Client(
        command=[str(node), str(PROGRAMS / "javascript_v2.cjs")],
        folder=node.parents[2],
        environ=environ_of(credentials, home=tmp_path),
    )

    assert program.run(sites.marketplace) == {
        "lifetimes": [3600, 3600, 3600],
        "description": "Pick them – all of them.",
        "expired": "Reviewable",
        "pages": [2, 1, "string"],
        "missing": ["RequestError", 400, "AWS.MechanicalTurk.HITDoesNotExist"],
        "balance": "99.00",
    }
