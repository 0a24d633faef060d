"""Sweeps over rows, each safe to run twice. Beat calls them; what cannot wait calls them sooner."""

from typing import Any

import structlog
from celery import shared_task
from django.utils import timezone
from kombu.exceptions import OperationalError

from hits.services import (
    blocking,
    compensating,
    figures,
    launching,
    matching,
    noticing,
    owing,
    paying,
    reconciling,
    reviewing,
    rewards,
    steering,
    surveying,
    writing,
)

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


@shared_task(name="hits.survey")
def survey() -> None:
    surveying.survey(now=timezone.now())


@shared_task(name="hits.send_changes")
def send_changes() -> None:
    steering.send_changes(now=timezone.now())


@shared_task(name="hits.handle_notices")
def handle_notices() -> None:
    noticing.handle_notices(now=timezone.now())


@shared_task(name="hits.poll_queues")
def poll_queues() -> None:
    noticing.poll_queues(now=timezone.now())


@shared_task(name="hits.subscribe_batches")
def subscribe_batches() -> None:
    noticing.subscribe_batches(now=timezone.now())


@shared_task(name="hits.purge_notices")
def purge_notices() -> None:
    noticing.purge_notices(now=timezone.now())


@shared_task(name="hits.send_decisions")
def send_decisions() -> None:
    reviewing.send_decisions(now=timezone.now())


@shared_task(name="hits.send_blocks")
def send_blocks() -> None:
    blocking.send_blocks(now=timezone.now())


@shared_task(name="hits.send_messages")
def send_messages() -> None:
    writing.send_messages(now=timezone.now())


@shared_task(name="hits.refresh_figures")
def refresh_figures() -> None:
    figures.refresh_stale(now=timezone.now())


@shared_task(name="hits.approve_judged")
def approve_judged() -> None:
    reviewing.approve_judged(now=timezone.now())


@shared_task(name="hits.book_rewards")
def book_rewards() -> None:
    rewards.book_rewards(now=timezone.now())


@shared_task(name="hits.owe_bonuses")
def owe_bonuses() -> None:
    owing.owe_bonuses(now=timezone.now())


@shared_task(name="hits.pay_bonuses")
def pay_bonuses() -> None:
    paying.pay_bonuses(now=timezone.now())


@shared_task(name="hits.send_compensations")
def send_compensations() -> None:
    compensating.send_compensations(now=timezone.now())


@shared_task(name="hits.confirm_bonuses")
def confirm_bonuses() -> None:
    paying.confirm_bonuses(now=timezone.now())


@shared_task(name="hits.match_accounts")
def match_accounts() -> None:
    matching.match_accounts(now=timezone.now())
