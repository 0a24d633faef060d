"""Events from providers: kept when they come, applied in any order and however often they come.

They only make things sooner. What is payable, only the provider's own list says, and the next look reads
it with or without an event.
"""

import json
from collections.abc import Collection
from datetime import datetime, timedelta

import structlog
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import DataError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from hits.common import rates
from hits.core.errors import ProviderError
from hits.providers.capabilities import GIVING_SECRETS
from hits.providers.gateway.queues import AT_ONCE, Queue, queue_for
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import can_be_used, earliest, soonest
from hits.studies.models import Batch
from hits.sync.domain import MOST_EVENTS, ReportedEvent, read_document, unwrap
from hits.sync.models import Event, Notice
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services import leasing
from hits.work.services.poll_schedule import look_soon

ACCEPTED = "AssignmentAccepted"
GIVEN_BACK = ("AssignmentReturned", "AssignmentAbandoned")
SUBMITTED = "AssignmentSubmitted"
# What a hook comes down to.
LOOK = "Look"
# Events after which the provider's own lists show something new.
WORTH_A_LOOK = {
    *GIVEN_BACK,
    SUBMITTED,
    "AssignmentApproved",
    "AssignmentRejected",
    "HITReviewable",
    "HITExpired",
    "HITExtended",
    "HITDisposed",
    LOOK,
}
AT_A_TIME = 500
MOST_RECEIVED = 500  # of one queue in one sweep
KEEP_BODIES = timedelta(days=7)
KEEP_ROWS = timedelta(days=60)
SUBSCRIBE_AGAIN_S = 60
POLL_EVERY = timedelta(seconds=5)
log = structlog.get_logger()


def receive(*, account: Account, document: str, now: datetime) -> bool:
    """Keep one document whose origin was checked. Return False if it was kept before.

    Raises ValueError if it is no such document, and then nothing is kept.
    """
    read = read_document(document)
    _, is_new = Notice.objects.get_or_create(
        account=account,
        document_id=read.document_id,
        defaults={"body": document, "received_at": now},
    )
    return is_new


def receive_hook(*, account: Account, event_id: str, submission: str, now: datetime) -> bool:
    """Keep that something has changed about a submission. Return False if it was kept before.

    Which HIT it belongs to is not said: where we do not know it, all open ones are looked at, which are few.
    Raises ValueError if there is no id to know it by.
    """
    known = HIT.objects.filter(assignments__account=account, assignments__external_id=submission)
    hits = known if known.exists() else HIT.objects.filter(batch__account=account, status=HIT.Status.OPEN)
    named = sorted(set(hits.values_list("external_id", flat=True)))[:MOST_EVENTS]
    events = [{"EventType": LOOK, "EventTimestamp": now.isoformat(), "HITId": one} for one in named]
    if not events:
        return False
    return receive(account=account, document=json.dumps({"EventDocId": event_id, "Events": events}), now=now)


def handle_notices(*, now: datetime) -> int:
    """Handle a slice of waiting notices, oldest first. One that fails says why, and stops no other."""
    waiting = Notice.objects.filter(handled_at=None).order_by("pk").values_list("pk", flat=True)
    return sum(_handle(pk, now=now) for pk in list(waiting[:AT_A_TIME]))


def poll_queues(*, now: datetime) -> int:
    """Take new documents from every account that receives events by a queue."""
    return sum(_poll(account, now=now) for account in _with_queue().order_by("pk"))


def next_poll(*, now: datetime) -> datetime | None:
    """Return when queues are read again: soon, while work is out that a readable one may report on."""
    out = HIT.objects.filter(batch__account=OuterRef("pk"), status=HIT.Status.OPEN)
    work = Assignment.objects.filter(account=OuterRef("pk"))
    begun = work.filter(status__in=leasing.UNSETTLED)
    handed_in = work.filter(status=Assignment.Status.SUBMITTED)
    waits = _with_queue().filter(Exists(out) | Exists(begun) | Exists(handed_in))
    return now + POLL_EVERY if any(map(_has_queue, waits)) else None


def subscribe_batches(*, now: datetime) -> int:
    """Tell the provider where to send new HIT types' events. Failures are only logged: polling goes on."""
    subscribed = _subscribe_accounts()
    for batch in _unsubscribed().select_related("account").order_by("pk"):
        try:
            if not can_hear(batch.account) or not rates.spend(
                "subscribe", str(batch.public_id), most=1, window_s=SUBSCRIBE_AGAIN_S
            ):
                continue
            _subscribe(batch)
        except (ProviderError, InvalidToken) as error:
            log.warning("batch.not_subscribed", batch=str(batch.public_id), error=type(error).__name__)
            continue
        subscribed += Batch.objects.filter(pk=batch.pk, notified_at=None).update(notified_at=now)
    return subscribed


