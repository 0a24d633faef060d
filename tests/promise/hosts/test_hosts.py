"""Six hosts under load: each is killed and cut off, and all are upgraded while they work.

    uv run pytest -m long -n 0 -s tests/promise/hosts        # prints what was seen

The researchers, staff and workers of the run are of the earlier version until the end, so that its code has
to get along with the tables of this one.
"""

import json
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest

from tests.bench.before import checkout
from tests.bench.spymasters import Spymaster, make_cue
from tests.config.processes import ROOT, wait_until
from tests.promise.adversary.stage import Hand
from tests.promise.hosts.fleet import PROCESSES, Fleet, fleet, migrate
from tests.promise.test_kill import answers
from tests.promise.test_kill_rival import LOOK, SPYMASTERS, play

pytestmark = [
    pytest.mark.long,
    pytest.mark.needs_machines,
    pytest.mark.needs_postgres,
    pytest.mark.needs_redis,
]
# The last commit before the tables of this version were changed.
EARLIER = "648e5f47"
HITS, AT_LEAST, PEOPLE = 50, 50, 4  # at least so many works are handed in, and bonuses paid
DEAD_S, CUT_S, LOOK_S, PATIENCE_S = 2.0, 6.0, 0.2, 900.0
MAKE = f"""
import json
from tests.bench.spymasters import make_spymasters
print(json.dumps(make_spymasters({SPYMASTERS})))
"""

# The hand's own study has twelve associations, each for three solvers.
MORE = f"""
from hits.studies.models import Study
from tests.factories import make_association
for _ in range({HITS}):
    make_association(study=Study.objects.get())
"""


