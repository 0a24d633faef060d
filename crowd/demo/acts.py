"""Steps of every demo: launch, wait for the background, work, and payment by two people."""

import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.utils import timezone

from crowd.demo.demo_people import Cast
from crowd.demo.workers import SimulatedWorker, work_until_done
from hits.batches.services.launching import launch_batch
from hits.core.errors import CrowdError
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.services import bonus_runs
from hits.payments.services.accrual import owe_extra
from hits.providers.gateway.registry import provider_for
from hits.review.models import Appeal
from hits.review.services.appeal_handling import make_appeal
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

PATIENCE_S = 300
LOOK_S = 0.2
THANKS = Decimal("0.10")
APPEAL = "I took care with this one, and had hoped for more. Would you look at it again, please?"
SENT = (Bonus.Status.SENT, Bonus.Status.CONFIRMED)
Say = Callable[[str, int, int], None]


def log_path() -> Path:
    """The log of the demo's servers and helpers: on the screen it would tear the progress bar."""
    return Path(settings.DATA_DIR, "demo.log")


def wait(
    what: str, count: Callable[[], int], goal: int, *, say: Say, also: Callable[[], bool] = lambda: True
) -> None:
    """Wait until the goal is reached, as long as the count moves, however slowly.

    Raises CrowdError if it stops.
    """
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
        what, lambda: batch.hits.exclude(external_id="").count(), batch.hits.count(), say=say,
        also=lambda: Batch.objects.filter(pk=batch.pk, status=Batch.Status.OPEN).exists(),
    )  # fmt: skip


def work(
    batch: Batch, what: str, *, workers: Sequence[SimulatedWorker], goal: int, seed: int, say: Say
) -> int:
    """Let the workers work until none finds a HIT; return how many submissions the provider confirms."""
    done = 0
    for done, _ in enumerate(work_until_done(workers, seed=seed), start=1):
        say(what, done, max(goal, done))
    submitted = Assignment.objects.filter(hit__batch=batch, submitted_at__isnull=False)
    wait(what, submitted.count, done, say=say)
    return done


def pay(assignments: QuerySet[Assignment], *, cast: Cast, say: Say) -> None:
    """Pay all bonuses of this work, by two people, as everywhere."""
    owed = assignments.filter(owed_at__isnull=False)
    submitted = assignments.filter(submitted_at__isnull=False)
    wait("Approving", owed.count, submitted.count(), say=say)
    bonuses = Bonus.objects.filter(assignment__in=assignments)
    _approve(cast, list(bonuses))
    confirmed = bonuses.filter(status=Bonus.Status.CONFIRMED)
    wait("Paying", confirmed.count, bonuses.count(), say=say)


def leave_run(cast: Cast) -> Run | None:
    """Leave a thank-you for the demo's first approved work in a run to approve, and one more for a run.

    Returns the run, or None without any work.
    """
    approved = Assignment.objects.filter(hit__batch__study=cast.study, status=Assignment.Status.APPROVED)
    works = approved.order_by("pk")[:2]
    if not works:
        return None
    bonus, *_ = [
        owe_extra(
            assignment=work,
            rule="thanks",
            amount=THANKS,
            reason=f"Thank you for being the {place}.",
            why="The demo leaves a run to approve, and a bonus to prepare one of.",
            by=cast.preparer.user,
            now=timezone.now(),
        )
        for work, place in zip(works, ("first", "second"), strict=False)
    ]
    run = bonus_runs.prepare_run(
        bonuses=[bonus], by=cast.preparer.user, title="A thank-you", now=timezone.now()
    )
    bonus_runs.freeze_run(run=run, by=cast.preparer.user, now=timezone.now())
    return run


def leave_appeal(cast: Cast) -> Appeal | None:
    """Leave a worker's question about the demo's last approved work; None without any."""
    approved = Assignment.objects.filter(hit__batch__study=cast.study, status=Assignment.Status.APPROVED)
    work = approved.order_by("pk").last()
    return make_appeal(assignment=work, text=APPEAL, now=timezone.now()) if work else None


def money(assignments: QuerySet[Assignment], *, batches: Sequence[Batch]) -> dict[str, Any]:
    """Totals of the bonuses: ours from our rows, the marketplace's from its own lists."""
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
    prepared = bonus_runs.prepare_run(
        bonuses=bonuses, by=cast.preparer.user, title="The demo's bonuses", now=timezone.now()
    )
    bonus_runs.freeze_run(run=prepared, by=cast.preparer.user, now=timezone.now())
    bonus_runs.approve_run(run=prepared, digest=prepared.digest, by=cast.approver.user, now=timezone.now())
