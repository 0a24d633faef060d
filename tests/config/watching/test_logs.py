"""Lines about one request or run have one reference, and no line names a person."""

import json
import logging
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
import structlog
from django.conf import LazySettings
from django.db import IntegrityError
from django.test import Client
from structlog.stdlib import ProcessorFormatter

from crowd.marketplace import tasks
from crowd.marketplace.models.parties import Worker
from hits.common import sweeps, wake
from hits.identity.models.workers import Worker as OurWorker
from tests.crowd.frame.test_question import hit, ticket, visit
from tests.crowd.marketplace.mailing import sent

__all__ = ["hit"]
pytestmark = pytest.mark.django_db(databases=["default", "marketplace"])
Lines = Callable[[], list[dict[str, Any]]]
WORD = "zzplanted"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Lines:
    """Read the log as the process writes it."""
    caplog.set_level(logging.INFO)
    handlers = logging.getLogger().handlers
    written = next(one.formatter for one in handlers if isinstance(one.formatter, ProcessorFormatter))
    return lambda: [json.loads(written.format(record)) for record in caplog.records]


def about(lines: Lines, event: str) -> list[dict[str, Any]]:
    return [line for line in lines() if line["event"] == event]


@pytest.mark.parametrize(
    "given", ["0123456789abcdef0123456789abcdef", "123e4567-e89b-12d3-a456-426614174000", "C0FFEE00"]
)
def test_reference_of_the_proxy_is_in_the_log_and_in_the_answer(
    client: Client, settings: LazySettings, lines: Lines, given: str
) -> None:
    settings.BEHIND_PROXY = True

    answer = client.get("/nothing/", headers={"x-request-id": given})

    assert answer["X-Request-ID"] == given
    assert [line["reference"] for line in about(lines, "request.finished")] == [given]


@pytest.mark.parametrize(
    ("behind", "given"),
    [
        (False, "0123456789abcdef"),
        (True, ""),
        (True, "A2WORKERZZPLANTED"),
        (True, "0123456789abcdef\n{}"),
        (True, "a" * 65),
        (True, "١٢٣٤٥٦٧٨"),
    ],
)
def test_another_reference_is_made_where_none_can_be_believed(
    client: Client, settings: LazySettings, lines: Lines, behind: bool, given: str
) -> None:
    settings.BEHIND_PROXY = behind

    answers = [client.get("/nothing/", headers={"x-request-id": given})["X-Request-ID"] for _ in range(2)]

    assert len({*answers, given}) == 3
    assert [line["reference"] for line in about(lines, "request.finished")] == answers


def test_lines_about_one_run_of_a_sweep_have_its_name_and_a_reference(
    lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "run", lambda _: structlog.get_logger().info("at.work") or 1 / 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            wake.run("scoring.judge_submitted")

    first, second = about(lines, "at.work")
    assert (first["sweep"], second["sweep"]) == ("scoring.judge_submitted",) * 2
    assert first["reference"] != second["reference"]


def test_no_line_names_a_person(
    client: Client, settings: LazySettings, lines: Lines, hit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MARKETPLACE_OPEN_REGISTRATION = True
    settings.EMAIL_HOST = "mail.example.org"
    client.defaults |= {"HTTP_USER_AGENT": WORD, "HTTP_REFERER": f"http://localhost/{WORD}"}
    market = Client(headers={"host": "localhost:8000"})
    market.defaults |= client.defaults | {"HTTP_HOST": "localhost:8000"}

    password = f"{WORD} a plain long sentence"
    fields = {"name": WORD, "sign_in_name": f"{WORD}.name", "password": password, "again": password}
    market.post("/register/", {**fields, "email": f"{WORD}@example.org"})
    [letter] = sent()
    assert WORD in str(letter.to)
    tasks.settle()
    market.post("/sign-in/", {"sign_in_name": WORD, "password": WORD})
    market.get(f"/invitation/{WORD}/?{WORD}")
    market.post("/", {"Operation": WORD}, headers={"authorization": f"AWS4-HMAC-SHA256 Credential={WORD}"})
    visit(client, hit, workerId=WORD.upper(), ticket=ticket(worker=WORD.upper()))
    client.post("/admin/login/", {"username": WORD, "password": WORD})
    client.cookies["sessionid"] = WORD
    failure = IntegrityError(f"duplicate key\nDETAIL:  Key (name)=({WORD}) already exists.")
    fail = Mock(side_effect=failure)
    monkeypatch.setattr("crowd.marketplace.services.worker_sign_in.find_invitation", fail)
    market.raise_request_exception = False
    market.get(f"/invitation/{WORD}/?{WORD}")

    assert Worker.objects.filter(name=WORD).exists()
    assert OurWorker.objects.count() == 1
    assert len(about(lines, "request.finished")) >= 7
    [failed] = about(lines, "django.request.failed")
    assert "duplicate key\nDETAIL: left out" in failed["exception"]
    assert WORD not in json.dumps(lines()).lower()
