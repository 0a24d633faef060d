"""Sweeps over rows, each safe to run twice. Beat calls them; what cannot wait calls them sooner."""

from django.utils import timezone

from hits.common.sweeps import sweep
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


@sweep("hits.launch_batches", rest_s=2)
def launch_batches() -> None:
    launching.send_launching_batches(now=timezone.now())


@sweep("hits.reconcile", rest_s=3)
def reconcile() -> None:
    reconciling.reconcile(now=timezone.now())


@sweep("hits.survey", rest_s=30)
def survey() -> None:
    surveying.survey(now=timezone.now())


@sweep("hits.send_changes", rest_s=2)
def send_changes() -> None:
    steering.send_changes(now=timezone.now())


@sweep("hits.handle_notices", rest_s=2)
def handle_notices() -> None:
    noticing.handle_notices(now=timezone.now())


@sweep("hits.poll_queues", rest_s=5)
def poll_queues() -> None:
    noticing.poll_queues(now=timezone.now())


@sweep("hits.subscribe_batches", rest_s=5)
def subscribe_batches() -> None:
    noticing.subscribe_batches(now=timezone.now())


@sweep("hits.purge_notices", rest_s=3600)
def purge_notices() -> None:
    noticing.purge_notices(now=timezone.now())


@sweep("hits.send_decisions", rest_s=2)
def send_decisions() -> None:
    reviewing.send_decisions(now=timezone.now())


@sweep("hits.send_blocks", rest_s=5)
def send_blocks() -> None:
    blocking.send_blocks(now=timezone.now())


@sweep("hits.send_messages", rest_s=5)
def send_messages() -> None:
    writing.send_messages(now=timezone.now())


@sweep("hits.refresh_figures", rest_s=2)
def refresh_figures() -> None:
    figures.refresh_stale(now=timezone.now())


@sweep("hits.approve_judged", rest_s=2)
def approve_judged() -> None:
    reviewing.approve_judged(now=timezone.now())


@sweep("hits.book_rewards", rest_s=5)
def book_rewards() -> None:
    rewards.book_rewards(now=timezone.now())


@sweep("hits.owe_bonuses", rest_s=2)
def owe_bonuses() -> None:
    owing.owe_bonuses(now=timezone.now())


@sweep("hits.pay_bonuses", rest_s=2, queue="money")
def pay_bonuses() -> None:
    paying.pay_bonuses(now=timezone.now())


@sweep("hits.send_compensations", rest_s=5)
def send_compensations() -> None:
    compensating.send_compensations(now=timezone.now())


@sweep("hits.confirm_bonuses", rest_s=3)
def confirm_bonuses() -> None:
    paying.confirm_bonuses(now=timezone.now())


@sweep("hits.match_accounts", rest_s=10)
def match_accounts() -> None:
    matching.match_accounts(now=timezone.now())
