"""Letters to workers through the provider, a hundred at a time. By our doing, nobody gets one twice."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from cryptography.fernet import InvalidToken
from django.db import transaction
from django.db.models import QuerySet

from hits.batches.services.sending_hits import Clock, ticking
from hits.core.domain.typed_text import has_controls, is_one_line
from hits.core.errors import ProviderError, ProviderRefused, ProviderUnavailable, RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.people.models import Message, Recipient
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import any_usable, earliest
from hits.studies.models import Study

Status = Recipient.Status
LONGEST_SUBJECT = 200
LONGEST_TEXT = 4096
# Number of workers that the provider takes at once.
CHUNK = 100
# Chunks of one account in one sweep: the others have their turn.
MOST_CHUNKS = 3
# A request is over, one way or the other, well before this.
SENDING_IS_STALE = timedelta(minutes=3)
log = structlog.get_logger()


def write_message(
    *,
    account: Account,
    study: Study | None,
    workers: Iterable[Worker],
    subject: str,
    text: str,
    by: User,
    now: datetime,
    public_id: UUID | None = None,
) -> Message:
    """Write a message for a sweep to send. Idempotent: the same public id returns the first message."""
    subject, text = read_letter(subject=subject, text=text)
    recipients = {worker.pk: worker for worker in workers if worker.erased_at is None}
    if not recipients:
        raise RuleBroken("nobody", "Choose at least one worker to write to.")
    if not account.can.letters:
        raise RuleBroken("no_provider", "These people cannot be written to: they have no provider.")
    if any(worker.account_id != account.pk for worker in recipients.values()):
        raise RuleBroken("other_account", "One message goes to workers of one account. Write one for each.")
    with transaction.atomic():
        message, is_new = Message.objects.get_or_create(
            public_id=public_id or uuid4(),
            defaults={
                "by": by,
                "account": account,
                "study": study,
                "subject": subject,
                "text": text,
                "made_at": now,
            },
        )
        if is_new:
            Recipient.objects.bulk_create(
                (Recipient(message=message, worker_id=pk) for pk in sorted(recipients)), batch_size=500
            )
    if message.by_id != by.pk:
        raise RuleBroken("not_yours", "This message was written by somebody else. Write a new one.")
    if is_new:
        log.info("message.written", message=str(message.public_id), recipients=len(recipients))
    return message


def read_letter(*, subject: str, text: str) -> tuple[str, str]:
    """Return the letter as it will be sent. Raises RuleBroken for what the provider would not take."""
    subject, text = subject.strip(), text.replace("\r\n", "\n").strip()
    if not is_one_line(subject, longest=LONGEST_SUBJECT):
        raise RuleBroken("subject", f"The subject is one line of 1 to {LONGEST_SUBJECT} characters.")
    if not 0 < len(text) <= LONGEST_TEXT:
        raise RuleBroken(
            "text", f"The text has 1 to {LONGEST_TEXT} characters; this one has {len(text)}. Shorten it."
        )
    if has_controls(text):
        raise RuleBroken("text", "The text holds a control character. Type it instead of pasting it.")
    return subject, text


def retry_recipients(*, recipients: Iterable[Recipient], by: User) -> int:
    """Retry what failed or is unclear, on a person's word: a worker may get an unclear one twice."""
    retryable = (Status.FAILED, Status.UNKNOWN)
    with transaction.atomic():
        again = [
            move(recipient, Status.WAITING, since=retryable, problem="", sending_at=None)
            for recipient in recipients
        ]
    log.info("message.retried", recipients=sum(again), by=str(by.public_id))
    return sum(again)


def send_messages(*, now: datetime, clock: Clock | None = None) -> int:
    """Send what waits. What a killed sender left behind becomes unclear, and stays so."""
    clock = clock or ticking(now)
    for stale in _sending().filter(sending_at__lte=now - SENDING_IS_STALE):
        move(stale, Status.UNKNOWN, since=(Status.SENDING,), problem="The sender was stopped in the middle.")
    accounts = Message.objects.filter(pk__in=_waiting().values("message")).values("account")
    return sum(
        _send_messages_of(account, clock=clock)
        for account in Account.objects.filter(pk__in=accounts).order_by("pk")
    )


