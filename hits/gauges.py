"""Gauges of what is sent to providers, decided and paid."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Min, Sum

from hits.alerts.models import Alert
from hits.common.currencies import Currency
from hits.common.watching.row_gauges import Gauge, Reading, read_queue, reads_gauges, seconds_since
from hits.ledger.models.bonuses import Bonus
from hits.providers.models.accounts import Pace
from hits.providers.models.epochs import Epoch
from hits.studies.models import Batch
from hits.sync.models import Notice
from hits.work.models.decisions import Decision
from hits.work.models.hits import HIT, Change

HITS = Gauge(name="crowd_hits", words="HITs of the batches that are launching, by state.", labels=("status",))
BONUSES = Gauge(
    name="crowd_bonuses",
    words="Bonuses that are not settled, by state. Those that are paid or given up are not counted.",
    labels=("status",),
)
# A sum for each currency, under a name of its own: nothing that reads them adds two.
AMOUNTS = {
    Currency.USD: Gauge(name="crowd_bonus_dollars", words="Amounts of these bonuses.", labels=("status",)),
    Currency.GBP: Gauge(
        name="crowd_bonus_pounds", words="Amounts of those that are in pounds.", labels=("status",)
    ),
}
SILENT = Gauge(name="crowd_accounts_silent", words="Accounts whose provider does not answer.")
SILENT_FOR = Gauge(
    name="crowd_account_silent_seconds", words="Time since the first of them did not answer; 0 if all do."
)
EPOCHS = Gauge(
    name="crowd_epochs_open", words="Accounts that stand still since data was restored, until a person looks."
)
# The states of two partial indexes, whose rows are what waits.
IN_FLIGHT = tuple(Bonus.Status(one) for one in ("approved", "sending", "unknown", "sent", "compensating"))
TO_DECIDE = (Bonus.Status.OWED, Bonus.Status.REFUSED)


@reads_gauges("sending")
def read_what_is_sent(now: datetime) -> Iterator[Reading]:
    """Read what providers must still be told. In a halt it waits too, and should."""
    launching = HIT.objects.filter(batch__status=Batch.Status.LAUNCHING)
    counts = dict(launching.order_by().values_list("status").annotate(Count("pk")))
    for status in HIT.Status:
        yield HITS.at(counts.get(status, 0), status)
    intents = launching.filter(status=HIT.Status.INTENDED)
    changes = Change.objects.filter(status=Change.Status.INTENDED)
    decisions = Decision.objects.filter(status=Decision.Status.INTENDED)
    yield from read_queue("hits_to_send", intents, since="made_at", now=now)
    yield from read_queue("changes_of_hits", changes, since="made_at", now=now)
    yield from read_queue("decisions", decisions, since="send_at", now=now)


@reads_gauges("hearing")
def read_what_is_heard(now: datetime) -> Iterator[Reading]:
    notices = Notice.objects.filter(handled_at=None)
    alerts = Alert.objects.filter(status=Alert.Status.WAITING)
    yield from read_queue("notices", notices, since="received_at", now=now)
    yield from read_queue("alerts", alerts, since="due_at", now=now)


@reads_gauges("money")
def read_bonuses(now: datetime) -> Iterator[Reading]:
    for states in (IN_FLIGHT, TO_DECIDE):
        rows = Bonus.objects.filter(status__in=states).order_by().values_list("status", "currency")
        told = {
            (status, currency): (count, amount)
            for status, currency, count, amount in rows.annotate(Count("pk"), Sum("amount"))
        }
        for status in states:
            yield BONUSES.at(sum(count for (one, _), (count, _) in told.items() if one == status), status)
            for currency, gauge in AMOUNTS.items():
                yield gauge.at(told.get((status, currency), (0, 0))[1], status)


@reads_gauges("accounts")
def read_accounts(now: datetime) -> Iterator[Reading]:
    silent = Pace.objects.filter(silent_since__isnull=False)
    told = silent.aggregate(count=Count("pk"), first=Min("silent_since"))
    yield SILENT.at(told["count"])
    yield SILENT_FOR.at(seconds_since(told["first"], now=now))
    yield EPOCHS.at(Epoch.objects.still_open().count())
