"""`kill -9` of the rival in the middle of an answer: the word is safe, and there is one verdict for it."""

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.bench.spymasters import Page, Spymaster, make_cue
from tests.promise.test_kill import deployed, server_databases

SPYMASTERS = 8
KILLS = 3
PATIENCE_S = 240
MAKE = f"""
import json
from tests.bench.spymasters import make_spymasters
print(json.dumps(make_spymasters({SPYMASTERS})))
"""
# Slow enough to be killed between reading the question and storing the answer.
RIVAL = """
import time
from config.celery import app
from scoring.services import rival_answers
decide = rival_answers._decide
def decide_slowly(*args, **kwargs):
    verdicts = decide(*args, **kwargs)
    open(r"{mark}", "a").write("x")
    time.sleep(1)
    return verdicts
rival_answers._decide = decide_slowly
app.worker_main(["worker", "--queues=rival", "--pool=solo", "--loglevel=WARNING"])
"""
LOOK = """
import json
from collections import Counter
from scoring.models import PendingQuery, RivalQuery, Verdict
print(json.dumps({
    "rival_queries": RivalQuery.objects.count(), "waiting": PendingQuery.objects.count(),
    "verdicts": sorted(Counter(Verdict.objects.values_list("rival_query", flat=True)).values()),
    "cues": sorted(RivalQuery.objects.values_list("text", flat=True)),
}))
"""


@pytest.mark.needs_postgres
@pytest.mark.needs_redis
@pytest.mark.long  # it loads a model again for every kill
def test_killing_the_rival_loses_no_word_and_answers_each_once(tmp_path: Path) -> None:
    mark = tmp_path / "at_work"
    with (
        server_databases() as databases,
        deployed(tmp_path, databases=databases, parts=("web", "beat")) as deployment,
        ThreadPoolExecutor(SPYMASTERS) as crowd,
    ):
        made = json.loads(deployment.shell(MAKE).splitlines()[-1])
        deployment.add("rival", "shell", "--no-imports", "--command", RIVAL.format(mark=mark))
        deployment.start("rival")
        playing = [
            crowd.submit(play, deployment.url, Spymaster(**one), number) for number, one in enumerate(made)
        ]
        for seed in range(KILLS):
            wait_for_another(mark)
            time.sleep(random.Random(seed).random())
            deployment.kill_and_restart("rival")
            mark.unlink(missing_ok=True)
        answered = [future.result(timeout=PATIENCE_S) for future in playing]
        seen: dict[str, Any] = json.loads(deployment.shell(LOOK).splitlines()[-1])

    cues = sorted(make_cue(number) for number in range(2 * SPYMASTERS))
    assert all(states == ["answered", "answered"] for states in answered)
    assert seen == {
        "rival_queries": 2 * SPYMASTERS,
        "waiting": 0,
        "verdicts": [1] * 2 * SPYMASTERS,
        "cues": cues,
    }


def play(url: str, spymaster: Spymaster, number: int) -> list[str]:
    with Page(url, spymaster) as page:
        for slot in (1, 2):
            page.ask_and_wait(slot=slot, cue=make_cue(2 * number + slot - 1), patience_s=PATIENCE_S)
        return [page.look(slot=slot)["state"] for slot in (1, 2)]


def wait_for_another(mark: Path) -> None:
    """Wait until the rival has computed an answer and not stored it yet."""
    until = time.monotonic() + PATIENCE_S
    while not mark.exists():
        assert time.monotonic() < until, "the rival never came to work"
        time.sleep(0.02)
