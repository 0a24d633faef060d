"""Workers at the marketplace on PostgreSQL: submits per second, and whether open HITs slow a page down.

Run it from the top folder: python -m tests.bench.marketplace_load
It makes two scratch databases on the server of POSTGRES_URL (default: postgres@127.0.0.1) and drops them.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from statistics import quantiles
from urllib.parse import parse_qs, urlencode, urlsplit

import psycopg
from cryptography.fernet import Fernet

from tests.bench.servers import ROOT, Server, end_group, environment, free_port
from tests.config.processes import wait_until

OPEN_HITS = (10, 1_000, 100_000)
ROUNDS = int(os.environ.get("ROUNDS", "3"))
PROCESSES = 4
CLIENTS = 8
WORKERS = int(os.environ.get("WORKERS", "64"))
EACH = 6  # HITs that one worker does in one round: fewer than the smallest number of open ones
STEPS = ("list", "accept", "work", "submit")
POSTGRES = os.environ.get("POSTGRES_URL", "postgres://postgres@127.0.0.1")
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
FRAME = re.compile(r'<iframe[^>]* src="([^"]+)"')

Times = dict[str, list[float]]


def main() -> None:
    """Measure in rounds. Each takes the three sizes in turn: a slow minute of the machine hits them all."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended early, it still ends its server
    seen: dict[int, Times] = {size: defaultdict(list) for size in OPEN_HITS}
    rates: dict[int, list[float]] = {size: [] for size in OPEN_HITS}
    with tempfile.TemporaryDirectory() as folder, scratch_databases() as databases:
        port = free_port()
        environ = set_environment(Path(folder), port, databases)
        seeded = {size: seed(size) for size in OPEN_HITS}
        analyze(databases["MARKETPLACE_DATABASE_URL"])
        with serving(environ, port):
            for number in range(ROUNDS):
                for size in OPEN_HITS:
                    sessions = [sign_in(seeded[size]) for _ in range(WORKERS)]
                    rates[size].append(run(port, seeded[size], sessions, seen[size]))
                sys.stderr.write(f"round {number + 1} of {ROUNDS} done\n")
    sys.stdout.write(table(seen, rates))


def run(port: int, group: str, sessions: Sequence[str], seen: Times) -> float:
    """Submits per second of all clients together."""
    waiting = list(sessions)
    lock = threading.Lock()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            while True:
                with lock:
                    if not waiting:
                        return
                    session = waiting.pop()
                times = Client(port, session).work_on(group, times=EACH)
                with lock:
                    for step, values in times.items():
                        seen[step] += values
        except BaseException as failure:  # noqa: BLE001  the main thread raises it again
            failures.append(failure)

    began = time.perf_counter()
    threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return len(sessions) * EACH / (time.perf_counter() - began)


class Client:
    """A worker's browser on one kept-alive connection: it lists, accepts, opens the framed work, submits."""

    def __init__(self, port: int, session: str) -> None:
        from django.conf import settings  # noqa: PLC0415  they are made first

        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._host = f"localhost:{port}"
        self._cookies = {settings.MARKETPLACE_COOKIES.format("worker_session"): session}
        self._times: Times = defaultdict(list)

    def work_on(self, group: str, *, times: int) -> Times:
        for _ in range(times):
            page = self._ask("list", "GET", "/")
            token = TOKEN.search(page)
            assert token, page[:2000]
            address = self._ask("accept", "POST", f"/groups/{group}/accept/", csrfmiddlewaretoken=token[1])
            frame = FRAME.search(self._ask("work", "GET", address))
            assert frame, "The work page shows no frame."
            query = parse_qs(urlsplit(unescape(frame[1])).query)
            path = urlsplit(query["turkSubmitTo"][0]).path + "/mturk/externalSubmit"
            done = self._ask("submit", "POST", path, assignmentId=query["assignmentId"][0], answer="A cat.")
            assert "Thank you" in done, done[:2000]
        self._connection.close()
        return self._times

    def _ask(self, step: str, method: str, path: str, **form: str) -> str:
        """Ask, and return the page, or the address that it redirects to."""
        headers = {"Host": self._host, "Cookie": "; ".join(f"{k}={v}" for k, v in self._cookies.items())}
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        began = time.perf_counter()
        self._connection.request(method, path, urlencode(form) if form else None, headers)
        answer = self._connection.getresponse()
        body = answer.read().decode()
        self._times[step].append(time.perf_counter() - began)
        assert answer.status in (200, 302), f"{step}: {answer.status} {body[:2000]}"
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self._cookies[name] = value
        return answer.headers["Location"] or body


def seed(open_hits: int) -> str:
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
            question="",
            external_url="https://example.org/question",
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


def set_environment(data: Path, port: int, databases: Mapping[str, str]) -> dict[str, str]:
    """Set the databases and keys for this process, and return them for the server."""
    keys = {
        "CROWD_FIELD_KEYS": Fernet.generate_key().decode(),
        "CROWD_MARKETPLACE_KEYS": Fernet.generate_key().decode(),
        "CROWD_SECRET_KEY": "secret",
        "CROWD_PSEUDONYM_KEYS": "pseudonyms",
        "CROWD_TOKEN_KEYS": "tokens",
    }
    environ = {
        **environment(data, port),
        **databases,
        **keys,
        "CROWD_MARKETPLACE_WORKER_RATE": "0",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    os.environ.update(environ)
    import django  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    django.setup()
    (data / "static").mkdir()
    for database in ("default", "marketplace"):
        call_command("migrate", database=database, verbosity=0)
    return environ


@contextmanager
def scratch_databases() -> Iterator[dict[str, str]]:
    names = {
        "DATABASE_URL": f"bench_crowd_{os.getpid()}",
        "MARKETPLACE_DATABASE_URL": f"bench_market_{os.getpid()}",
    }
    with psycopg.connect(f"{POSTGRES}/postgres", autocommit=True) as server:
        for name in names.values():
            server.execute(f"CREATE DATABASE {name}")
        try:
            yield {variable: f"{POSTGRES}/{name}" for variable, name in names.items()}
        finally:
            for name in names.values():
                server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def serving(environ: Mapping[str, str], port: int) -> Iterator[None]:
    command = [
        sys.executable, "-m", "gunicorn", "config.wsgi", f"--bind=127.0.0.1:{port}",
        f"--workers={PROCESSES}", "--worker-class=gthread", "--threads=4", "--log-level=warning",
        "--no-control-socket",
    ]  # fmt: skip
    log = (Path(environ["CROWD_DATA_DIR"]) / "server.log").open("wb")
    process = subprocess.Popen(
        command, cwd=ROOT, env=dict(environ), stdout=log, stderr=log, start_new_session=True
    )
    try:
        wait_until(lambda: is_up(port), seconds=60, what="the server answers")
        yield
    finally:
        end_group(Server(name="marketplace", port=port, process=process).process)
        log.close()


def is_up(port: int) -> bool:
    try:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/health/", headers={"Host": f"localhost:{port}"})
        return connection.getresponse().status == 200
    except OSError:
        return False


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
        ratio = middle(seen[most][step]) / middle(seen[least][step])
        lines.append(f"{step}: {most:,} open HITs take {ratio:.2f} x the median time of {least}")
    return "\n".join(lines) + "\n"


def middle(values: Sequence[float]) -> float:
    return quantiles(values, n=20)[9]


def spread(values: Sequence[float]) -> str:
    cuts = quantiles(values, n=20)
    return f"{1000 * cuts[9]:.1f} / {1000 * cuts[18]:.1f}"


if __name__ == "__main__":
    main()
