"""Seconds from the question to the page's verdict: python -m tests.bench.verdicts --json

Needs PostgreSQL and Redis: DATABASE_URL, MARKETPLACE_DATABASE_URL, REDIS_URL. It makes databases of its own.
One web process, one rival worker, and 1, 8 and 32 pages that ask at the same moment, again and again: words
that nobody has asked about before, and words of the vocabulary, which the rival has read beforehand.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Barrier

from tests.bench.spymasters import Page, Spymaster, make_cue
from tests.config.processes import wait_until
from tests.promise.test_kill import Deployment, deployed, server_databases

CROWDS = (1, 8, 32)
ROUNDS = 20
WARMING = 4
PATIENCE_S = 120
MAKE = """
import json
from tests.bench.spymasters import make_spymasters
print(json.dumps(make_spymasters({count})))
"""
LEARN = """
import json, sys
from scoring.services.vocabulary import learn_words
print(learn_words({words!r}))
"""
UNREAD = """
from scoring.models import RegisteredRival
from scoring.services.vocabulary import words_unread
print(max(words_unread(rival) for rival in RegisteredRival.objects.all()))
"""
RIVAL = """
from config.celery import app
app.worker_main(["worker", "--queues=rival", "--pool=solo", "--loglevel=WARNING"])
"""


def measure(deployment: Deployment, *, together: int, rounds: int, cues: Iterator[str]) -> dict[str, float]:
    """Measure pages that ask two words each; new pages every second round."""
    wanted = together * -(-rounds // 2)
    made = json.loads(deployment.shell(MAKE.format(count=wanted)).splitlines()[-1])
    taken: list[float] = []
    with ThreadPoolExecutor(together) as crowd:
        for start in range(0, wanted, together):
            pages = [Page(deployment.url, Spymaster(**one)) for one in made[start : start + together]]
            for slot in (1, 2):
                barrier = Barrier(together)
                asked = [
                    crowd.submit(ask, page, slot=slot, cue=next(cues), barrier=barrier) for page in pages
                ]
                taken += [future.result() for future in asked]
    cuts = statistics.quantiles(taken, n=20, method="inclusive")
    return {
        "verdicts": len(taken),
        "p50_ms": round(1000 * cuts[9], 1),
        "p95_ms": round(1000 * cuts[18], 1),
        "most_ms": round(1000 * max(taken), 1),
    }


def ask(page: Page, *, slot: int, cue: str, barrier: Barrier) -> float:
    barrier.wait()
    return page.ask_and_wait(slot=slot, cue=cue)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    if not os.environ.get("DATABASE_URL") or not os.environ.get("REDIS_URL"):
        sys.exit("Set DATABASE_URL, MARKETPLACE_DATABASE_URL and REDIS_URL.")
    new = map(make_cue, count())
    known = [f"known{make_cue(number)}" for number in range(2 * options.rounds * sum(CROWDS))]
    with (
        tempfile.TemporaryDirectory() as folder,
        server_databases() as databases,
        deployed(Path(folder), databases=databases, parts=("web", "beat")) as deployment,
    ):
        deployment.add("rival", "shell", "--no-imports", "--command", RIVAL)
        deployment.start("rival")
        measure(deployment, together=1, rounds=WARMING, cues=new)
        learn(deployment, known)
        found = {
            name: {
                str(together): measure(deployment, together=together, rounds=options.rounds, cues=cues)
                for together in CROWDS
            }
            for name, cues in (("new", new), ("known", iter(known)))
        }
    if options.json:
        print(json.dumps(found))  # noqa: T201
        return
    for name, crowds in found.items():
        for together, figures in crowds.items():
            words = ", ".join(f"{key} {value}" for key, value in figures.items())
            print(f"{name} words, {together:>2} at once: {words}")  # noqa: T201


def learn(deployment: Deployment, words: list[str]) -> None:
    """Put words into the vocabulary, and wait until the rival has read them."""
    deployment.shell(LEARN.format(words=words))

    def is_read() -> bool:
        return deployment.shell(UNREAD).split()[-1] == "0"

    wait_until(is_read, seconds=PATIENCE_S, what="the vocabulary is read")


if __name__ == "__main__":
    main()
