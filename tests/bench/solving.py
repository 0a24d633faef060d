"""A solver's page and its answer under load: python -m tests.bench.solving --json

Needs PostgreSQL and Redis: DATABASE_URL, MARKETPLACE_DATABASE_URL, REDIS_URL. It makes databases of its own.
One web process; 1, 8 and 32 solvers who at the same moment open a page of three words and then answer it,
each in new work every time, so that every page leases and every answer is saved.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from threading import Barrier
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.bench.deployed import stored_bytes
from tests.promise.test_kill import Deployment, deployed, server_databases

CROWDS = (1, 8, 32)
ROUNDS = 12
ITEMS = 3
MAKE = """
import json
from datetime import timedelta
from uuid import uuid4
from django.core import signing
from django.utils import timezone
from hits.models import Item
from tests import factories

now = timezone.now()
unique = uuid4().hex[:8]
study = factories.make_study(name=f"study-{{unique}}")
account = factories.make_account(name=f"account-{{unique}}", ticket_key="ticket-key")
batch = factories.make_batch(study=study, account=account, status="open", items_per_assignment={items})
pictures = [factories.make_picture(concept=f"{{unique}} {{n}}") for n in range(10)]
from crowd.winogavil.services.seeded_associations import seed_association
for n in range({count} * {items} // 3 + {items}):
    seed_association(study=study, cue="snow", candidates=pictures, chosen=pictures[:3])
made = []
for n in range({count}):
    hit = factories.make_hit(batch=batch, external_id=f"HIT{{uuid4().hex.upper()}}", max_assignments=1)
    claims = {{"assignment": f"A{{uuid4().hex.upper()}}", "hit": hit.external_id, "worker": f"W{{uuid4().hex.upper()}}"}}
    times = {{"attempt": 1, "accepted": now.timestamp(), "expires": (now + timedelta(hours=1)).timestamp()}}
    ticket = signing.dumps({{**claims, **times}}, key="ticket-key", salt="marketplace.ticket")
    query = {{"assignmentId": claims["assignment"], "hitId": claims["hit"], "workerId": claims["worker"]}}
    query |= {{"turkSubmitTo": "http://localhost:8000/submit/x", "ticket": ticket}}
    made.append({{"path": f"/q/{{hit.public_id}}/", "query": query}})
print(json.dumps(made))
"""  # noqa: E501


def call(url: str, method: str, path: str, body: str = "") -> tuple[float, str]:
    """Make the call over a new connection: the server would have closed an idle one."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    began = time.perf_counter()
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    content = answer.read().decode()
    took = time.perf_counter() - began
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{method} {path.partition('?')[0]}: {answer.status} {content[:300]}")
    return took, content


def solve(url: str, work: dict[str, Any], *, barrier: Barrier) -> tuple[float, float]:
    barrier.wait()
    opened, page = call(url, "GET", f"{work['path']}?{urlencode(work['query'])}")
    answer = urlencode(fill_in(page, items=ITEMS), doseq=True)
    barrier.wait()
    answered, _ = call(url, "POST", f"{work['path']}answer/", answer)
    return opened, answered


def fill_in(page: str, *, items: int) -> dict[str, str | list[str]]:
    """Return the form of the page with the first three pictures chosen for each of its words."""
    token = re.findall(r'name="token"\s+value="([^"]+)"', page)[0]
    picks: dict[str, list[str]] = {}
    for name, key in re.findall(r'name="([0-9a-f-]{36})"\s+value="([^"]+)"', page):
        picks.setdefault(name, []).append(key)
    if len(picks) != items:
        raise RuntimeError(f"The page has {len(picks)} words, not {items}.")
    return {"token": token, **{name: keys[:3] for name, keys in picks.items()}}


def measure(deployment: Deployment, *, together: int, rounds: int) -> dict[str, float]:
    script = MAKE.format(count=together * rounds, items=ITEMS)
    made = json.loads(deployment.shell(script).splitlines()[-1])
    pages: list[float] = []
    answers: list[float] = []
    with ThreadPoolExecutor(together) as crowd:
        for start in range(0, len(made), together):
            barrier = Barrier(together)
            works = made[start : start + together]
            asked = [crowd.submit(solve, deployment.url, work, barrier=barrier) for work in works]
            for future in asked:
                opened, answered = future.result()
                pages.append(opened)
                answers.append(answered)
    return {"works": len(pages), **figures("page", pages), **figures("submit", answers)}


def figures(name: str, taken: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(taken, n=20, method="inclusive")
    return {f"{name}_p50_ms": round(1000 * cuts[9], 1), f"{name}_p95_ms": round(1000 * cuts[18], 1)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    if not os.environ.get("DATABASE_URL") or not os.environ.get("REDIS_URL"):
        sys.exit("Set DATABASE_URL, MARKETPLACE_DATABASE_URL and REDIS_URL.")
    with (
        tempfile.TemporaryDirectory() as folder,
        server_databases() as databases,
        deployed(Path(folder), databases=databases, parts=("web",)) as deployment,
    ):
        measure(deployment, together=4, rounds=3)  # until everything is warm
        stored = stored_bytes(databases["DATABASE_URL"])
        found = {
            str(together): measure(deployment, together=together, rounds=max(options.rounds, 24 // together))
            for together in CROWDS
        }
        works = sum(one["works"] for one in found.values())
        found["each"] = {"bytes": round((stored_bytes(databases["DATABASE_URL"]) - stored) / works)}
    if options.json:
        print(json.dumps(found))  # noqa: T201
        return
    for together, row in found.items():
        print(f"{together:>3} at once: {', '.join(f'{name} {value}' for name, value in row.items())}")  # noqa: T201


if __name__ == "__main__":
    main()
