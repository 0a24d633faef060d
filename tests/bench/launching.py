"""A launch of 1,000 HITs and one of 10,000: the memory that each takes, and the HITs sent in a second.

Run it from the top folder: python -m tests.bench.launching
Each size has a process and a SQLite file of its own. The provider answers at once, in the process, so that
the product alone is measured; the account's rate limits what a real provider is asked in a second.
"""

import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.bench.servers import ROOT, environment, migrate

SIZES = (1_000, 10_000)
WARM_UP = 100
MOST_RATIO = 1.1


class PromptClient:
    """A stand-in for boto3's client that keeps nothing but a number."""

    def __init__(self) -> None:
        self.made = 0

    def create_hit(self, **terms: Any) -> Any:
        self.made += 1
        return {
            "HIT": {
                "HITId": f"HIT{self.made:027}",
                "HITTypeId": "TYPE",
                "RequesterAnnotation": terms["RequesterAnnotation"],
                "HITStatus": "Assignable",
                "MaxAssignments": terms["MaxAssignments"],
                "NumberOfAssignmentsAvailable": terms["MaxAssignments"],
                "NumberOfAssignmentsPending": 0,
                "NumberOfAssignmentsCompleted": 0,
                "Expiration": datetime.now(UTC) + timedelta(days=1),
            }
        }


def main() -> int:
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
        return 0
    few, many = [run(size) for size in SIZES]
    ratio = many / few
    sys.stdout.write(f"the peak at {SIZES[1]} HITs is {ratio:.3f} times that at {SIZES[0]}\n")
    return 0 if ratio <= MOST_RATIO else 1


def run(size: int) -> int:
    """Run one size in a process of its own. Returns the peak of its memory in kilobytes."""
    with tempfile.TemporaryDirectory() as folder:
        migrate(Path(folder))
        command = [sys.executable, "-m", "tests.bench.launching", str(size)]
        environ = environment(Path(folder), 8000)
        told = subprocess.run(command, cwd=ROOT, env=environ, check=True, stdout=subprocess.PIPE, text=True)
    line = told.stdout.splitlines()[-1]
    sys.stdout.write(f"{line}\n")
    return int(line.rpartition(" ")[0].rpartition(" ")[2])


def measure(size: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django  # noqa: PLC0415

    django.setup()
    from hits.providers.gateway import registry  # noqa: PLC0415
    from hits.providers.gateway.boto import BotoProvider  # noqa: PLC0415

    provider = BotoProvider(PromptClient())
    with patch.object(registry, "_boto_provider", lambda **_: provider):
        launch(WARM_UP)
        before = memory("VmRSS")
        took = launch(size)
    peak = memory("VmHWM")
    written, sent = took
    sys.stdout.write(
        f"{size:>6} HITs: written in {written:.2f} s, sent {size / sent:.0f} a second, "
        f"memory grew by {max(0, peak - before)} kB to a peak of {peak} kB\n"
    )


def memory(field: str) -> int:
    """Kilobytes of this process: the current or the highest, by the field of /proc."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def launch(size: int) -> tuple[float, float]:
    """Seconds for writing the intents, and for sending them."""
    from django.utils import timezone  # noqa: PLC0415

    from crowd.winogavil.solver_task import SolveTask  # noqa: PLC0415
    from hits.batches.services.launching import launch_batch  # noqa: PLC0415
    from hits.batches.services.sending_hits import send_launching_batches  # noqa: PLC0415
    from hits.studies.models import Batch  # noqa: PLC0415
    from hits.work.models.items import Item  # noqa: PLC0415
    from tests.factories import make_batch, make_study, make_user  # noqa: PLC0415

    study = make_study(budget=Decimal(1_000_000))
    Item.objects.create(study=study, task=SolveTask.key, wanted=3, created_at=timezone.now())
    batch = make_batch(study=study, hits_wanted=size)
    began = time.monotonic()
    launch_batch(batch=batch, by=make_user(), now=timezone.now())
    written = time.monotonic()
    while Batch.objects.filter(pk=batch.pk, status=Batch.Status.LAUNCHING).exists():
        send_launching_batches(now=timezone.now())
    return written - began, time.monotonic() - written


if __name__ == "__main__":
    sys.exit(main())