def next_subscription(*, now: datetime) -> datetime | None:
    """Return the start of the next window, in which subscriptions that failed are tried again."""
    accounts = Account.objects.filter(pk__in=_unsubscribed().values("account"))
    if _without_secret().exists():
        return rates.next_window(window_s=SUBSCRIBE_AGAIN_S, now=now)
    if any(map(_can_subscribe, accounts)):
        return rates.next_window(window_s=SUBSCRIBE_AGAIN_S, now=now)
    return None


def _subscribe_accounts() -> int:
    """Ask providers that give a secret to post events of the whole account."""
    subscribed = 0
    for account in _without_secret().order_by("pk"):
        if not rates.spend("subscribe", str(account.public_id), most=1, window_s=SUBSCRIBE_AGAIN_S):
            continue
        try:
            secret = provider_for(account).subscribe_hooks(target=_own_address("inbox_hook", account))
        except (ProviderError, InvalidToken) as error:
            log.warning("account.not_subscribed", account=str(account.public_id), error=type(error).__name__)
            continue
        account.hook_secret = secret
        account.save(update_fields=["hook_secret"])
        subscribed += 1
    return subscribed


def _without_secret() -> QuerySet[Account]:
    hearing = Account.objects.filter(kind__in=GIVING_SECRETS, notify_by=Account.Notify.WEBHOOK)
    return hearing.filter(hook_secret="")


def subscribe_anew(*, account: Account) -> int:
    """Subscribe an account's live batches again, after it has changed how it receives events."""
    live = Batch.objects.filter(account=account, status__in=(Batch.Status.LAUNCHING, Batch.Status.OPEN))
    return live.exclude(notified_at=None).update(notified_at=None)


def can_hear(account: Account) -> bool:
    """Whether an event of this account could arrive and be trusted."""
    needed = {
        Account.Notify.WEBHOOK: account.ticket_key or account.hook_secret,  # what the posts are signed with
        Account.Notify.SNS: True,
        Account.Notify.SQS: account.notify_address,
    }
    return bool(needed.get(Account.Notify(account.notify_by)))


def purge_notices(*, now: datetime) -> int:
    """Empty texts some days after they came, if handled, and delete rows later: slice by slice."""
    old = _handled_with_text().filter(received_at__lte=now - KEEP_BODIES)
    emptied = 0
    while pks := list(old.order_by("received_at").values_list("pk", flat=True)[:AT_A_TIME]):
        emptied += Notice.objects.filter(pk__in=pks).update(body="")
    while _delete_oldest(before=now - KEEP_ROWS):
        pass
    return emptied


def next_purge(*, now: datetime) -> datetime | None:
    """Return when the oldest handled text is to be emptied, or the oldest notice to be deleted."""
    handled = (received_at + KEEP_ROWS for _, received_at, handled_at in _oldest() if handled_at)
    return soonest(
        earliest(_handled_with_text(), "received_at", after=KEEP_BODIES),
        min(handled, default=None),
    )


def find_acceptance(*, hit: HIT, assignment_id: str) -> datetime | None:
    """Return when the provider said this was accepted; None if it did not, or said it was over since."""
    told = Event.objects.filter(
        account=hit.batch.account,
        assignment_external_id=assignment_id,
        kind__in=(ACCEPTED, SUBMITTED, *GIVEN_BACK),
        hit_external_id=hit.external_id,
    )
    moments = dict(told.order_by("occurred_at").values_list("kind", "occurred_at"))
    accepted = moments.pop(ACCEPTED, None)
    # Events tell whole seconds: within one, a return came first and this is the next acceptance.
    return accepted if accepted and all(over <= accepted for over in moments.values()) else None


def _handle(pk: int, *, now: datetime) -> bool:
    try:
        notice = Notice.objects.get(pk=pk)
        events = read_document(notice.body).events
        with transaction.atomic():
            claimed = Notice.objects.filter(pk=pk, handled_at=None).update(handled_at=now)
            if claimed:
                _apply(events, notice=notice, now=now)
    except Notice.DoesNotExist:
        return False
    except InvalidToken:
        return _set_aside(pk, "Its text cannot be decrypted: its key is gone.", now=now)
    except (ValueError, DataError) as error:
        return _set_aside(pk, str(error)[:500], now=now)
    return bool(claimed)


def _set_aside(pk: int, problem: str, *, now: datetime) -> bool:
    Notice.objects.filter(pk=pk, handled_at=None).update(handled_at=now, problem=problem)
    log.warning("notice.not_handled", notice=pk, problem=problem)
    return False


