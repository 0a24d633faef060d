"""Full scan, the slow safety net: every HIT at the provider, known or not, a hundred in one call.

Its cost grows with the HITs that an account has ever had, for the API lists the finished ones too. So it is
made every CROWD_SURVEY_S seconds; in between, only the list of what has ended is read.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q

from hits.core.errors import ProviderError
from hits.core.states import move
from hits.providers.gateway.interface import Provider, ProviderHIT
from hits.providers.models.accounts import Account, Stranger
from hits.providers.services.usable_accounts import can_be_used, soonest, usable
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.sync.services.hit_fingerprint import fingerprint, is_untouched, mark_seen
from hits.sync.services.import_submissions import pages, read_assignments
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT, Change
from hits.work.services.leasing import GRACE, UNSETTLED
from hits.work.services.poll_schedule import look_soon

OURS = "crowd:"
# A pass that broke off is made again after this.
RETRY = timedelta(seconds=60)
# Other programs' HITs on the same account may stay on the list of what has ended for good.
MOST_ENDED = 1000
MOST_MARKED = 20
# A HIT with fewer decisions there than here is read again after this.
READ_AGAIN = timedelta(hours=1)
# Time between two readings of the list of what has ended.
READ_ENDED_EVERY = timedelta(seconds=30)
Status = HIT.Status
log = structlog.get_logger()


def survey(*, now: datetime, force: bool = False, thorough: bool = False) -> Counter[str]:
    """Scan the accounts that are due, or all of them, and return what was found, in numbers.

    A thorough scan reads the list of every HIT, whatever its counters say.
    """
    found: Counter[str] = Counter()
    for account, provider in usable(Account.objects.connected().values("pk")):
        try:
            if force or _is_due(account, now=now):
                found.update(_survey_account(account, provider, now=now, is_thorough=thorough))
            else:
                _read_ended(account, provider, now=now)
        except ProviderError as error:
            found["accounts not read"] += 1
            log.warning("account.survey_failed", account=str(account.public_id), error=str(error))
    return found


def read_everything(*, account: Account, provider: Provider, now: datetime) -> Counter[str]:
    """Scan all HITs of an account, trusting no row here: those that differ are marked as unread."""
    one = Pass(account=account, provider=provider, began=now, is_thorough=True)
    one.read()
    return one.found


def next_survey(*, now: datetime) -> datetime | None:
    """Return when an account is scanned next, or where HITs are open, when the list of ended ones is read."""
    is_open = Exists(HIT.objects.filter(batch__account=OuterRef("pk"), status=Status.OPEN))
    accounts = Account.objects.connected().annotate(has_open=is_open)
    usable_ones = [account for account in accounts if can_be_used(account)]
    reading = now + READ_ENDED_EVERY if any(account.has_open for account in usable_ones) else None
    return soonest(reading, *(_pass_at(account) or now for account in usable_ones))


def _is_due(account: Account, *, now: datetime) -> bool:
    return (_pass_at(account) or now) <= now


def _pass_at(account: Account) -> datetime | None:
    """Return when the account is due; None if it was never scanned."""
    return account.surveyed_at and account.surveyed_at + timedelta(seconds=settings.SURVEY_S)


def _survey_account(
    account: Account, provider: Provider, *, now: datetime, is_thorough: bool
) -> Counter[str]:
    """Scan one account. Compare and swap: of two machines one makes the scan."""
    row = Account.objects.filter(pk=account.pk)
    if not row.filter(surveyed_at=account.surveyed_at).update(surveyed_at=now):
        return Counter()
    one = Pass(account=account, provider=provider, began=now, is_thorough=is_thorough)
    try:
        one.read()
    except ProviderError:
        row.update(surveyed_at=now - timedelta(seconds=settings.SURVEY_S) + RETRY)
        raise
    return one.found


def _read_ended(account: Account, provider: Provider, *, now: datetime) -> None:
    """Find HITs that ended without an event, long before the next full scan."""
    own = HIT.objects.filter(batch__account=account)
    if not own.filter(status=Status.OPEN).exists():
        return
    for page in pages(islice(provider.list_reviewable(), MOST_ENDED)):
        ended = own.filter(external_id__in=page)
        still_open = ended.filter(status=Status.OPEN)
        look_soon(hit_ids=list(still_open.values_list("pk", flat=True)), now=now)
        for hit in ended.filter(status=Status.CLOSED)[:MOST_MARKED]:
            mark_seen(hit=hit, provider=provider)


@dataclass(kw_only=True)
class Pass:
    """One scan of all the HITs of an account. Only a page and the keys of our open HITs are in memory."""

    account: Account
    provider: Provider
    began: datetime
    # Read all work, whatever the counters say.
    is_thorough: bool = False
    found: Counter[str] = field(default_factory=Counter)
    shown: set[int] = field(default_factory=set)

    def read(self) -> None:
        """Read all pages. Raises ProviderError; what was compared until then stays compared."""
        for page in pages(self.provider.list_hits()):
            self.compare(page)
        self.look_for_the_rest()

    def compare(self, page: Sequence[ProviderHIT]) -> None:
        """Compare a page with our rows, in three queries if they agree."""
        ours = _ours(page)
        changed: list[HIT] = []
        untouched: list[HIT] = []
        closed: list[tuple[HIT, ProviderHIT]] = []
        for theirs in page:
            hit = ours.get(theirs.annotation)
            if (
                hit is None
                or hit.status == Status.WITHDRAWN
                or hit.external_id not in ("", theirs.external_id)
            ):
                self._meet_stranger(theirs)
            elif hit.batch.account_id != self.account.pk:
                continue  # the same provider's account, entered twice: the other one looks after it
            elif hit.status == Status.INTENDED:
                self._adopt(hit, theirs)
            elif hit.status == Status.CLOSED:
                closed.append((hit, theirs))
            else:
                self.shown.add(hit.pk)
                as_many = hit.max_assignments == theirs.max_assignments
                is_known = hit.seen == fingerprint(theirs) and not theirs.is_over and as_many
                if is_known and not self.is_thorough:
                    continue
                hit.seen = fingerprint(theirs)
                is_as_before = is_untouched(theirs) and as_many and not theirs.is_over
                (untouched if is_as_before else changed).append(hit)
        self.found["HITs"] += len(page)
        if self.is_thorough:
            HIT.objects.filter(pk__in=[hit.pk for hit in changed]).update(seen="")
        self.found["changed"] += look_soon(hit_ids=[hit.pk for hit in changed], now=self.began)
        HIT.objects.bulk_update(untouched, ["seen"])
        self._compare_closed(closed)

    def look_for_the_rest(self) -> None:
        """Look at HITs by name that the whole scan did not show, and once more at overdue work."""
        sent = HIT.objects.filter(batch__account=self.account, status=Status.OPEN, sent_at__lt=self.began)
        for keys in pages(sent.order_by("pk").values_list("pk", flat=True).iterator()):
            missing = [key for key in keys if key not in self.shown]
            if missing:
                self.found["missing"] += len(missing)
                if self.is_thorough:
                    HIT.objects.filter(pk__in=missing).update(seen="")
                look_soon(hit_ids=missing, now=self.began)
        overdue = Assignment.objects.filter(
            account=self.account, status__in=UNSETTLED, deadline_at__lte=self.began - GRACE
        )
        look_soon(hit_ids=list(overdue.values_list("hit_id", flat=True).distinct()), now=self.began)

    def _compare_closed(self, closed: Sequence[tuple[HIT, ProviderHIT]]) -> None:
        judged = _judged([hit for hit, _ in closed])
        for hit, theirs in closed:
            if not theirs.is_over:
                self._reopen(hit, theirs)
                continue
            if hit.max_assignments != theirs.max_assignments:
                self._keep_places(hit, theirs)
            if self._wants_reading(hit, theirs, judged=judged.get(hit.pk, 0)):
                self._read(hit, theirs)

    def _wants_reading(self, hit: HIT, theirs: ProviderHIT, *, judged: int) -> bool:
        """Whether more or less was decided there than here. Less: our decision was lost, or is late."""
        if self.is_thorough or (hit.problem and not hit.seen) or theirs.completed > judged:
            return True
        was_read = hit.reconciled_at and hit.reconciled_at > self.began - READ_AGAIN
        return theirs.completed < judged and not was_read

    def _adopt(self, hit: HIT, theirs: ProviderHIT) -> None:
        """Adopt a HIT that was made, but not recorded before a crash. A held batch holds it too."""
        with transaction.atomic():
            sent_at = hit.asked_at or self.began
            if not move(
                hit,
                Status.OPEN,
                since=[Status.INTENDED],
                external_id=theirs.external_id,
                sent_at=sent_at,
                expires_at=theirs.expires_at,
                look_at=self.began,
            ):
                return
            Batch.objects.filter(pk=hit.batch_id, hit_type_id="").update(hit_type_id=theirs.hit_type_id)
            mark_stale(hit.batch_id)
        self.found["adopted"] += 1
        log.warning("hit.adopted", hit=str(hit.public_id))

    def _reopen(self, hit: HIT, theirs: ProviderHIT) -> None:
        """Reopen a HIT lengthened there or thought lost, but none that was closed during the scan."""
        if hit.closed_at and hit.closed_at >= self.began:
            return
        with transaction.atomic():
            if not move(
                hit,
                Status.OPEN,
                since=[Status.CLOSED],
                closed_at=None,
                expires_at=theirs.expires_at,
                look_at=self.began,
                seen="",
                problem="",
            ):
                return
            move(hit.batch, Batch.Status.OPEN, since=[Batch.Status.COMPLETE])
            if hit.batch.status == Batch.Status.CANCELLED:
                expire = Change(hit=hit, kind=Change.Kind.EXPIRE, made_at=self.began)
                Change.objects.bulk_create([expire], ignore_conflicts=True)
            mark_stale(hit.batch_id)
        self.found["reopened"] += 1
        log.warning("hit.reopened", hit=str(hit.public_id))

    def _keep_places(self, hit: HIT, theirs: ProviderHIT) -> None:
        """Take over the number of places: nobody starts the HIT any more, so the provider knows it."""
        known = HIT.objects.filter(pk=hit.pk, status=Status.CLOSED, max_assignments=hit.max_assignments)
        if known.update(max_assignments=theirs.max_assignments):
            mark_stale(hit.batch_id)

    def _read(self, hit: HIT, theirs: ProviderHIT) -> None:
        """Read the work of a closed HIT again, since the provider's decisions on it differ from ours."""
        hit.batch.account = self.account
        try:
            read_assignments(hit=hit, provider=self.provider, now=self.began)
        except ProviderError as error:
            log.warning("hit.reconcile_failed", hit=str(hit.public_id), error=str(error))
            return
        HIT.objects.filter(pk=hit.pk, status=Status.CLOSED).update(
            seen=fingerprint(theirs), problem="", reconciled_at=self.began
        )
        self.found["changed"] += 1

    def _meet_stranger(self, theirs: ProviderHIT) -> None:
        if not theirs.annotation.startswith(OURS) or not self._shows_us(theirs):
            return
        stranger, is_new = Stranger.objects.get_or_create(
            account=self.account,
            external_id=theirs.external_id,
            defaults={"annotation": theirs.annotation, "found_at": self.began},
        )
        is_news = is_new or (self.is_thorough and stranger.expired_at is None)
        self.found["strangers"] += is_news
        self.found["work of strangers"] += theirs.handed_in if is_news else 0
        if theirs.status != "Assignable":
            return
        log.warning("hit.stranger", account=str(self.account.public_id))
        row = Stranger.objects.filter(pk=stranger.pk)
        try:
            self.provider.expire_hit(theirs.external_id)
        except ProviderError as error:
            row.update(problem=str(error))
        else:
            row.update(problem="", expired_at=self.began)

    def _shows_us(self, theirs: ProviderHIT) -> bool:
        """Whether the HIT shows our pages. Some providers list HITs without it, so it may be asked for."""
        question = theirs.question or self.provider.get_hit(theirs.external_id).question
        return f"{settings.PUBLIC_URL}/" in question


def _ours(page: Sequence[ProviderHIT]) -> dict[str, HIT]:
    """Return our HITs by annotation, whichever of our accounts they belong to."""
    keys = filter(None, (_public_id(theirs.annotation) for theirs in page))
    hits = HIT.objects.filter(public_id__in=list(keys)).select_related("batch")
    return {f"{OURS}{hit.public_id}": hit for hit in hits}


def _public_id(annotation: str) -> UUID | None:
    try:
        return UUID(annotation.removeprefix(OURS)) if annotation.startswith(OURS) else None
    except ValueError:
        return None


def _judged(hits: Sequence[HIT]) -> dict[int, int]:
    """Return how many assignments of each HIT are approved or rejected here."""
    decided = Q(status__in=(Assignment.Status.APPROVED, Assignment.Status.REJECTED))
    work = Assignment.objects.filter(decided, hit__in=hits).order_by()
    return dict(work.values_list("hit").annotate(count=Count("pk")))
