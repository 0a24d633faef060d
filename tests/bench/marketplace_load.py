"""Workers at the marketplace on PostgreSQL: submits per second, and whether open HITs slow a page down.

    python -m tests.bench.marketplace_load --json
    python -m tests.bench.marketplace_load --sizes 1000 --clients 50 --workers 50 --think 2

Each worker lists, accepts, opens the work and submits, six times. It makes two scratch databases on the
server of POSTGRES_URL (default: postgres@127.0.0.1) and drops them. Rounds take the sizes in turn, so that a
slow minute of the machine hits them all.
"""

import argparse
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from html import unescape
from pathlib import Path
from random import uniform
from statistics import median
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg

from tests.bench.deployed import PROCESSES, environment_of, scratch_databases, serving, stored_bytes
from tests.bench.race.clients import Times, Visitor, drive, high, merged
from tests.bench.servers import Server, cpu_s, free_port

OPEN_HITS = (10, 1_000, 100_000)
ROUNDS = 3
CLIENTS = 8
WORKERS = 64
WARMING = 32  # workers until every thread has loaded what it needs
EACH = 6  # HITs that one worker does in one round: fewer than the smallest number of open ones
EXTERNAL = {"question": "", "external_url": "https://example.org/question"}
UNLIMITED = {"CROWD_MARKETPLACE_WORKER_RATE": "0"}
STEPS = ("list", "accept", "work", "submit")
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
FRAME = re.compile(r'<iframe[^>]* src="([^"]+)"')


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended early, it still ends its server
    options = read_options()
    with tempfile.TemporaryDirectory() as folder, scratch_databases() as databases:
        port = free_port()
        environ = environment_of(Path(folder), port, databases) | UNLIMITED
        set_environment(environ)
        groups = {size: seed(size) for size in options.sizes}
        analyze(databases["MARKETPLACE_DATABASE_URL"])
        with serving(environ, port) as server:
            drive(make_workers(port, groups[options.sizes[0]], WARMING), loops=1, clients=options.clients)
            found = measure(options, server, groups, database=databases["MARKETPLACE_DATABASE_URL"])
    sys.stdout.write(f"{json.dumps(found)}\n" if options.json else table(found, options))


def measure(
    options: argparse.Namespace, server: Server, groups: Mapping[int, str], *, database: str
) -> dict[str, Any]:
    seen: dict[int, Times] = {size: defaultdict(list) for size in groups}
    rates: dict[int, list[float]] = {size: [] for size in groups}
    before = (cpu_s(server), machine_cpu_s() - time.process_time(), stored_bytes(database))
    for _ in range(options.rounds):
        for size, group in groups.items():
            workers = make_workers(server.port, group, options.workers, think_s=options.think)
            turn = drive(workers, loops=EACH, clients=options.clients)
            rates[size].append(turn.rate)
            seen[size] = merged([seen[size], turn.times])
    after = (cpu_s(server), machine_cpu_s() - time.process_time(), stored_bytes(database))
    web_s, machine_s, stored = (end - begin for begin, end in zip(before, after, strict=True))
    submits = sum(len(times["submit"]) for times in seen.values())
    return {
        **{str(size): figures(seen[size], rates[size]) for size in groups},
        "each": {
            "web_cpu_ms": round(1000 * web_s / submits, 2),
            "machine_cpu_ms": round(1000 * machine_s / submits, 2),
            "bytes": round(stored / submits),
        },
    }


def machine_cpu_s() -> float:
    """Seconds for which the processors were busy, with whatever else this machine does."""
    ticks = list(map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9]))
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK")


def make_workers(port: int, group: str, count: int, *, think_s: float = 0) -> list["Client"]:
    return [Client(port, group=group, session=sign_in(group), think_s=think_s) for _ in range(count)]


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sizes", type=_sizes, default=OPEN_HITS, help="numbers of open HITs")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--clients", type=int, default=CLIENTS, help="workers at once")
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--think", type=float, default=0, help="seconds before each step, on average")
    return parser.parse_args()


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def figures(times: Times, rates: list[float]) -> dict[str, Any]:
    steps = {
        f"{step}_{name}_ms": round(1000 * of(times[step]), 1)
        for step in STEPS
        for name, of in (("p50", median), ("p95", high))
    }
    return {"submits_per_s": round(median(rates), 1), **steps}