def _apply(events: Collection[ReportedEvent], *, notice: Notice, now: datetime) -> None:
    """Apply the events in the caller's transaction. HITs of other accounts are ignored."""
    Event.objects.bulk_create(
        Event(
            notice=notice,
            account_id=notice.account_id,
            kind=event.kind,
            occurred_at=event.occurred_at,
            hit_external_id=event.hit_id,
            assignment_external_id=event.assignment_id,
        )
        for event in events
    )
    named = {event.hit_id for event in events if event.kind in WORTH_A_LOOK and event.hit_id}
    ours = HIT.objects.filter(external_id__in=named, batch__account=notice.account_id)
    if hit_ids := list(ours.order_by("pk").values_list("pk", flat=True)):
        look_soon(hit_ids=hit_ids, now=now)
    given_back = [event for event in events if event.kind in GIVEN_BACK and event.assignment_id]
    gone = {
        assignment.pk: assignment
        for event in given_back
        for assignment in _given_up(event, account_id=notice.account_id)
    }
    leasing.give_up_all([gone[pk] for pk in sorted(gone)], now=now)


def _given_up(event: ReportedEvent, *, account_id: int) -> QuerySet[Assignment]:
    """Return attempts that were accepted before the event: the id may belong to another worker since.

    Events have whole seconds, so an attempt accepted within that second is left alone; the deadline or the
    provider's list decides on it.
    """
    earlier = Assignment.objects.filter(
        account=account_id,
        external_id=event.assignment_id,
        hit__external_id=event.hit_id,
        status__in=(Assignment.Status.OPENED, Assignment.Status.SAVED),
        accepted_at__lt=event.occurred_at.replace(microsecond=0),
    )
    return earlier.select_related("hit")


def _poll(account: Account, *, now: datetime) -> int:
    """Take an account's messages. An account that cannot be used keeps only its own waiting."""
    kept = 0
    try:
        queue = queue_for(account)
        for _ in range(MOST_RECEIVED // AT_ONCE):
            messages = queue.receive()
            kept += sum(_take(queue, message.body, account=account, now=now) for message in messages)
            for message in messages:  # only now: each is a row of ours
                queue.delete(message)
            if len(messages) < AT_ONCE:
                break
    except ProviderError as error:
        log.warning("queue.not_polled", account=str(account.public_id), error=str(error))
    return kept


def _take(queue: Queue, body: str, *, account: Account, now: datetime) -> bool:
    """Keep a message's document. Rubbish is logged and deleted too, for it would come again and again."""
    try:
        return receive(account=account, document=unwrap(body), now=now)
    except ValueError as problem:
        log.warning("queue.rubbish", account=str(account.public_id), reason=str(problem))
        return False


def _with_queue() -> QuerySet[Account]:
    return Account.objects.filter(notify_by=Account.Notify.SQS).exclude(notify_address="")


def _has_queue(account: Account) -> bool:
    try:
        queue_for(account)
    except ProviderError:
        return False
    return True


def _can_subscribe(account: Account) -> bool:
    try:
        return can_hear(account) and can_be_used(account)
    except InvalidToken:
        return False


def _handled_with_text() -> QuerySet[Notice]:
    return Notice.objects.filter(handled_at__isnull=False).exclude(body="")


def _unsubscribed() -> QuerySet[Batch]:
    live = Q(status__in=(Batch.Status.LAUNCHING, Batch.Status.OPEN), notified_at=None) & ~Q(hit_type_id="")
    return Batch.objects.filter(live).exclude(account__notify_by=Account.Notify.NONE)


def _subscribe(batch: Batch) -> None:
    transport, destination = destination_of(batch.account)
    provider_for(batch.account).notify_events(batch.hit_type_id, transport=transport, destination=destination)


def destination_of(account: Account) -> tuple[str, str]:
    """Return transport and address. The API has no word for plain posts: their address marks them."""
    if account.notify_by == Account.Notify.SQS:
        return "SQS", account.notify_address
    if account.notify_by == Account.Notify.SNS:
        return "SNS", account.notify_address or _own_address("inbox_topic", account)
    return "SNS", f"webhook+{_own_address('inbox_webhook', account)}"


def _own_address(name: str, account: Account) -> str:
    return settings.PUBLIC_URL + reverse(name, args=[account.public_id])


def _delete_oldest(*, before: datetime) -> int:
    """Delete handled notices that are old. Rows are in order of arrival, so only the oldest are looked at."""
    gone = [pk for pk, received_at, handled_at in _oldest() if received_at <= before and handled_at]
    return Notice.objects.filter(pk__in=gone).delete()[0] if gone else 0


def _oldest() -> list[tuple[int, datetime, datetime | None]]:
    return list(Notice.objects.order_by("pk").values_list("pk", "received_at", "handled_at")[:AT_A_TIME])
