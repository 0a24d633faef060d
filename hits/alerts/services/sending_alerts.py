"""Alerts are sent: e-mails of several lines, at most one in ten minutes for a person, and posts of one each.

Being sent is committed before the call. What a killed sender leaves behind, or what got no answer, may have
arrived, and is never sent again; a clear refusal is tried again, later each time.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet

from hits.alerts.models import Alert, Kind
from hits.alerts.queries.audience import may_be_told
from hits.alerts.services import alert_mail, alert_posts
from hits.alerts.services.queueing_alerts import next_occurrence, queue_alerts
from hits.common.outgoing import Undeliverable
from hits.core.states import move
from hits.identity.models.users import User
from hits.providers.services.usable_accounts import soonest

BETWEEN_MAILS = timedelta(minutes=10)
# Longer than any call: who has not ended by then was killed.
SENDING_IS_STALE = timedelta(minutes=2)
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)
MOST_TRIES = 8
MOST_LINES = 100
AT_ONCE = 20
LONGEST_PROBLEM = 300
Status = Alert.Status
# What a person may have got: a try that was refused is none.
MAILED = (Status.SENDING, Status.SENT, Status.UNKNOWN)
log = structlog.get_logger()


def tell_staff(*, now: datetime) -> int:
    """Queue what has happened, and send what is due. Returns how many messages were sent."""
    queue_alerts(now=now)
    for left in _sending().filter(sending_at__lte=now - SENDING_IS_STALE):
        move(left, Status.UNKNOWN, since=(Status.SENDING,), problem="The sender was stopped in the middle.")
    mails = sum(_mail(user, now=now) for user in _users_due(now))
    return mails + sum(_post(alert, now=now) for alert in _posts_due(now))


def next_alert(*, now: datetime) -> datetime | None:
    """Return when something is to be queued, sent, or given up as unclear."""
    stale = _sending().aggregate(first=Min("sending_at"))["first"]
    at_once = _waiting().filter(Q(user=None) | Q(occurrence__kind=Kind.TEST))
    first = at_once.aggregate(first=Min("due_at"))["first"]
    return soonest(next_occurrence(), stale and stale + SENDING_IS_STALE, first, *_next_mails(now))


def _next_mails(now: datetime) -> Iterator[datetime]:
    waiting = _waiting().filter(user__isnull=False).order_by()
    due = dict(waiting.values_list("user").annotate(first=Min("due_at")))
    last = dict(_mailed_lately(now).filter(user__in=due).values_list("user").annotate(last=Max("sending_at")))
    for user, first in due.items():
        yield max(first, last[user] + BETWEEN_MAILS) if user in last else first


def _waiting() -> QuerySet[Alert]:
    return Alert.objects.filter(status=Status.WAITING)


def _sending() -> QuerySet[Alert]:
    return Alert.objects.filter(status=Status.SENDING)


def _mailed_lately(now: datetime) -> QuerySet[Alert]:
    return Alert.objects.order_by().filter(status__in=MAILED, sending_at__gt=now - BETWEEN_MAILS)


def _users_due(now: datetime) -> Sequence[User]:
    """Return people whose pause is over. A test message is sent at once: somebody looks for it."""
    due = _waiting().filter(user=OuterRef("pk"), due_at__lte=now)
    rested = ~Exists(_mailed_lately(now).filter(user=OuterRef("pk")))
    wanted = Exists(due) & (rested | Exists(due.filter(occurrence__kind=Kind.TEST)))
    return list(User.objects.filter(wanted).order_by("pk")[:AT_ONCE])


def _posts_due(now: datetime) -> Sequence[Alert]:
    rows = _waiting().filter(user=None, due_at__lte=now).select_related("occurrence__study", "hook__study")
    return list(rows.order_by("due_at")[:AT_ONCE])


def _mail(user: User, *, now: datetime) -> int:
    alerts = _claim_mail(user, now=now)
    if not alerts:
        return 0
    return _send(alerts, lambda: alert_mail.send_mail(user=user, alerts=alerts), now=now)


def _claim_mail(user: User, *, now: datetime) -> list[Alert]:
    """Claim what waits for the person, and drop what they may not see any more.

    Their row is locked, so that two senders cannot both find that the pause is over.
    """
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if user not in _users_due(now):
            return []
        waiting = _waiting().filter(user=user, due_at__lte=now).order_by("pk")
        related = ("occurrence__study", "occurrence__batch", "occurrence__appeal")
        claimed = []
        for alert in waiting.select_related(*related)[:MOST_LINES]:
            if not may_be_told(user, alert.occurrence):
                move(alert, Status.DROPPED)
            elif move(alert, Status.SENDING, sending_at=now):
                claimed.append(alert)
    return claimed


def _post(alert: Alert, *, now: datetime) -> int:
    hook = alert.hook
    if hook is None or not (hook.is_on or alert.occurrence.kind == Kind.TEST):
        move(alert, Status.DROPPED)
        return 0
    if not move(alert, Status.SENDING, sending_at=now):
        return 0
    return _send([alert], lambda: alert_posts.post_alert(alert=alert, hook=hook, now=now), now=now)


def _send(alerts: Sequence[Alert], send: Callable[[], None], *, now: datetime) -> int:
    """Send one message, and write what became of it into the rows of all its lines."""
    try:
        send()
    except Undeliverable as problem:
        _end_badly(alerts, problem, now=now)
        return 0
    with transaction.atomic():
        for alert in alerts:
            move(alert, Status.SENT, since=(Status.SENDING,), problem="")
    log.info("alert.sent", lines=len(alerts), to=_name_of(alerts[0]))
    return 1


def _end_badly(alerts: Sequence[Alert], problem: Undeliverable, *, now: datetime) -> None:
    words = str(problem)[:LONGEST_PROBLEM]
    log.warning("alert.not_sent", to=_name_of(alerts[0]), is_unclear=problem.is_unclear)
    with transaction.atomic():
        for alert in alerts:
            tries = alert.tries + 1
            if problem.is_unclear:
                move(alert, Status.UNKNOWN, since=(Status.SENDING,), problem=words, tries=tries)
            elif tries >= MOST_TRIES:
                move(alert, Status.FAILED, since=(Status.SENDING,), problem=words, tries=tries)
            else:
                again = {"problem": words, "tries": tries, "due_at": now + wait_after(tries)}
                move(alert, Status.WAITING, since=(Status.SENDING,), **again)


def wait_after(tries: int) -> timedelta:
    """Return the time to the next try: twice as long each time."""
    return min(FIRST_WAIT * (1 << (tries - 1)), LONGEST_WAIT)


def _name_of(alert: Alert) -> str:
    """Return who is told, for the log: no name and no address."""
    return str(alert.user.public_id if alert.user else alert.hook and alert.hook.study.public_id)
