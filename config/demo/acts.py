"""What every demo does: serve, launch, wait for the background, work, and pay by two people."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.utils import timezone

from config.demo.people import Cast
from config.demo.workers import SimulatedWorker, work_until_done
from config.logs import count_troubles
from config.processes import held_back, start_afresh, wait_until_healthy
from hits.errors import CrowdError
from hits.gateway import provider_for
from hits.models import HIT, Assignment, Batch, Bonus
from hits.services import runs
from hits.services.launching import launch_batch

# How the folder of a demo that has databases of its own begins; the demo removes it at its end.
SCRATCH = "crowd-demo-"
PATIENCE_S = 300
END_S = 30
LOOK_S = 0.2
SENT = (Bonus.Status.SENT, Bonus.Status.CONFIRMED)
Say = Callable[[str, int, int], None]


@contextmanager
def served(meanwhile: Callable[[], None] = lambda: None) -> Iterator[subprocess.Popen[bytes]]:
    """The product itself, started as a user would start it. Its log outlives a demo that met an error."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve"]
    process: subprocess.Popen[bytes] | None = None
    is_well = False
    try:
        with log_path().open("ab") as log, held_back(signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=start_afresh)  # noqa: PLW1509
        _tell(f"The servers' log is {log_path()}")
        meanwhile()
        wait_until_healthy(process)
        yield process
        is_well = True
    except KeyboardInterrupt:
        is_well = True
        raise
    finally:
        if process:
            _end(process)
        keep_log(is_well=is_well)


def log_path() -> Path:
    """What the demo's servers and helpers say: on the screen it would tear the progress bar."""
    return Path(settings.DATA_DIR, "demo.log")


def keep_log(*, is_well: bool) -> None:
    """A log that tells why is moved out of a folder that goes away, and named."""
    log = log_path()
    troubles = count_troubles(log)
    if is_well and not troubles:
        return
    if settings.DATA_DIR.name.startswith(SCRATCH):
        log = log.replace(f"{settings.DATA_DIR}.log")
        log.chmod(0o600)  # the folder was its owner's alone
    _tell(f"{_errors(troubles)} on the way. The servers' log is kept: {log}")


def _errors(count: int) -> str:
    return "Something went wrong" if not count else "1 error" if count == 1 else f"{count} errors"


def _tell(words: str) -> None:
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    """What it started ends with it."""
    process.terminate()
    try:
        process.wait(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait(
    what: str, count: Callable[[], int], goal: int, *, say: Say, also: Callable[[], bool] = lambda: True
) -> None:
    """As long as it moves, however slowly."""
    before, deadline = -1, 0.0
    while True:
        reached = count()
        say(what, reached, goal)
        if reached >= goal and also():
            return
        if reached != before:
            before, deadline = reached, time.monotonic() + PATIENCE_S
        if time.monotonic() > deadline:
            raise CrowdError(f"{what} stopped at {reached} of {goal} and has not moved for {PATIENCE_S} s.")
        time.sleep(LOOK_S)


def launch(batch: Batch, what: str, *, cast: Cast, say: Say) -> None:
    launch_batch(batch=batch, by=cast.researcher.user, now=timezone.now())
    wait(
        what, lambda: batch.hits.exclude(external_id="").count(), batch.hits_wanted, say=say,
        also=lambda: Batch.objects.filter(pk=batch.pk, status=Batch.Status.OPEN).exists(),
    )  # fmt: skip


def work(
    batch: Batch, what: str, *, workers: Sequence[SimulatedWorker], goal: int, seed: int, say: Say
) -> int:
    """Until nobody finds anything. How much was handed in, each read back from the provider."""
    done = 0
    for done, _ in enumerate(work_until_done(workers, seed=seed), start=1):
        say(what, done, max(goal, done))
    submitted = Assignment.objects.filter(hit__batch=batch, submitted_at__isnull=False)
    wait(what, submitted.count, done, say=say)
    return done


def pay(assignments: QuerySet[Assignment], *, cast: Cast, say: Say) -> None:
    """All bonuses of this work, by two people, as everywhere."""
    owed = assignments.filter(owed_at__isnull=False)
    submitted = assignments.filter(submitted_at__isnull=False)
    wait("Approving", owed.count, submitted.count(), say=say)
    bonuses = Bonus.objects.filter(assignment__in=assignments)
    _approve(cast, list(bonuses))
    confirmed = bonuses.filter(status=Bonus.Status.CONFIRMED)
    wait("Paying", confirmed.count, bonuses.count(), say=say)


def money(assignments: QuerySet[Assignment], *, batches: Sequence[Batch]) -> dict[str, Any]:
    """Our total from our rows; the marketplace's from its own lists."""
    bonuses = Bonus.objects.filter(assignment__in=assignments)
    sent = bonuses.filter(status__in=SENT)
    hits = HIT.objects.filter(batch__in=batches).exclude(external_id="")
    provider = provider_for(batches[0].account)
    paid = sum(
        (
            payment.amount
            for hit in hits
            for payment in provider.list_bonuses(hit_external_id=hit.external_id)
        ),
        Decimal(0),
    )
    total = sent.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)
    return {
        "bonuses_owed": bonuses.count(),
        "bonuses_sent": sent.count(),
        "bonus_total": f"{total:.2f}",
        "marketplace_bonus_total": f"{paid:.2f}",
    }


def _approve(cast: Cast, bonuses: list[Bonus]) -> None:
    prepared = runs.prepare_run(
        bonuses=bonuses, by=cast.preparer.user, title="The demo's bonuses", now=timezone.now()
    )
    runs.freeze_run(run=prepared, by=cast.preparer.user, now=timezone.now())
    runs.approve_run(run=prepared, digest=prepared.digest, by=cast.approver.user, now=timezone.now())
