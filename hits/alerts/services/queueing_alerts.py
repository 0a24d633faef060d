"""A row for everybody who is told of an occurrence, written in one transaction with the mark that it was."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.crypto import get_random_string

from hits.alerts.models import Alert, AlertHook, How, Kind, Occurrence
from hits.alerts.queries.audience import audience_of, hooks_of
from hits.common.rates import spend
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

# What lasts must have lasted so long: work that is returned at once is nothing to tell of.
PATIENCE = timedelta(minutes=15)
AT_ONCE = 50
GIVEN_UP_LATELY = timedelta(days=7)
# Of one person in a minute.
MOST_TESTS = 3
Status = Alert.Status
STARVING = Q(kind__in=(Kind.EMPTY, Kind.IDLE))


def queue_alerts(*, now: datetime) -> int:
    """Write the alerts of every occurrence that is due. What is over by then is told to nobody."""
    due = _untold().filter(~STARVING | Q(at__lte=now - PATIENCE))
    return sum(_queue(pk, now=now) for pk in due.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])


def next_occurrence() -> datetime | None:
    """Return when the first occurrence is due."""
    instant = _untold().exclude(STARVING).order_by("at").values_list("at", flat=True).first()
    starving = _untold().filter(STARVING).order_by("at").values_list("at", flat=True).first()
    return min((one for one in (instant, starving and starving + PATIENCE) if one), default=None)


def queue_test(*, user: User, now: datetime, hook: AlertHook | None = None) -> Alert:
    """Queue a test message to the user, or to the study's address. Raises RuleBroken if that is too often."""
    if not spend("alert_test", str(user.pk), most=MOST_TESTS, window_s=60):
        raise RuleBroken("too_many_tests", "Wait a minute: the last test messages are on their way.")
    words = "A test message: what is sent arrives."
    with transaction.atomic():
        occurrence = Occurrence.objects.create(
            kind=Kind.TEST, key=get_random_string(32), words=words, at=now, told_at=now, by=user
        )
        if hook:
            return Alert.objects.create(occurrence=occurrence, hook=hook, status=Status.WAITING, due_at=now)
        status = _status_for(user, How.EMAIL)
        return Alert.objects.create(occurrence=occurrence, user=user, status=status, due_at=now)


def is_mail_set() -> bool:
    """Whether there is a mail server at all."""
    return bool(settings.EMAIL_HOST)


def given_up(*, now: datetime) -> int:
    """Return how many messages of the last week were given up after many tries."""
    return Alert.objects.filter(status=Status.FAILED, sending_at__gt=now - GIVEN_UP_LATELY).count()


def _untold() -> QuerySet[Occurrence]:
    return Occurrence.objects.filter(told_at=None, over_at=None)


def _queue(pk: int, *, now: datetime) -> int:
    """Write the rows of one occurrence. The lock and the unique keys leave a second run nothing to write."""
    with transaction.atomic():
        rows = _untold().filter(pk=pk).select_related("batch", "appeal")
        occurrence = rows.select_for_update(of=("self",)).first()
        if occurrence is None:
            return 0
        alerts = [
            Alert(occurrence=occurrence, user=user, status=_status_for(user, how), due_at=now)
            for user, how in audience_of(occurrence)
        ]
        alerts += [
            Alert(occurrence=occurrence, hook=hook, status=Status.WAITING, due_at=now)
            for hook in hooks_of(occurrence)
        ]
        Alert.objects.bulk_create(alerts, ignore_conflicts=True)
        Occurrence.objects.filter(pk=pk).update(told_at=now)
    return len(alerts)


def _status_for(user: User, how: How) -> Status:
    return Status.WAITING if how == How.EMAIL and user.email and is_mail_set() else Status.SHOWN
