"""Every admin page at 10,000 HITs with 30,000 assignments: queries, and milliseconds.

Run it from the top folder: python -m tests.bench.admin_pages
It fails where a page takes ten queries or more, or over 200 ms. DATABASE_URL may name an empty database.
"""

import logging
import os
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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        rows = measure()
    sys.stdout.write(table(rows))
    if any(row[-1] for row in rows):
        sys.exit(1)


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
