"""What providers know by themselves: results of their own tests, and requests for a type.

The API lists all holders or none, so a list of n pages is read every n minutes. A list without changes costs
a call and two queries for each hundred people, and writes nothing.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice

import structlog
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext as _

from hits.batches.services.sending_hits import Clock, ticking
from hits.common.sweep_parts import in_parts
from hits.core import crypto
from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.identity.models.workers import Worker
from hits.providers.gateway.interface import Provider, QualifiedWorker
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import usable
from qualifications.models import Gate, Holding, PlatformType
from qualifications.services import test_attempts
from qualifications.services.due_grants import earliest
from qualifications.services.provider_tests import check_provider_test
from qualifications.services.sync_grants import value_there

__all__ = ["check_provider_test", "next_reading", "read_provider_tests"]

PAGE = 100
REST = timedelta(minutes=1)
# A reading is over, one way or the other, before this.
CLAIM = timedelta(minutes=10)
# The most for one account in one sweep, so that the others have their turn.
MOST_AT_ONCE = 5
log = structlog.get_logger()


def read_provider_tests(*, now: datetime, clock: Clock | None = None) -> int:
    """Record new results and answer requests. Killed anywhere, the next run finds what is left."""
    clock = clock or ticking(now)
    accounts = _ready().filter(_is_due(now)).values("account")
    return in_parts(usable(accounts), lambda one: _read_turn(*one, clock=clock))


def next_reading(*, now: datetime) -> datetime | None:
    """When the next list of a provider is read again."""
    return earliest(_ready(), at="read_again_at", account="account")


def _ready() -> QuerySet[PlatformType]:
    return PlatformType.objects.filter(status=PlatformType.Status.READY, gate__is_active=True)


def _is_due(now: datetime) -> Q:
    return Q(read_again_at=None) | Q(read_again_at__lte=now)


def _read_turn(account: Account, provider: Provider, *, clock: Clock) -> int:
    due = _ready().filter(_is_due(clock()), account=account)
    due = due.order_by(F("read_again_at").asc(nulls_first=True), "pk")
    found = 0
    for row in list(due.select_related("gate__study", "account")[:MOST_AT_ONCE]):
        now = clock()
        if not PlatformType.objects.filter(_is_due(now), pk=row.pk).update(read_again_at=now + CLAIM):
            continue
        try:
            found += _read(row, provider, clock=clock)
        except ProviderUnavailable as error:
            log.warning("gate.not_read", account=str(account.public_id), error=str(error))
            break
        except ProviderRefused as refusal:
            log.warning("gate.not_read", gate=str(row.gate.public_id), code=refusal.code)
    return found


def _read(row: PlatformType, provider: Provider, *, clock: Clock) -> int:
    found, pages = 0, 1
    if row.gate.grading == Gate.Grading.PROVIDER:
        found, pages = _read_results(row, provider, clock=clock)
    found += _answer_requests(row, provider)
    now = clock()
    PlatformType.objects.filter(pk=row.pk).update(read_at=now, read_again_at=now + pages * REST)
    return found


def _read_results(row: PlatformType, provider: Provider, *, clock: Clock) -> tuple[int, int]:
    """Record results; return how many were new, and how many pages there were."""
    began = clock()
    # For these workers the list may be older than the value that is being told.
    being_told = _holdings(row).filter(is_told=False).values_list("worker_id", flat=True)
    left_alone = set(being_told)
    found, pages = 0, 0
    listed = provider.list_qualified(row.external_id)
    while page := list(islice(listed, PAGE)):
        pages += 1
        found += _record_page(row, page, began=began, left_alone=left_alone, clock=clock)
    return found, max(pages, 1)


def _record_page(
    row: PlatformType, page: Iterable[QualifiedWorker], *, began: datetime, left_alone: set[int], clock: Clock
) -> int:
    rows = {_index(row.account, held.worker_external_id): held for held in page}
    known = Worker.objects.filter(account=row.account, external_id_index__in=rows)
    workers = {worker.external_id_index: worker for worker in known.defer("external_id")}
    holdings = {held.worker_id: held for held in _holdings(row).filter(worker__in=workers.values())}
    found = 0
    for index, held in rows.items():
        worker = workers.get(index)
        holding = holdings.get(worker.pk) if worker else None
        if holding and (holding.value_there == held.value or holding.changed_at >= began):
            continue
        if worker and worker.pk in left_alone:
            continue
        worker = worker or Worker.objects.known(account=row.account, external_id=held.worker_external_id)
        _record(row.gate, worker, held.value, now=clock())
        found += 1
    return found


def _record(gate: Gate, worker: Worker, value: int, *, now: datetime) -> None:
    """Record a result; one that does not count here, since a person has revoked, is revoked there as well."""
    passed = value > gate.passing_value
    with transaction.atomic():
        test_attempts.record_provider_result(gate=gate, worker=worker, passed=passed, value=value, now=now)
        rows = Holding.objects.filter(gate=gate, worker=worker)
        rows.update(value_there=value)
        if rows.filter(value=Holding.Value.PASSED).exists() != passed:
            rows.update(is_told=False)
    log.info("gate.result_read", gate=str(gate.public_id), worker=worker.pseudonym, passed=passed)


def _answer_requests(row: PlatformType, provider: Provider) -> int:
    """Answer all requests for the type: accept those of holders, and reject the others with the reason.

    Workers can request any type that can be required; none is left waiting for what a test decides.
    """
    answered = 0
    for request in provider.list_qualification_requests(row.external_id):
        index = _index(row.account, request.worker_external_id)
        holding = _holdings(row).filter(worker__external_id_index=index).select_related("gate").first()
        if holding and holding.is_held:
            provider.accept_qualification_request(request.external_id, value=value_there(holding) or 1)
        else:
            provider.reject_qualification_request(request.external_id, reason=_why_not(row.gate, holding))
        answered += 1
    return answered


def _why_not(gate: Gate, holding: Holding | None) -> str:
    with translation.override(gate.study.language):
        if holding and holding.reason:
            return holding.reason
        if holding and holding.value is not None:
            return _("You have taken this test. Your page of work and pay says where you stand.")
        return _("Workers who pass the test “%(name)s” are given this. Look for it in the list of HITs.") % {
            "name": gate.name
        }


def _holdings(row: PlatformType) -> QuerySet[Holding]:
    return Holding.objects.filter(gate=row.gate_id, worker__account=row.account_id)


def _index(account: Account, external_id: str) -> str:
    return crypto.blind_index(str(account.public_id), external_id)