class Client:
    """A worker's browser: it lists, accepts, opens the framed work, submits."""

    def __init__(self, port: int, *, group: str, session: str, think_s: float = 0) -> None:
        self.visitor = Visitor(port, host="localhost", **{f"worker_session_{port}": session})
        self._group = group
        self._think_s = think_s

    def work_once(self) -> None:
        self._think()
        token = TOKEN.search(self.visitor.get("list", "/"))
        assert token, "The list has no form."
        accept = f"/groups/{self._group}/accept/"
        self._think()
        frame = self.open(self.visitor.post("accept", accept, csrfmiddlewaretoken=token[1]))
        query = parse_qs(urlsplit(frame).query)
        path = urlsplit(query["turkSubmitTo"][0]).path + "/mturk/externalSubmit"
        self._think()
        done = self.visitor.post("submit", path, assignmentId=query["assignmentId"][0], answer="A cat.")
        assert "Thank you" in done, done[:2000]

    def open(self, address: str) -> str:
        """Open the page of the accepted work, and return the address of the frame in it."""
        frame = FRAME.search(self.visitor.get("work", address))
        assert frame, "The work page shows no frame."
        return unescape(frame[1])

    def _think(self) -> None:
        if self._think_s:
            time.sleep(uniform(0, 2 * self._think_s))


def seed(open_hits: int, question: Mapping[str, str] = EXTERNAL) -> str:
    """Create a HIT type with that many open HITs, each with room for all the workers. Returns its id."""
    from django.utils import timezone  # noqa: PLC0415  settings are made first

    from crowd.marketplace.models import HIT, HITType  # noqa: PLC0415
    from crowd.marketplace.services.requesters import create_requester  # noqa: PLC0415

    now = timezone.now()
    name = f"{open_hits} open"
    requester = create_requester(name=name, deposit=0, fee_schedule="none", now=now).requester  # type: ignore[arg-type]
    group = HITType.objects.create(
        requester=requester,
        digest=name,
        title=name,
        description="Measured.",
        reward=0,
        assignment_duration_s=3600,
        auto_approval_delay_s=86_400,
        is_listed=False,
    )
    hits = (
        HIT(
            requester=requester,
            hit_type=group,
            **question,
            frame_height=0,
            max_assignments=1_000_000,
            fee=0,
            created_at=now,
            expires_at=now + timedelta(days=30),
        )
        for _ in range(open_hits)
    )
    HIT.objects.bulk_create(hits, batch_size=5_000)
    return group.external_id


def analyze(database: str) -> None:
    """Update the statistics, as PostgreSQL does by itself within a minute of so many new rows."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("ANALYZE")


def sign_in(group: str) -> str:
    """Create a worker and return the session. Only the group under measurement is on the list."""
    from django.utils import timezone  # noqa: PLC0415

    from crowd.marketplace.models import HITType  # noqa: PLC0415
    from crowd.marketplace.models.parties import Worker  # noqa: PLC0415
    from crowd.marketplace.services import worker_sign_in  # noqa: PLC0415

    now = timezone.now()
    HITType.objects.exclude(external_id=group).update(is_listed=False)
    HITType.objects.filter(external_id=group).update(is_listed=True)
    return worker_sign_in.sign_in(worker=Worker.objects.create(name="Measured", created_at=now), now=now)


def set_environment(environ: Mapping[str, str]) -> None:
    """Set the databases and keys for this process, and lay the databases."""
    os.environ.update(environ)
    import django  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    django.setup()
    for database in ("default", "marketplace"):
        call_command("migrate", database=database, verbosity=0)


def table(found: Mapping[str, Any], options: argparse.Namespace) -> str:
    steps = "  ".join(f"{f'{step}, p50 / p95 ms':>22}" for step in STEPS)
    lines = [
        f"{PROCESSES} web processes, {options.clients} clients, {options.think:g} s of thought before a step",
        f"{options.rounds} rounds of {options.workers} workers x {EACH} HITs",
        f"{'open HITs':>9}  {'submits/s':>9}  {steps}",
    ]
    sizes = [one for name, one in found.items() if name != "each"]
    for size, one in zip(options.sizes, sizes, strict=True):
        spread = (f"{one[f'{step}_p50_ms']} / {one[f'{step}_p95_ms']}" for step in STEPS)
        lines.append(f"{size:>9}  {one['submits_per_s']:>9}  " + "  ".join(f"{text:>22}" for text in spread))
    if len(sizes) > 1:
        least, *_, most = sizes
        for step in STEPS:
            ratio = most[f"{step}_p50_ms"] / least[f"{step}_p50_ms"]
            lines.append(f"{step}: the most open HITs take {ratio:.2f} times the median of the fewest")
    each = found["each"]
    lines.append(
        f"each submit: {each['web_cpu_ms']} ms of the web processes, {each['machine_cpu_ms']} ms of all but "
        f"the clients, {each['bytes']} bytes in the marketplace's tables"
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
