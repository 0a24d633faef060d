"""A loaded system is killed, its last copy is restored on an empty machine, and the books agree to the cent.

`pytest -m long tests/promise/test_restored_machine.py -s` prints the seconds, and what people did.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from threading import Thread
from typing import Any

import psycopg
import pytest

from tests.config.processes import manage
from tests.config.servers import VARIABLES, made_on_server
from tests.promise.adversary.runs import begin_life, came, end_well
from tests.promise.adversary.stage import Hand, Stage, staged

pytestmark = [pytest.mark.long, pytest.mark.needs_postgres, pytest.mark.needs_redis]
HITS, PEOPLE = 50, 4
# What is paid out, in the middle of which the last copy is made.
BONUSES_BEFORE, BONUSES_AFTER = 40, 20
LOST = {"ours": ("default",), "both sides": ("default", "marketplace")}
OURS_PAID = "SELECT coalesce(sum(amount), 0) FROM hits_bonus WHERE status IN ('sent', 'confirmed')"
THEIRS_PAID = "SELECT coalesce(sum(amount), 0) FROM marketplace_bonuspayment"


class Watch:
    """The seconds of each step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, words: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds[words] = round(time.monotonic() - began, 1)


def load(hand: Hand, *, bonuses: int, failures: Counter[str]) -> None:
    """Launch HITs, work on them, and owe and pay bonuses, all at once."""
    acts: list[tuple[str, dict[str, Any]]] = [("launch", {"hits": HITS, "workers": 2, "pilot": 0})]
    for number in range(bonuses):
        acts.append(("owe", {"number": number, "cents": number + 1}))
        acts.append(("work", {"person": number % PEOPLE, "number": number}))
        if number % 10 == 9:
            acts.append(("pay_out", {}))
    for what, given in acts:
        if problem := hand.do(what, **given).get("problem"):
            failures[problem.partition(":")[0]] += 1


def amount(url: str, query: str) -> Decimal:
    with psycopg.connect(url) as server:
        (found,) = server.execute(query).fetchone() or (0,)
    return Decimal(found)


def kill_all(stage: Stage, *, lost: str) -> None:
    for name in stage.running():
        if name != "marketplace" or "marketplace" in LOST[lost]:
            stage.kill(name)


def settle(stage: Stage, *, restored: str) -> tuple[dict[str, int], dict[str, Any]]:
    """Compare, let the account go on, and pay what is owed, as people do; then count both sides."""
    hand = Hand(stage.environ, stage.folder / "hand.log")
    try:
        came(hand.do("take_up"))
        end_well(stage)
        for _ in LOST[restored]:  # an epoch for each side
            came(hand.do("let_go_on"))
        people: Counter[str] = Counter(came(hand.do("settle")))
        people["accounts let go on"] += len(LOST[restored])
        people["bonuses decided on again"] += came(hand.do("decide_again"))
        people.update(came(hand.do("settle")))
        return people, came(hand.do("compare", is_restored=True))
    finally:
        hand.end()


@pytest.mark.parametrize("lost", list(LOST))
def test_a_loaded_system_is_killed_and_restored_on_an_empty_machine(tmp_path: Path, lost: str) -> None:
    watch, failures = Watch(), Counter[str]()
    safe, key = tmp_path / "safe", tmp_path / "key.txt"
    safe.mkdir()
    with staged("deployed", tmp_path / "first") as stage:
        stage.begin_anew()
        stage.wait_until_well()
        public = manage("make_backup_key", str(key), environ=stage.environ).strip().partition("=")[2]
        hand = Hand(stage.environ, stage.folder / "hand.log")
        begin_life(hand, stage=stage, seed=1)
        backup = ("backup", str(safe), "--incremental", "--recipient", public)
        with watch.step("copy under load"):
            copying = Thread(target=manage, args=backup, kwargs={"environ": stage.environ})
            copying.start()
            load(hand, bonuses=BONUSES_BEFORE, failures=failures)
            copying.join()
        load(hand, bonuses=BONUSES_AFTER, failures=failures)
        kill_all(stage, lost=lost)
        hand.end()
        paid_at_the_kill = amount(stage.environ["MARKETPLACE_DATABASE_URL"], THEIRS_PAID)

        with made_on_server(*LOST[lost]) as urls:
            stage.environ |= {VARIABLES[alias]: url for alias, url in urls.items()}
            stage.environ["CROWD_DATA_DIR"] = str(tmp_path / "second")
            stage.flush_broker()
            with watch.step("drill"):
                drilled = manage(
                    "restore", str(safe), "--drill", "--key-file", str(key), environ=stage.environ
                )
            only = () if lost == "both sides" else ("--only", "default", "--although-running")
            with watch.step("restore"):
                manage("restore", str(safe), "--key-file", str(key), *only, environ=stage.environ)
            with watch.step("start"):
                if "marketplace" in LOST[lost]:
                    stage.start("marketplace")
                stage.start_ours()
                stage.wait_until_well()
            with watch.step("compare, let go on, pay"):
                people, found = settle(stage, restored=lost)
            ours = amount(stage.environ["DATABASE_URL"], OURS_PAID)
            theirs = amount(stage.environ["MARKETPLACE_DATABASE_URL"], THEIRS_PAID)
            stage.end()

    told = {
        "lost": lost,
        "seconds": watch.seconds,
        "paid at the kill": str(paid_at_the_kill),
        "paid by our books": str(ours),
        "paid by the marketplace's": str(theirs),
        "failures that people met before": failures,
        "people": {"restore": 1, **people},
        "rows": found["rows"],
        "differences": found["shown"],
    }
    print(json.dumps(told, default=str, indent=1))  # noqa: T201
    assert "This copy can be relied on." in drilled
    assert found["count"] == 0
    assert ours == theirs > 0
