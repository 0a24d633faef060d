"""Outcomes of the eight situations. This module uses only what both trees have."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from django.db import transaction
from django.test import Client
from django.utils import timezone

from crowd.marketplace import models as market
from hits.payments.services import paying
from hits.providers.gateway import pacing, registry
from hits.providers.gateway.boto import BotoProvider
from hits.sync.services import reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.bench.servers import environment
from tests.factories import NOW, make_account, make_batch, make_bonus, make_hit, make_user
from tests.promise.test_schedules import a_world, play
from tests.promise.wire import Body
from tests.promise.world import Clock, World
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
pytest_plugins = ("tests.hits.conftest", "tests.promise.conftest")
PASSWORD = "the right password"
SENT = ("sweep", "hits.launch_batches", None)
ROUND = ("background", 0, None)


def tell(place: str, came: object) -> None:
    with Path(os.environ["TOLD"]).open("a") as file:
        file.write(json.dumps([place, str(came)]) + "\n")


def test_restored_database(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_world(clock, monkeypatch) as world:
        works = [("work", person, hit, None) for hit in range(5) for person in (0, 1)]
        play(world, [("launch", 5, 2, 0, None), SENT, *works, ROUND, ("turn", 7_300), ROUND])
        for work in Assignment.objects.filter(status="approved"):
            make_bonus(assignment=work, rule="thanks", approved_at=world.now(), owed_at=world.now())
        with transaction.atomic("default"):
            world.sweep("hits.pay_bonuses")
            transaction.set_rollback(True, "default")
        paid = market.BonusPayment.objects.count()
        play(world, [("turn", 25 * 3600), ROUND, ("turn", 400), ROUND])
        tell(
            "1 paid, put back after 25 hours, and paid", f"{paid}, then {market.BonusPayment.objects.count()}"
        )


def test_replayed_answer(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    carry = World._carry
    kept: dict[str, Any] = {}

    def replay(self: World, operation: str, send: Callable[[], AWSResponse]) -> AWSResponse:
        answer = carry(self, operation, send)
        if operation != "ListAssignmentsForHIT":
            return answer
        if "is lying" in kept:
            return AWSResponse("between", 200, HTTPHeaders(), Body(kept["first"]))
        kept.setdefault("first", answer.content)
        return answer

    monkeypatch.setattr(World, "_carry", replay)
    with a_world(clock, monkeypatch) as world:
        play(world, [("launch", 2, 1, 0, None), SENT, ("work", 0, 0, None), ROUND, ("turn", 60), ROUND])
        kept["is lying"] = b""
        play(world, [("work", 1, 1, None), ROUND, ("turn", 60), ROUND, ("turn", 60), ROUND])
        del kept["is lying"]
        world.turn(700)
        reconciling.reconcile_everything(now=world.now())
        ours = Counter(Assignment.objects.exclude(submitted_at=None).values_list("external_id", flat=True))
        there = set(
            market.Assignment.objects.exclude(submitted_at=None).values_list("external_id", flat=True)
        )
        lost, twice = len(there - ours.keys()), sum(count > 1 for count in ours.values())
        tell("2 pieces of work after a replayed answer, of two", f"{lost} lost, {twice} twice")


def test_clock_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    account, slept = make_account(), [0.0]
    given: dict[str, Any] = {"account_id": account.pk, "rate": 20, "sleep": slept.append}
    wait = getattr(pacing, "wait_turn", None) or (lambda **given: pacing.Line(**given).wait())
    machine = timezone.now
    monkeypatch.setattr("django.utils.timezone.now", lambda: machine() + timedelta(hours=1))
    wait(**given)
    monkeypatch.setattr("django.utils.timezone.now", machine)
    slept.clear()
    wait(**given)
    tell("3 seconds slept after a call by a clock an hour ahead", round(max([0, *slept])))


def test_guessing(client: Client) -> None:
    make_user(username="boss", is_superuser=True, password=PASSWORD)
    tried = 0
    for number in range(50):
        page = client.post("/admin/login/", {"username": "boss", "password": f"wrong {number}"})
        tried += b"enter the correct" in page.content
    tell("4 wrong passwords looked at, of fifty", tried)


def test_empty_answers(turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch) -> None:
    class Empty:
        def __getattr__(self, _: str) -> Callable[..., Any]:
            return lambda **_: {}

    hits = [make_hit(external_id=name, batch=make_batch(account=make_account())) for name in ("HIT0", "HIT1")]
    turk.hits["HIT1"] = {"HITId": "HIT1", "RequesterAnnotation": "", "MaxAssignments": 1, "expired": False}
    providers = {hits[0].batch.account_id: BotoProvider(Empty()), hits[1].batch.account_id: turk.provider}
    monkeypatch.setattr(registry, "_boto_provider", lambda *, account_id, **_: providers[account_id])
    HIT.objects.update(look_at=NOW)
    try:
        reconciling.reconcile(now=NOW)
    except Exception as error:  # noqa: BLE001 - whatever it is, is what this tells
        came = type(error).__name__
    else:
        came = "no error"
    tell("5 looks at the other account, beside one that answers {}", f"{turk.calls.count('get_hit')}, {came}")


def test_used_token(turk: StubbedTurk) -> None:
    bonus = make_bonus(approved_at=NOW)
    work = bonus.assignment
    turk.assignments[work.external_id] = {"WorkerId": work.worker.external_id, "HITId": work.hit.external_id}
    turk.hits[work.hit.external_id] = {
        "HITId": work.hit.external_id,
        "RequesterAnnotation": "",
        "expired": False,
    }
    turk.tokens[str(bonus.token)] = work.external_id
    paying.pay_bonuses(now=NOW)
    bonus.refresh_from_db()
    tell("6 a bonus whose token was used, on a list that is behind", bonus.status)


def test_files(tmp_path: Path) -> None:
    environ = environment(tmp_path / "data", 8000)
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=Path.cwd(), env=environ, check=True, umask=0o022)
    files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    tell(
        "7 files that others can read",
        f"{sum(bool(path.stat().st_mode & 0o077) for path in files)} of {len(files)}",
    )


def test_refused_next(client: Client) -> None:
    make_user(username="boss", is_superuser=True, password=PASSWORD)
    fields = {"username": "boss", "password": PASSWORD, "next": "https://elsewhere.example/"}
    answer = client.post("/admin/login/", fields, follow=True)
    tell("8 where a sign-in with a refused `next` leads", answer.status_code)