def next_message(*, now: datetime) -> datetime | None:
    """Return when there is work: now if letters wait, or when one that is being sent becomes unclear."""
    if any_usable(_waiting(), account="message__account"):
        return now
    return earliest(_sending(), "sending_at", after=SENDING_IS_STALE)


def _sending() -> QuerySet[Recipient]:
    return Recipient.objects.filter(status=Status.SENDING)


def _waiting() -> QuerySet[Recipient]:
    return Recipient.objects.filter(status=Status.WAITING)


def _send_messages_of(account: Account, *, clock: Clock) -> int:
    """Send one account's letters. An account that cannot be used keeps only its own waiting."""
    try:
        provider = provider_for(account)
    except ProviderError as error:
        log.warning("message.no_provider", account=str(account.public_id), error=type(error).__name__)
        return 0
    sent = 0
    for _ in range(MOST_CHUNKS):
        # The current time: dated from the sweep's start, it would soon be taken for a killed sender's.
        chunk = _claim_chunk(account, now=clock())
        if not chunk:
            break
        if not (chunk := _openable(chunk)):
            continue
        try:
            sent += _send_chunk(chunk, provider)
        except ProviderUnavailable:
            break  # the others of this account are asked later, and not into the same silence
    return sent


def _claim_chunk(account: Account, *, now: datetime) -> list[Recipient]:
    """Claim a chunk. SENDING is committed before the request: a sender that loses the race sends none."""
    waiting = _waiting().filter(message__account=account)
    with transaction.atomic():
        first = waiting.order_by("message", "pk").first()
        if first is None:
            return []
        of_message = waiting.filter(message=first.message_id).select_related("message", "worker")
        return [
            recipient
            for recipient in of_message.order_by("pk")[:CHUNK]
            if move(recipient, Status.SENDING, sending_at=now)
        ]


def _openable(chunk: list[Recipient]) -> list[Recipient]:
    """Return recipients whose id can be decrypted. The others become FAILED and hold up nobody."""
    openable, sealed = [], []
    for recipient in chunk:
        try:
            _ = recipient.worker.external_id
        except InvalidToken:
            sealed.append(recipient)
        else:
            openable.append(recipient)
    for recipient in sealed:
        words = "The worker's id cannot be decrypted. Nothing was sent."
        move(recipient, Status.FAILED, since=(Status.SENDING,), problem=words)
    return openable


def _send_chunk(chunk: list[Recipient], provider: Provider) -> int:
    message = chunk[0].message
    try:
        not_delivered = provider.notify_workers(
            subject=message.subject,
            text=message.text,
            worker_external_ids=[recipient.worker.external_id for recipient in chunk],
        )
    except ProviderUnavailable:
        _end(chunk, Status.UNKNOWN, problem="The provider did not answer.")
        log.warning("message.outcome_unknown", message=str(message.public_id), recipients=len(chunk))
        raise
    except ProviderRefused as refusal:
        _end(chunk, Status.FAILED, problem=str(refusal))
        log.warning("message.refused", message=str(message.public_id), code=refusal.code)
        return 0
    reasons = {row.worker_external_id: row.reason for row in not_delivered}
    failed = [recipient for recipient in chunk if recipient.worker.external_id in reasons]
    delivered = [recipient for recipient in chunk if recipient.worker.external_id not in reasons]
    with transaction.atomic():
        for recipient in failed:
            _end([recipient], Status.FAILED, problem=reasons[recipient.worker.external_id])
        _end(delivered, Status.SENT)
    log.info("message.sent", message=str(message.public_id), sent=len(delivered), failed=len(failed))
    return len(delivered)


def _end(chunk: Iterable[Recipient], to: Status, *, problem: str = "") -> None:
    """Record the outcome of what is still being sent; what was given up as unclear stays for a person."""
    chunk = list(chunk)
    names = {recipient.worker.external_id: recipient.worker.pseudonym for recipient in chunk}
    words = _without_ids(problem, names)
    with transaction.atomic():
        for recipient in chunk:
            move(recipient, to, since=(Status.SENDING,), problem=words)


def _without_ids(words: str, names: Mapping[str, str]) -> str:
    """Replace ids by pseudonyms, since the provider's words may name workers by their ids there."""
    for external_id, pseudonym in names.items():
        words = words.replace(external_id, pseudonym)
    return words[:500]
