"""The embedded form as processes: their memory, and what is lost when one of them is killed."""

import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.config.processes import Product, serving, tree, wait_until

pytestmark = pytest.mark.pure  # the processes have databases of their own

WEB_LIMIT_MB = 200
HITS = 200
LAUNCH = """
from django.utils import timezone
from hits.models import Account, Batch, Study, User
from hits.batches.services.launching import launch_batch
from tests.factories import make_association
study = Study.objects.create(name='Kill', lab='lab', budget=1000)
make_association(study=study)
batch = Batch.objects.create(study=study, account=Account.objects.get(), task='winogavil.solve',
    title='t', description='d', reward='0.01', hits_wanted=200)
launch_batch(batch=batch, by=User.objects.create_user('researcher'), now=timezone.now())
"""
LISTED = """
from hits.providers.gateway.registry import provider_for
from hits.models import HIT, Account
theirs = [hit.external_id for hit in provider_for(Account.objects.get()).list_hits()]
ours = list(HIT.objects.values_list('external_id', flat=True))
print(len(theirs), len(ours), sorted(theirs) == sorted(ours))
"""


@pytest.fixture
def product(tmp_path: Path) -> Iterator[Product]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    with serving(tmp_path, port=port) as running:
        yield running


def weight_mb(pid: int) -> float:
    """Proportional memory of the process tree: what processes share is counted once."""
    rollups = (Path(f"/proc/{each}/smaps_rollup").read_text() for each in tree(pid))
    lines = (line for rollup in rollups for line in rollup.splitlines() if line.startswith("Pss:"))
    return sum(int(line.split()[1]) for line in lines) / 1024


def launched(product: Product) -> int:
    """Number of open HITs, read from the file itself: a manage.py command takes longer than the launch."""
    path = Path(product.environ["CROWD_DATA_DIR"]) / "crowd.sqlite3"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        (count,) = database.execute("SELECT count(*) FROM hits_hit WHERE status = 'open'").fetchone()
    return int(count)


def shell(product: Product, script: str) -> str:
    return product.manage("shell", "--no-imports", "--command", script).strip()


def test_web_process_stays_under_its_limit(product: Product) -> None:
    shell(product, LAUNCH)
    wait_until(lambda: launched(product) == HITS, seconds=60, what="the HITs are launched")

    assert weight_mb(product.children()["web"]) < WEB_LIMIT_MB


def test_nobody_else_can_read_what_it_keeps(product: Product) -> None:
    folder = Path(product.environ["CROWD_DATA_DIR"])
    wait_until((folder / "broker" / "sweeps").is_dir, seconds=30, what="the background process listens")

    kept = {
        str(path.relative_to(folder)): oct(path.stat().st_mode & 0o777)
        for path in folder.rglob("*")
        if path.name != "serve.log"
        and not path.relative_to(folder).parts[0].startswith("static")
        and path.parent.name != "messages"  # messages come and go
    }

    assert {"keys.json", "crowd.sqlite3", "marketplace.sqlite3"} <= {*kept}
    assert {"broker/messages", "broker/sweeps"} <= {*kept}
    assert {name: mode for name, mode in kept.items() if not mode.endswith("00")} == {}


def test_killing_each_process_in_mid_launch_loses_no_hit(product: Product) -> None:
    shell(product, LAUNCH)
    for name in ("web", "background"):
        reached = launched(product)
        wait_until(lambda: launched(product) > reached, seconds=60, what="launching goes on")  # noqa: B023
        product.kill(name)
        assert launched(product) < HITS, "it was too quick to be killed in the middle"

    wait_until(lambda: launched(product) == HITS, seconds=90, what="all HITs are launched")
    wait_until(product.is_healthy, seconds=60, what="the product answers")
    assert shell(product, LISTED) == f"{HITS} {HITS} True"


def test_stopping_ends_every_process(product: Product) -> None:
    pids = [pid for child in product.children().values() for pid in tree(child)]

    product.process.send_signal(signal.SIGTERM)
    product.process.wait(timeout=30)

    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []


def test_killing_the_supervisor_leaves_no_process_behind(product: Product) -> None:
    pids = [pid for child in product.children().values() for pid in tree(child)]

    product.process.kill()

    wait_until(
        lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids),
        seconds=30,
        what="its processes have ended",
    )
