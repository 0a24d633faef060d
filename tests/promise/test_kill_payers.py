"""`kill -9` of two payers in the middle of a run: every bonus is paid once, and the books say so."""

import json
import os
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.config.processes import wait_until
from tests.promise.test_kill import Deployment, deployed, server_databases

ROUNDS = int(os.environ.get("KILLS", "50"))
HITS, WORKERS, RULES = 5, 5, 6
BONUSES = HITS * WORKERS * RULES
KILLS_A_RUN = 6
PAYERS = ("one payer", "another payer")
PATIENCE_S = 240
PREPARE = f"""
from decimal import Decimal
from django.utils import timezone
from crowd.marketplace.models import AccessKey
from crowd.provisioning import account_values, provision
from hits.models import Account, Batch, Bonus
from hits.batches.services.budgets import reserve
from hits.payments.services.bonus_states import owe
from django.db import transaction
from tests.factories import approve, make_batch, make_study
from tests.promise.payments import approved_work
now = timezone.now()
made = provision(requester="kill", deposit=Decimal(1000))
account = Account.objects.create(**account_values(made, name="kill"), send_rate=15)
batch = make_batch(study=make_study(), account=account, status="open")
requester = AccessKey.objects.get(access_key_id=account.access_key_id).requester
works = approved_work(batch, requester=requester, hits={HITS}, workers={WORKERS}, now=now)
with transaction.atomic():
    reserve(batch=batch, amount=Decimal(1000), words="For the test", by=None, now=now)
    owe([
        Bonus(assignment=work, rule=f"{{cents}}", amount=Decimal(cents) / 100, reason="Good.", owed_at=now)
        for work in works for cents in range(1, {RULES} + 1)
    ], by=None, now=now)
approve(Bonus.objects.all(), now=now)
"""
# A clock sixty times as fast as the machine's, the same for both: five minutes of waiting take five seconds.
PAYER = """
import time
from datetime import datetime
from django.utils import timezone
from hits.payments.services import paying
paying.SLICE = 20
began = datetime.fromisoformat("{began}")
while True:
    now = began + (timezone.now() - began) * 60
    paying.pay_bonuses(now=now)
    paying.confirm_bonuses(now=now)
    time.sleep(0.05)
"""
LOOK = """
import json
from collections import Counter
from crowd.marketplace.models import BonusPayment
from hits.models import Account, Bonus
from tests.promise.agreement import payment_disagreements
paid = Counter(BonusPayment.objects.values_list("reason", flat=True))
print(json.dumps({
    "payments": sum(paid.values()), "most": max(paid.values()), "bonuses": len(paid),
    "statuses": Counter(Bonus.objects.values_list("status", flat=True)),
    "disagreements": payment_disagreements(Account.objects.get()),
}))
"""
ASKED = "SELECT count(*) FROM hits_bonus WHERE status <> 'approved'"
CONFIRMED = "SELECT count(*) FROM hits_bonus WHERE status = 'confirmed'"


def pay_under_fire(deployment: Deployment, *, seed: int) -> dict[str, Any]:
    """Kill one payer, the other or both, at random moments of the run."""
    chance = random.Random(seed)
    deployment.shell(PREPARE)
    payer = PAYER.format(began=datetime.now(UTC).isoformat())
    for name in PAYERS:
        deployment.add(name, "shell", "--no-imports", "--command", payer)
        deployment.start(name)
    for kill in range(KILLS_A_RUN):
        reached = int(BONUSES * (kill + chance.random()) / KILLS_A_RUN)
        wait_until(lambda: deployment.count(ASKED) >= reached, seconds=PATIENCE_S, what=f"{reached} are sent")  # noqa: B023
        victims = PAYERS if chance.random() < 0.25 else (chance.choice(PAYERS),)
        for victim in victims:
            deployment.kill_and_restart(victim)
    wait_until(
        lambda: deployment.count(CONFIRMED) == BONUSES, seconds=PATIENCE_S, what="every bonus is confirmed"
    )
    seen: dict[str, Any] = json.loads(deployment.shell(LOOK).splitlines()[-1])
    return seen


def assert_each_once(seen: dict[str, Any]) -> None:
    assert (seen["payments"], seen["bonuses"], seen["most"]) == (BONUSES, BONUSES, 1), seen
    assert (seen["statuses"], seen["disagreements"]) == ({"confirmed": BONUSES}, []), seen


@pytest.mark.needs_postgres
@pytest.mark.needs_redis
@pytest.mark.parametrize("seed", [1])
def test_killing_payers_pays_each_bonus_once(tmp_path: Path, seed: int) -> None:
    with server_databases() as databases, deployed(tmp_path, databases=databases, parts=()) as deployment:
        assert_each_once(pay_under_fire(deployment, seed=seed))


@pytest.mark.long
@pytest.mark.needs_postgres
@pytest.mark.needs_redis
@pytest.mark.parametrize("seed", range(2, 2 + ROUNDS))
def test_killing_payers_again_and_again_pays_each_bonus_once(tmp_path: Path, seed: int) -> None:
    with server_databases() as databases, deployed(tmp_path, databases=databases, parts=()) as deployment:
        assert_each_once(pay_under_fire(deployment, seed=seed))
