"""Sweeps over rows, each safe to run twice. Beat calls them; what cannot wait calls them sooner."""

from typing import Any

import structlog
from celery import shared_task
from django.utils import timezone
from kombu.exceptions import OperationalError

from hits.services import bonuses, launching, reconciling, reviewing

log = structlog.get_logger()


def nudge(task: Any) -> None:
    """Sooner than the next beat. A broker that does not answer only makes it later: rows are the queue."""
    try:
        task.delay()
    except (OperationalError, OSError) as error:
        log.warning("task.not_nudged", task=task.name, error=type(error).__name__)


@shared_task(name="hits.launch_batches")
def launch_batches() -> None:
    launching.send_launching_batches(now=timezone.now())


@shared_task(name="hits.reconcile")
def reconcile() -> None:
    reconciling.reconcile(now=timezone.now())


@shared_task(name="hits.approve_judged")
def approve_judged() -> None:
    reviewing.approve_judged(now=timezone.now())


@shared_task(name="hits.owe_bonuses")
def owe_bonuses() -> None:
    bonuses.owe_bonuses(now=timezone.now())


@shared_task(name="hits.pay_bonuses")
def pay_bonuses() -> None:
    bonuses.pay_bonuses(now=timezone.now())


@shared_task(name="hits.confirm_bonuses")
def confirm_bonuses() -> None:
    bonuses.confirm_bonuses(now=timezone.now())