class Watcher:
    """Asks both sites again and again, and counts the seconds without an answer."""

    def __init__(self, running: Fleet) -> None:
        self._pages = {
            "web": f"{running.environ['CROWD_PUBLIC_URL']}/health/",
            "market": f"{running.environ['CROWD_MARKETPLACE_URL']}/",
        }
        self.silent_s: defaultdict[str, float] = defaultdict(float)
        self.asked = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        is_over = threading.Event()
        threads = [
            threading.Thread(target=self._ask, args=(name, page, is_over))
            for name, page in self._pages.items()
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            is_over.set()
            for thread in threads:
                thread.join()

    def _ask(self, name: str, page: str, is_over: threading.Event) -> None:
        before, is_well = time.monotonic(), True
        while not is_over.wait(LOOK_S):
            is_well, now = answers(page), time.monotonic()
            self.asked += 1
            self.silent_s[name] += 0 if is_well else now - before
            before = now


def be_harmed(running: Fleet, upgrade: Callable[[], None]) -> None:
    """Kill each host and cut each off; between the two give all of them another version."""
    for host in PROCESSES:
        running.kill(host)
        time.sleep(DEAD_S)
        running.start(host)
        running.wait_until_well()
    upgrade()
    for host in PROCESSES:
        running.hosts[host].cut_off()
        time.sleep(CUT_S)
        running.hosts[host].join()
        running.wait_until_well()


def live(hand: Hand, harm: threading.Thread, database: str) -> Counter[str]:
    """Launch, work, owe and pay until the harm and all of the work are over. Returns the failures met."""
    met: Counter[str] = Counter()

    def do(what: str, **given: Any) -> Any:
        answer = hand.do(what, **given)
        if problem := answer.get("problem"):
            met[problem.partition(":")[0]] += 1
        return answer.get("came")

    assert do("launch", hits=HITS, workers=1, pilot=0), met
    harm.start()
    number, until = 0, time.monotonic() + PATIENCE_S
    while harm.is_alive() or min(handed_in(database), owed(database)) < AT_LEAST:
        assert time.monotonic() < until, (met, handed_in(database), owed(database))
        do("work", person=number % PEOPLE, number=number)
        do("go_on", number=number)
        number += 1
        if owed(database) < AT_LEAST:
            do("owe", number=number, cents=1 + number % 5)
        if not number % 10:
            do("pay_out")
        time.sleep(0.2)
    while do("pay_out"):
        pass
    return met


def handed_in(database: str) -> int:
    return count(database, "SELECT count(*) FROM hits_assignment WHERE submitted_at IS NOT NULL")


def owed(database: str) -> int:
    return count(database, "SELECT count(*) FROM hits_bonus")


def count(database: str, query: LiteralString) -> int:
    with psycopg.connect(database) as connection:
        found: int = connection.execute(query).fetchall()[0][0]
    return found


def came(answer: dict[str, Any]) -> Any:
    assert "came" in answer, answer
    return answer["came"]


def test_no_host_that_dies_or_is_cut_off_or_upgraded_loses_anything(tmp_path: Path) -> None:
    began = time.monotonic()
    seen: dict[str, Any] = {}
    with checkout(EARLIER) as earlier, fleet(tmp_path, tree=earlier) as running:

        def upgrade() -> None:
            since = time.monotonic()
            migrate(running.environ)
            for host in PROCESSES:
                running.upgrade(host, ROOT)
                running.wait_until_well()
            seen["upgrade_s"] = round(time.monotonic() - since, 1)

        watcher = Watcher(running)
        hand = Hand({**running.environ, "PYTHONPATH": str(earlier)}, tmp_path / "hand.log", tree=earlier)
        try:
            came(hand.do("begin", endpoint=running.environ["CROWD_MARKETPLACE_URL"], seed=1))
            shell(running, MORE, tree=earlier)
            came(hand.do("open_with_work"))
            harm = threading.Thread(target=be_harmed, args=(running, upgrade))
            with watcher.watching():
                seen["met"] = dict(live(hand, harm, running.environ["DATABASE_URL"]))
            quiet(running)
            came(hand.do("settle"))
            found = came(hand.do("compare"))
        finally:
            hand.end()
        sys.stdout.write(f"{found['count']} differences after {round(time.monotonic() - began)} s\n")
        seen |= {
            "differences": found["count"],
            "shown": found["shown"],
            "rows": found["rows"],
            "silent_s": {name: round(silent, 1) for name, silent in watcher.silent_s.items()},
            "asked": watcher.asked,
            "verdicts": two_rivals_answer_each_once(running),
            "seconds": round(time.monotonic() - began),
        }
    sys.stdout.write(json.dumps(seen, indent=1) + "\n")
    assert seen["differences"] == 0, seen["shown"]
    assert min(seen["rows"]["work"], seen["rows"]["paid"]) >= AT_LEAST, seen["rows"]
    assert not seen["rows"]["unpaid"], seen["rows"]


def quiet(running: Fleet) -> None:
    """Let the hosts finish what they have, then stop all but those that answer pages."""
    time.sleep(10)
    for host in ("back", "back2"):
        running.kill(host)


def two_rivals_answer_each_once(running: Fleet) -> int:
    """Kill one rival and cut the other off while both take questions from one queue."""
    running.start("back")  # its beat wakes the rivals
    made = json.loads(shell(running, MAKE).splitlines()[-1])
    with ThreadPoolExecutor(SPYMASTERS) as crowd:
        playing = [
            crowd.submit(play, running.environ["CROWD_PUBLIC_URL"], Spymaster(**one), number)
            for number, one in enumerate(made)
        ]
        running.kill("rival")
        running.start("rival")
        running.hosts["rival2"].cut_off()
        time.sleep(CUT_S)
        running.hosts["rival2"].join()
        answered = [future.result() for future in playing]
    wait_until(lambda: not look(running)["waiting"], seconds=60, what="no question waits")
    found = look(running)
    assert all(states == ["answered", "answered"] for states in answered)
    assert found["verdicts"] == [1] * len(found["cues"])
    assert {make_cue(number) for number in range(2 * SPYMASTERS)} <= set(found["cues"])
    return len(found["verdicts"])


def look(running: Fleet) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shell(running, LOOK).splitlines()[-1])
    return found


def shell(running: Fleet, script: str, *, tree: Path = ROOT) -> str:
    command = [sys.executable, "manage.py", "shell", "--no-imports", "--command", script]
    environ = {**running.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environ, capture_output=True, text=True, check=True)
    return done.stdout.strip()
