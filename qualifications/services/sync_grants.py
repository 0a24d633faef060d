"""Tells providers what workers hold.

One sender at a time claims a row, so that a grant on its way never overtakes its revocation.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

import structlog
from cryptography.fernet import InvalidToken
from django.db.models import F, Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext as _

from hits.batches.services.sending_hits import Clock, ticking
from hits.common.sweep_parts import in_parts
from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.providers.gateway.interface import Provider
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import usable
from qualifications.gate_words import findings_in_words
from qualifications.models import Attempt, Gate, Holding, PlatformType
from qualifications.services.due_grants import earliest

# A request is over, one way or the other, well before this. Also how long an unclear one rests.
CLAIM = timedelta(minutes=3)
# The most for one account in one sweep, so that the others have their turn.
MOST_AT_ONCE = 50
LONGEST_PROBLEM = 500
log = structlog.get_logger()


def tell_holdings(*, now: datetime, clock: Clock | None = None) -> int:
    """Tell the providers of changed values. Both requests are idempotent."""
    clock = clock or ticking(now)
    accounts = _to_tell().values("worker__account")
    return in_parts(usable(accounts), lambda one: _tell_turn(*one, clock=clock))


def next_telling(*, now: datetime) -> datetime | None:
    """When the claim of an unclear request ends and the value is told again."""
    first = earliest(_to_tell(), at="claimed_at", account="worker__account")
    return first and first + CLAIM


def retell(holdings: QuerySet[Holding]) -> int:
    """Tell once more those of these values that the provider refused, and return how many they are."""
    refused = Holding.objects.filter(pk__in=holdings.values("pk")).exclude(problem="")
    return refused.update(is_told=False, problem="", claimed_at=None)


def value_there(holding: Holding) -> int | None:
    """The value as the provider keeps it; None for no value.

    The provider's own test has a scale of its own. A worker who is let in there gets a value just above the
    bar; any other worker gets 0 and keeps it, since a test taken after a revocation would wait for a person.
    """
    if holding.gate.grading != Gate.Grading.PROVIDER:
        return holding.value
    return holding.gate.passing_value + 1 if holding.is_held else 0


def _to_tell() -> QuerySet[Holding]:
    """Holdings to tell. Nothing can be told before the type exists."""
    return Holding.objects.filter(
        is_told=False,
        gate__platform_types__in=PlatformType.objects.exclude(external_id=""),
        gate__platform_types__account=F("worker__account"),
    )


def _tell_turn(account: Account, provider: Provider, *, clock: Clock) -> int:
    told = 0
    try:
        for holding in _claim(account, clock=clock):
            told += _tell(holding, provider)
    except ProviderUnavailable as error:
        # The claim rests for a while, and then the value is told again.
        log.warning("holding.waiting", account=str(account.public_id), error=str(error))
    return told


def _claim(account: Account, *, clock: Clock) -> Iterator[Holding]:
    """Claim each holding just before it is told, and read it again, so that no change meanwhile is missed."""
    due = _to_tell().filter(_is_free(clock()), worker__account=account).order_by("pk")
    for pk in list(due.values_list("pk", flat=True)[:MOST_AT_ONCE]):
        now = clock()
        if Holding.objects.filter(_is_free(now), pk=pk, is_told=False).update(claimed_at=now):
            yield Holding.objects.select_related("gate__study", "worker").get(pk=pk)


def _is_free(now: datetime) -> Q:
    return Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM)


def _tell(holding: Holding, provider: Provider) -> bool:
    try:
        external_id = holding.worker.external_id
    except InvalidToken:
        log.warning("worker.id_sealed", worker=str(holding.worker.public_id))
        return _refused(holding, f"The id of {holding.worker} cannot be unsealed. Nobody was told.")
    try:
        _ask(holding, provider, external_id=external_id)
    except ProviderRefused as refusal:
        log.warning("holding.refused", worker=str(holding.worker.public_id), code=refusal.code)
        return _refused(holding, str(refusal).replace(external_id, holding.worker.pseudonym))
    return _end(holding)


def _ask(holding: Holding, provider: Provider, *, external_id: str) -> None:
    row = PlatformType.objects.get(gate=holding.gate_id, account=holding.worker.account_id)
    value = value_there(holding)
    if value is None:
        provider.revoke_qualification(row.external_id, worker_external_id=external_id, reason=holding.reason)
    else:
        provider.grant_qualification(
            row.external_id,
            worker_external_id=external_id,
            value=value,
            notify=holding.is_held,
            reason=_why(holding),
        )


def _why(holding: Holding) -> str:
    """Return why the worker does not hold the gate, for the worker; empty if they do."""
    if holding.is_held:
        return ""
    attempts = Attempt.objects.filter(gate=holding.gate_id, worker=holding.worker_id)
    failed = attempts.filter(status=Attempt.Status.FAILED).order_by("pk").last()
    with translation.override(holding.gate.study.language):
        if holding.reason or failed is None:
            return holding.reason
        parts = [_("Not passed."), *findings_in_words(failed.findings), failed.words]
        return " ".join(filter(None, parts))


def _end(holding: Holding) -> bool:
    """Record that the value was told; one that changed meanwhile is free to be told again at once."""
    told = {"told": holding.value, "value_there": value_there(holding), "claimed_at": None, "problem": ""}
    if _unchanged(holding).update(is_told=True, **told):
        return True
    Holding.objects.filter(pk=holding.pk).update(**told)
    return False


def _refused(holding: Holding, problem: str) -> bool:
    """Record the refusal; nothing is told until a person asks for it or the value changes."""
    said = {"problem": problem[:LONGEST_PROBLEM], "claimed_at": None}
    if not _unchanged(holding).update(is_told=True, **said):
        Holding.objects.filter(pk=holding.pk).update(claimed_at=None)
    return False


def _unchanged(holding: Holding) -> QuerySet[Holding]:
    return Holding.objects.filter(pk=holding.pk, value=holding.value, changed_at=holding.changed_at)
