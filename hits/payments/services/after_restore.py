"""After a restore from a copy, nothing goes out until both sides were compared and a person has confirmed it.

A comparison goes in steps that any process may take: every HIT that the provider has, then the work of those
that differ, then every payment on its lists. None of them sends anything.
"""

from collections import Counter
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, QuerySet

from hits.common.sweep_parts import in_parts
from hits.core import audit_trail
from hits.core.domain.days import moment_in_words
from hits.core.errors import ProviderError, RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.matches import Difference, Match
from hits.payments.services.three_way_match import give_up, start_match
from hits.providers.gateway.registry import provider_for
from hits.providers.gateway.standstill import FRESH
from hits.providers.models.accounts import Account
from hits.providers.models.epochs import Epoch
from hits.providers.services.usable_accounts import earliest
from hits.sync.services.full_scan import read_everything
from hits.work.models.hits import HIT

CONFIRM = "hits.set_halt"
# A step's lease: longer than the first step of an account with thousands of HITs takes. After that, another
# process repeats a step that died.
STEP = timedelta(minutes=30)
RETRY = timedelta(seconds=30)
WAIT = timedelta(seconds=5)
LONGEST_PROBLEM = 500
OVERTAKEN = "Rows were put back from a copy, so everything is compared from the start."
log = structlog.get_logger()


def open_epochs() -> QuerySet[Epoch]:
    return Epoch.objects.still_open().select_related("account", "match").order_by("account__name")


def all_stand_still() -> bool:
    """Whether every account with a provider waits for a person to confirm it: nothing can be sent."""
    is_open = Exists(Epoch.objects.still_open().filter(account=OuterRef("pk")))
    found = list(Account.objects.connected().annotate(is_open=is_open).values_list("is_open", flat=True))
    return bool(found) and all(found)


def put_back_at(account_id: int) -> datetime | None:
    """The last restore of either side: what is older may have been done by the other copy."""
    last: datetime | None = Epoch.objects.filter(account=account_id).aggregate(at=Max("began_at"))["at"]
    return last


def confirm_epoch(*, epoch: Epoch, by: User, now: datetime) -> None:
    """Let the account's automatic work go on after the comparison. Raises RuleBroken."""
    if not by.has_perm(CONFIRM):
        raise RuleBroken("not_allowed", "Your role does not include this. Ask the manager of the accounts.")
    if epoch.compared_at is None and can_be_asked(epoch.account):
        raise RuleBroken("not_compared", "The comparison is not over. Nothing goes out before it is.")
    with transaction.atomic():
        seen = Epoch.objects.still_open().filter(pk=epoch.pk, compared_at=epoch.compared_at)
        if not seen.update(confirmed_at=now, confirmed_by=by):
            raise RuleBroken(
                "not_open", "Another person was faster, or the comparison began again. Look again."
            )
        # Decisions made here and unknown there could not be pushed while it compared: read those HITs again.
        still_open = HIT.objects.filter(batch__account=epoch.account, status=HIT.Status.OPEN)
        still_open.update(seen="", look_at=now)
        Account.objects.filter(pk=epoch.account_id).update(surveyed_at=None)
        words = f"Let {epoch.account} go on after the comparison of {moment_in_words(epoch.began_at)} UTC."
        audit_trail.note("epoch.confirmed", words, by=by, now=now, account=epoch.account)
    log.warning("epoch.confirmed", account=str(epoch.account.public_id))


def compare_again(*, epoch: Epoch, by: User, now: datetime) -> None:
    """Start the comparison again, after a person has mended something at the provider. Raises RuleBroken."""
    if not by.has_perm(CONFIRM):
        raise RuleBroken("not_allowed", "Your role does not include this. Ask the manager of the accounts.")
    if not Epoch.objects.still_open().filter(pk=epoch.pk).update(look_at=now, **FRESH):
        raise RuleBroken("not_open", "Somebody has confirmed it already.")


def can_be_asked(account: Account) -> bool:
    """False if the account's provider or key is gone for good: it can never be compared."""
    try:
        provider_for(account)
    except ProviderError:
        return False
    return True


def compare_epochs(*, now: datetime) -> int:
    """Take a step of every comparison that is not over."""
    waiting = Epoch.objects.still_open().filter(compared_at=None, look_at__lte=now)
    return in_parts(waiting.select_related("account", "match"), lambda epoch: take_step(epoch=epoch, now=now))


def next_step(*, now: datetime) -> datetime | None:
    return earliest(Epoch.objects.still_open().filter(compared_at=None), "look_at", account="account")


def take_step(*, epoch: Epoch, now: datetime) -> int:
    """Take one step. Compare and swap on the moment it was due: of two processes one takes the step."""
    mine = Epoch.objects.still_open().filter(pk=epoch.pk, look_at=epoch.look_at)
    if not mine.update(look_at=now + STEP):
        return 0
    taken = Epoch.objects.still_open().filter(pk=epoch.pk, look_at=now + STEP)
    try:
        again = _compare(epoch, now=now)
    except ProviderError as error:
        log.warning("epoch.comparison_waits", account=str(epoch.account.public_id), error=str(error))
        taken.update(look_at=now + RETRY, problem=str(error)[:LONGEST_PROBLEM])
        return 0
    taken.update(look_at=again, problem="")
    return 1


def unread_hits(epoch: Epoch) -> QuerySet[HIT]:
    """HITs that differ and whose work was not read since."""
    return HIT.objects.filter(
        batch__account=epoch.account, status=HIT.Status.OPEN, seen="", sent_at__lt=epoch.surveyed_at
    )


def _compare(epoch: Epoch, *, now: datetime) -> datetime:
    """Do the next part of the comparison and return when the next step is due. Raises ProviderError."""
    if epoch.surveyed_at is None:
        found = read_everything(account=epoch.account, provider=provider_for(epoch.account), now=now)
        _look_for_payments(epoch.account, now=now)
        _save(epoch, surveyed_at=now, found=dict(found))
        return now
    if unread_hits(epoch).exists():
        return now + WAIT
    if epoch.match is None or not _counts(epoch.match, epoch):
        match = start_match(account=epoch.account, full=True, by=None, now=now)
        if not _counts(match, epoch):
            give_up(match=match, problem=OVERTAKEN, now=now)
            return now
        _save(epoch, match=match)
        return now + WAIT
    if epoch.match.status == Match.Status.RUNNING and not epoch.match.tries:
        return now + WAIT
    _save(epoch, compared_at=now, found={**epoch.found, **_differences(epoch.match)})
    log.warning("epoch.compared", account=str(epoch.account.public_id))
    return now


def _counts(match: Match, epoch: Epoch) -> bool:
    """Whether this match counts: one begun before the restore may have read a list of the time before."""
    return match.is_full and match.started_at >= epoch.began_at and match.status != Match.Status.FAILED


def _look_for_payments(account: Account, *, now: datetime) -> None:
    """Make payments that are unclear by this copy due now, instead of at their own slower pace."""
    unclear = (Bonus.Status.UNKNOWN, Bonus.Status.SENT)
    Bonus.objects.filter(assignment__account=account, status__in=unclear).update(look_at=now, looks=0)


def _differences(match: Match) -> Counter[str]:
    rows = Difference.objects.filter(last_match=match, resolved_at=None).order_by()
    counts = rows.values_list("cause").annotate(count=Count("pk"))
    return Counter({f"payments: {cause}": count for cause, count in counts})


def _save(epoch: Epoch, **changes: object) -> None:
    Epoch.objects.still_open().filter(pk=epoch.pk, began_at=epoch.began_at).update(**changes)
