"""AWS's command line, `aws mturk`, in the current version of its registry."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT
from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.tools.tls_proxy.server import Proxy
from tests.conftest import Sites
from tests.crowd.marketplace.rows import hand_in
from tests.factories import external_question, invite
from tests.foreign.driving import environ_of
from tests.foreign.installing import install_python

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs_uv]


@dataclass(frozen=True, kw_only=True)
class Said:
    """The result of a command: its code, output and complaint."""

    code: int
    output: Any
    complaint: str


AWS = Callable[..., Said]


@pytest.fixture(scope="session")
def command(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(install_python(tmp_path_factory.mktemp("awscli"), "awscli").with_name("aws"))


@pytest.fixture
def environ(credentials: Credentials, tmp_path: Path) -> dict[str, str]:
    return environ_of(credentials, home=tmp_path)


@pytest.fixture
def aws(command: str, environ: dict[str, str], sites: Sites) -> AWS:
    """Commands directed to the marketplace by a variable of the environment."""
    environ["AWS_ENDPOINT_URL_MTURK"] = sites.marketplace
    return lambda *words: run(command, environ, *words)


def run(command: str, environ: dict[str, str], *words: str) -> Said:
    done = subprocess.run(
        [command, "mturk", *words], env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    output = json.loads(done.stdout) if done.stdout.strip() else None
    return Said(code=done.returncode, output=output, complaint=done.stderr.strip())


def post_hit(aws: AWS, *words: str) -> str:
    made = aws(
        "create-hit",
        *("--title", "Which pictures?", "--description", "Pick them.", "--reward", "0.50"),
        *("--lifetime-in-seconds", "3600", "--assignment-duration-in-seconds", "600"),
        *("--question", external_question()),
        *words,
    )
    hit_id: str = made.output["HIT"]["HITId"]
    return hit_id


def test_awscli_is_led_here_by_its_option(command: str, environ: dict[str, str], sites: Sites) -> None:
    said = run(command, environ, "get-account-balance", "--endpoint-url", sites.marketplace)

    assert (said.code, said.complaint) == (0, "")
    assert said.output["AvailableBalance"] == "100.00"


def test_awscli_is_led_here_by_the_proxy(command: str, environ: dict[str, str], proxy: Proxy) -> None:
    """The command asks for Amazon's production host if no endpoint is set."""
    environ |= {"HTTPS_PROXY": proxy.url, "AWS_CA_BUNDLE": str(proxy.authority.bundle)}

    said = run(command, environ, "get-account-balance")

    assert (said.code, said.complaint) == (0, "")
    assert said.output["AvailableBalance"] == "100.00"


def test_awscli_pages_through_hits(aws: AWS) -> None:
    made = {post_hit(aws) for _ in range(3)}

    said = aws("list-hits", "--page-size", "2")

    assert {hit["HITId"] for hit in said.output["HITs"]} == made
    assert "NextToken" not in said.output


def test_awscli_expires_a_hit_by_an_instant_of_its_own_spelling(aws: AWS) -> None:
    hit_id = post_hit(aws)
    later = (timezone.now() + timedelta(hours=5)).replace(microsecond=0)

    moved = aws("update-expiration-for-hit", "--hit-id", hit_id, "--expire-at", later.isoformat())
    read = aws("get-hit", "--hit-id", hit_id).output["HIT"]["Expiration"]
    aws("update-expiration-for-hit", "--hit-id", hit_id, "--expire-at", "0")
    status = aws("get-hit", "--hit-id", hit_id).output["HIT"]["HITStatus"]

    assert (moved.code, datetime.fromtimestamp(read, UTC), status) == (0, later, "Reviewable")


def test_awscli_reviews_and_pays(aws: AWS) -> None:
    hit_id = post_hit(aws, "--max-assignments", "2", "--unique-request-token", "once")
    done = [hand_in(HIT.objects.get(external_id=hit_id), now=timezone.now()) for _ in range(2)]
    ids = [assignment.external_id for assignment in done]
    worker = done[0].worker.external_id

    aws("approve-assignment", "--assignment-id", ids[0], "--requester-feedback", "Thank you – well done.")
    aws("reject-assignment", "--assignment-id", ids[1], "--requester-feedback", "Not quite.")
    aws(
        "send-bonus",
        *("--worker-id", worker, "--assignment-id", ids[0], "--bonus-amount", "0.27"),
        *("--reason", "All right.", "--unique-request-token", "bonus"),
    )
    listed = aws("list-assignments-for-hit", "--hit-id", hit_id).output["Assignments"]
    paid = aws("list-bonus-payments", "--hit-id", hit_id).output["BonusPayments"]

    assert {one["AssignmentId"]: one["AssignmentStatus"] for one in listed} == {
        ids[0]: "Approved",
        ids[1]: "Rejected",
    }
    assert [(one["WorkerId"], one["BonusAmount"], one["Reason"]) for one in paid] == [
        (worker, "0.27", "All right.")
    ]
    assert aws("get-account-balance").output["AvailableBalance"] == "99.23"


def test_awscli_tells_a_refusal(aws: AWS) -> None:
    said = aws("get-hit", "--hit-id", "3NOSUCHHIT0000000000000000000")

    assert said.code != 0
    assert "(RequestError) when calling the GetHIT operation" in said.complaint
    assert " 3NOSUCHHIT0000000000000000000 does not exist." in said.complaint


def test_awscli_scores_a_worker(aws: AWS) -> None:
    worker = invite(now=timezone.now())[0].external_id
    made = aws(
        "create-qualification-type",
        *("--name", "Knows pictures", "--description", "Scored by hand."),
        *("--qualification-type-status", "Active"),
    )
    type_id = made.output["QualificationType"]["QualificationTypeId"]
    both = ("--qualification-type-id", type_id, "--worker-id", worker)

    aws("associate-qualification-with-worker", *both, "--integer-value", "7", "--no-send-notification")
    granted = aws("get-qualification-score", *both).output["Qualification"]

    assert (granted["IntegerValue"], granted["Status"]) == (7, "Granted")
