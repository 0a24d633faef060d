"""Every admin page at 10,000 HITs with 30,000 assignments: queries, and milliseconds.

Run it from the top folder: python -m tests.bench.admin_pages
It fails where a page takes ten queries or more, or over 200 ms. DATABASE_URL may name an empty database.

With --assignments N it tells the ten slowest pages instead, beside an almost empty database of its own (that
of BASE_DATABASE_URL, if there is one): queries of both, and how many times as long a page takes. --json tells
it to programs. It fails where a page takes over 25 queries, or more than on the almost empty database.
"""

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from cryptography.fernet import Fernet

HITS = int(os.environ.get("HITS", "10000"))
BATCHES = 6
ROUNDS = 5
MOST_QUERIES, MOST_MS = 10, 200.0
FILE = "export, first rows"

Row = tuple[str, int, float, float, str]
# Assignments of each HIT, and HITs of a database that is almost empty: every list has a row there.
EACH, FEW = 3, 60
SLOWEST, MOST_OF_ALL = 10, 25


def main() -> None:
    asked = _read_arguments()
    if asked.assignments:
        compared = compare(hits=asked.assignments // EACH)
        sys.stdout.write(json.dumps(compared, indent=1) + "\n" if asked.json else in_lines(compared))
        sys.exit(any(row["wrong"] for row in compared))
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        rows = measure()
    sys.stdout.write(json.dumps(rows) + "\n" if asked.json else table(rows))
    if any(row[-1] for row in rows):
        sys.exit(1)


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Queries and times of the admin's pages.")
    parser.add_argument("--assignments", type=int, help="compare this many with an almost empty database")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def compare(*, hits: int) -> list[dict[str, Any]]:
    """Return the slowest pages, and all that are wrong, each beside itself on an almost empty database."""
    base = {row[0]: row for row in _measured(hits=FEW, database=os.environ.get("BASE_DATABASE_URL"))}
    full = _measured(hits=hits, database=os.environ.get("DATABASE_URL"))
    rows = [_beside(row, base[row[0]]) for row in full if row[0] in base]
    rows.sort(key=lambda row: -row["ms"])
    return [row for place, row in enumerate(rows) if place < SLOWEST or row["wrong"]]


def _measured(*, hits: int, database: str | None) -> list[Row]:
    """Measure in a process of its own: a database is chosen once."""
    others = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    chosen = {"DATABASE_URL": database} if database else {}
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.admin_pages", "--json"],
        env={**others, **chosen, "HITS": str(hits)},
        stdout=subprocess.PIPE,
        check=False,  # it fails where a page is slow, and tells the rows all the same
    )
    rows: list[Row] = [tuple(row) for row in json.loads(done.stdout.splitlines()[-1])]
    return rows


def _beside(row: Row, base: Row) -> dict[str, Any]:
    name, queries, took, _, _ = row
    wrong = [f"{queries} queries"] if queries > MOST_OF_ALL and name != FILE else []
    wrong += ["grows with rows"] if queries > base[1] + 1 and name != FILE else []
    return {
        "page": name,
        "queries": queries,
        "queries_if_empty": base[1],
        "ms": round(took, 1),
        "times_as_long": round(took / base[2], 2),
        "wrong": ", ".join(wrong),
    }


def in_lines(rows: list[dict[str, Any]]) -> str:
    lines = ["queries  if empty       ms   times  page"]
    lines += [
        f"{row['queries']:7}  {row['queries_if_empty']:8}  {row['ms']:7.1f}  {row['times_as_long']:6.2f}  "
        f"{row['page']}{' <- ' if row['wrong'] else ''}{row['wrong']}"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def prepare(data: Path) -> None:
    """Set up databases of its own, and a stub as the provider: no page waits for a server."""
    (data / "static").mkdir()
    os.environ |= {
        "CROWD_DATA_DIR": str(data),
        "CROWD_PUBLIC_URL": "http://127.0.0.1:8000",
        "CROWD_FIELD_KEYS": Fernet.generate_key().decode(),
        "CROWD_MARKETPLACE_KEYS": Fernet.generate_key().decode(),
        "CROWD_SECRET_KEY": "secret",
        "CROWD_PSEUDONYM_KEYS": "pseudonyms",
        "CROWD_TOKEN_KEYS": "tokens",
        "CROWD_SECOND_FACTOR": "off",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    import django  # noqa: PLC0415  settings are made first
    from django.core.management import call_command  # noqa: PLC0415

    django.setup()
    logging.disable(logging.WARNING)
    from hits.providers.gateway import registry  # noqa: PLC0415
    from tests.stubbed import StubbedTurk  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    stubbed = StubbedTurk()
    registry._boto_provider = lambda **_: stubbed.provider  # type: ignore[assignment]


def measure() -> list[Row]:
    """Rows of each page: name, queries, median milliseconds, processor milliseconds, and what is wrong."""
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415
    from django.urls import reverse  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from hits.batches.services import batch_counters  # noqa: PLC0415
    from hits.studies.models import Batch  # noqa: PLC0415
    from tests.admin_pages import fill, pages  # noqa: PLC0415

    user = fill(hits=HITS, batches=BATCHES, now=timezone.now())
    Batch.objects.update(is_stale=True)
    batch_counters.refresh_stale(now=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    client = Client(SERVER_NAME="127.0.0.1", raise_request_exception=False)
    client.force_login(user)
    only = os.environ.get("ONLY", "")
    rows = [observe(name, address, client.get) for name, address in pages() if only in name]
    largest = Batch.objects.exclude(launched_at=None).order_by("pk")[0]
    address = reverse("admin:hits_batch_export", args=[largest.pk])

    def export(address: str) -> Any:
        response: Any = client.post(address, {"shape": "flat", "kind": "csv", "include_excluded": "on"})
        next(iter(response.streaming_content))
        return response

    return [*rows, observe(FILE, address, export)]


def observe(name: str, address: str, ask: Any) -> Row:
    from django.db import connection  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    with CaptureQueriesContext(connection) as queries:
        response = ask(address)
    asked = len(queries)
    if "SHOW" in os.environ and os.environ["SHOW"] in name:
        for query in queries.captured_queries:
            sys.stderr.write(f"{query['time']} {query['sql'][:1500]}\n")
    times, work = [], []
    for _ in range(ROUNDS):
        began, worked = time.perf_counter(), time.process_time()
        ask(address)
        times.append(1000 * (time.perf_counter() - began))
        work.append(1000 * (time.process_time() - worked))
    took = median(times)
    wrong = [f"answers {response.status_code}"] if response.status_code not in (200, 302) else []
    # A file is read in slices, so the limit of a page's queries does not apply to it.
    wrong += [f"{asked} queries"] if asked > MOST_QUERIES and name != FILE else []
    wrong += ["too slow"] if took > MOST_MS else []
    return name, asked, took, median(work), ", ".join(wrong)


def table(rows: list[Row]) -> str:
    lines = [f"{HITS:,} HITs in {BATCHES} batches; median of {ROUNDS}", "", "queries       ms   cpu ms  page"]
    lines += [
        f"{queries:7}  {took:7.1f}  {work:7.1f}  {name}{f'   <- {wrong}' if wrong else ''}"
        for name, queries, took, work, wrong in rows
    ]
    bad = sum(bool(row[-1]) for row in rows)
    return "\n".join([*lines, "", f"{len(rows)} pages, {bad} of them beyond the bounds"]) + "\n"


if __name__ == "__main__":
    main()
