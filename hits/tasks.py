"""Sweeps over rows, each safe to run twice. A dispatcher starts each one when it is due."""

from hits.alerts.services import finding_occurrences, forgetting_alerts, sending_alerts
from hits.batches.services import batch_counters, hit_changes, sending_hits
from hits.common import clock
from hits.common.sweeps import stand_still_while, sweep
from hits.data.services import purging
from hits.identity import expired_sessions
from hits.ledger.services import rewards
from hits.payments.services import accrual, after_restore, compensation, paying, three_way_match
from hits.people.services import blocking, worker_letters
from hits.providers.services import balances
from hits.sync.services import event_inbox, full_scan, noticing_early_ends, push_decisions, reconciling

stand_still_while(after_restore.all_stand_still)


@sweep("hits.launch_batches", rest_s=2, due_at=sending_hits.next_launch, acts=True)
def launch_batches() -> None:
    sending_hits.send_launching_batches(now=clock.now())


@sweep("hits.reconcile", rest_s=3, due_at=reconciling.next_look)
def reconcile() -> None:
    reconciling.reconcile(now=clock.now())


@sweep("hits.note_early_ends", rest_s=5, due_at=noticing_early_ends.next_note)
def note_early_ends() -> None:
    noticing_early_ends.note_early_ends(now=clock.now())


@sweep("hits.survey", rest_s=30, due_at=full_scan.next_survey)
def survey() -> None:
    full_scan.survey(now=clock.now())


@sweep("hits.read_balances", rest_s=60, due_at=balances.next_reading)
def read_balances() -> None:
    balances.read_old_balances(now=clock.now())


@sweep("hits.send_changes", rest_s=2, due_at=hit_changes.next_change, acts=True)
def send_changes() -> None:
    hit_changes.send_changes(now=clock.now())


@sweep("hits.end_overdue", rest_s=5, due_at=hit_changes.next_end)
def end_overdue() -> None:
    hit_changes.end_overdue(now=clock.now())


@sweep("hits.handle_notices", rest_s=2)
def handle_notices() -> None:
    event_inbox.handle_notices(now=clock.now())


@sweep("hits.poll_queues", rest_s=5, due_at=event_inbox.next_poll)
def poll_queues() -> None:
    event_inbox.poll_queues(now=clock.now())


@sweep("hits.subscribe_batches", rest_s=5, due_at=event_inbox.next_subscription, acts=True)
def subscribe_batches() -> None:
    event_inbox.subscribe_batches(now=clock.now())


@sweep("hits.purge_notices", rest_s=3600, due_at=event_inbox.next_purge)
def purge_notices() -> None:
    event_inbox.purge_notices(now=clock.now())


@sweep("hits.send_decisions", rest_s=2, due_at=push_decisions.next_decision, acts=True)
def send_decisions() -> None:
    push_decisions.send_decisions(now=clock.now())


@sweep("hits.send_blocks", rest_s=5, due_at=blocking.next_block, acts=True)
def send_blocks() -> None:
    blocking.send_blocks(now=clock.now())


@sweep("hits.read_blocks", rest_s=60)
def read_blocks() -> None:
    blocking.read_blocks(now=clock.now())


@sweep("hits.send_messages", rest_s=5, due_at=worker_letters.next_message, acts=True)
def send_messages() -> None:
    worker_letters.send_messages(now=clock.now())


@sweep("hits.refresh_figures", rest_s=2, due_at=batch_counters.next_count)
def refresh_figures() -> None:
    batch_counters.refresh_stale(now=clock.now())


@sweep("hits.approve_judged", rest_s=2, due_at=push_decisions.next_approval)
def approve_judged() -> None:
    push_decisions.approve_judged(now=clock.now())


@sweep("hits.book_rewards", rest_s=5)
def book_rewards() -> None:
    rewards.book_rewards(now=clock.now())


@sweep("hits.owe_bonuses", rest_s=2)
def owe_bonuses() -> None:
    accrual.owe_bonuses(now=clock.now())


@sweep("hits.pay_bonuses", rest_s=2, due_at=paying.next_payment, queue="money")
def pay_bonuses() -> None:
    paying.pay_bonuses(now=clock.now())


@sweep("hits.send_compensations", rest_s=5, due_at=compensation.next_compensation, acts=True)
def send_compensations() -> None:
    compensation.send_compensations(now=clock.now())


@sweep("hits.confirm_bonuses", rest_s=3, due_at=paying.next_confirmation)
def confirm_bonuses() -> None:
    paying.confirm_bonuses(now=clock.now())


@sweep("hits.match_accounts", rest_s=10, due_at=three_way_match.next_match)
def match_accounts() -> None:
    three_way_match.match_accounts(now=clock.now())


@sweep("hits.compare_epochs", rest_s=2, due_at=after_restore.next_step)
def compare_epochs() -> None:
    after_restore.compare_epochs(now=clock.now())


@sweep("hits.purge_studies", rest_s=2)
def purge_studies() -> None:
    purging.go_on(now=clock.now())


@sweep("hits.begin_purges", rest_s=3600)
def begin_purges() -> None:
    purging.begin_due_purges(now=clock.now())


@sweep("hits.find_occurrences", rest_s=5)
def find_occurrences() -> None:
    finding_occurrences.find_occurrences(now=clock.now())


@sweep("hits.find_starving", rest_s=120)
def find_starving() -> None:
    finding_occurrences.find_starving(now=clock.now())


@sweep("hits.forget_old", rest_s=3600)
def forget_old() -> None:
    forgetting_alerts.forget_alerts(now=clock.now())
    expired_sessions.forget_sessions(now=clock.now())


@sweep("hits.tell_staff", rest_s=5, due_at=sending_alerts.next_alert, acts=True)
def tell_staff() -> None:
    sending_alerts.tell_staff(now=clock.now())
