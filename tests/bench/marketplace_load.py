"""Workers at the marketplace on PostgreSQL: submits per second, and whether open HITs slow a page down.

Run it from the top folder: python -m tests.bench.marketplace_load
It makes two scratch databases on the server of POSTGRES_URL (default: postgres@127.0.0.1) and drops them.
"""

import os
import re
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from html import unescape
from pathlib import Path
from statistics import median
from urllib.parse import parse_qs, urlsplit

import psycopg

from tests.bench.deployed import PROCESSES, environment_of, scratch_databases, serving
from tests.bench.race.clients import Times, Visitor, drive, merged, spread
from tests.bench.servers import free_port

OPEN_HITS = (10, 1_000, 100_000)
ROUNDS = int(os.environ.get("ROUNDS", "3"))
CLIENTS = 8
WORKERS = int(os.environ.get("WORKERS", "64"))
EACH = 6  # HITs that one worker does in one round: fewer than the smallest number of open ones
EXTERNAL = {"question": "", "external_url": "https://example.org/question"}
UNLIMITED = {"CROWD_MARKETPLACE_WORKER_RATE": "0"}
STEPS = ("list", "accept", "work", "submit")
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
FRAME = re.compile(r'<iframe[^>]* src="([^"]+)"')


def main() -> None:
    """Measure in rounds. Each takes the three sizes in turn: a slow minute of the machine hits them all."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended early, it still ends its server
    seen: dict[int, Times] = {size: defaultdict(list) for size in OPEN_HITS}
    rates: dict[int, list[float]] = {size: [] for size in OPEN_HITS}
    with tempfile.TemporaryDirectory() as folder, scratch_databases() as databases:
        port = free_port()
        environ = environment_of(Path(folder), port, databases) | UNLIMITED
        set_environment(environ)
        seeded = {size: seed(size) for size in OPEN_HITS}
        analyze(databases["MARKETPLACE_DATABASE_URL"])
        with serving(environ, port):
            for number in range(ROUNDS):
                for size in OPEN_HITS:
                    group = seeded[size]
                    workers = [Client(port, group=group, session=sign_in(group)) for _ in range(WORKERS)]
                    turn = drive(workers, loops=EACH, clients=CLIENTS)
                    rates[size].append(turn.rate)
                    seen[size] = merged([seen[size], turn.times])
                sys.stderr.write(f"round {number + 1} of {ROUNDS} done\n")
    sys.stdout.write(table(seen, rates))


class Client:
    """A worker's browser: it lists, accepts, opens the framed work, submits."""

    def __init__(self, port: int, *, group: str, session: str) -> None:
        self.visitor = Visitor(port, host="localhost", **{f"worker_session_{port}": session})
        self._group = group

    def work_once(self) -> None:
        token = TOKEN.search(self.visitor.get("list", "/"))
        assert token, "The list has no form."
        accept = f"/groups/{self._group}/accept/"
        frame = self.open(self.visitor.post("accept", accept, csrfmiddlewaretoken=token[1]))
        query = parse_qs(urlsplit(frame).query)
        path = urlsplit(query["turkSubmitTo"][0]).path + "/mturk/externalSubmit"
        done = self.visitor.post("submit", path, assignmentId=query["assignmentId"][0], answer="A cat.")
        assert "Thank you" in done, done[:2000]

    def open(self, address: str) -> str:
        """Open the page of the accepted work, and return the address of the frame in it."""
        frame = FRAME.search(self.visitor.get("work", address))
        assert frame, "The work page shows no frame."
        return unescape(frame[1])


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


def table(seen: Mapping[int, Times], rates: Mapping[int, Sequence[float]]) -> str:
    lines = [
        f"{PROCESSES} web processes, {CLIENTS} clients, {ROUNDS} rounds of {WORKERS} workers x {EACH} HITs",
        "",
        "open HITs   submits/s (each round)      " + "  ".join(f"{step:>16}" for step in STEPS),
        " " * 40 + "  ".join(f"{'p50 / p95, ms':>16}" for _ in STEPS),
    ]
    for size in OPEN_HITS:
        figures = "  ".join(f"{spread(seen[size][step]):>16}" for step in STEPS)
        rounds = " ".join(f"{rate:.0f}" for rate in rates[size])
        lines.append(f"{size:>9}   {rounds:<26}  {figures}")
    lines.append("")
    least, most = OPEN_HITS[0], OPEN_HITS[-1]
    for step in STEPS:
        ratio = median(seen[most][step]) / median(seen[least][step])
        lines.append(f"{step}: {most:,} open HITs take {ratio:.2f} x the median time of {least}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
