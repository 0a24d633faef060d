"""Checks of the marketplace's rows when a copy was put into a scratch database."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from cryptography.fernet import InvalidToken
from django.db.models import Q, Sum

from crowd.marketplace import seals
from crowd.marketplace.models import HIT, Assignment, BonusPayment, LedgerEntry
from crowd.marketplace.models.parties import AccessKey, Requester, Worker
from hits.common.health.findings import Finding

CENT = Decimal("0.01")
COUNTED = (Requester, Worker, HIT, Assignment, BonusPayment, LedgerEntry)
# One of the databases adds floats.
NOT_ZERO = Q(sum__gt=0.004) | Q(sum__lt=-0.004)


def examine_copied_rows() -> Iterator[Finding]:
    counts = [f"{model.objects.count()} {model._meta.verbose_name_plural}" for model in COUNTED]
    yield Finding(name="marketplace's rows", ok=True, saw=", ".join(counts))
    yield _examine_ledger()
    yield _examine_secrets()


def _examine_ledger() -> Finding:
    one_sided = LedgerEntry.objects.order_by().values("transfer").annotate(sum=Sum("amount")).filter(NOT_ZERO)
    wrong = [f"{one_sided.count()} transfers do not sum to zero"] if one_sided.exists() else []
    wrong += _wrong_balances()
    saw = wrong[0] if wrong else "every transfer sums to zero, and every balance is what the ledger says"
    return Finding(name="marketplace's ledger", ok=not wrong, saw=saw)


def _wrong_balances() -> list[str]:
    summed: defaultdict[tuple[int, str], Decimal] = defaultdict(Decimal)
    groups = LedgerEntry.objects.order_by().values_list("requester", "account").annotate(sum=Sum("amount"))
    for requester, account, amount in groups.filter(account__in=("available", "held")):
        summed[requester, account] = Decimal(amount).quantize(CENT)
    return [
        f"{one} has {one.available} available and {one.on_hold} on hold, unlike in the ledger"
        for one in Requester.objects.all()
        if (one.available, one.on_hold) != (summed[one.pk, "available"], summed[one.pk, "held"])
    ]


def _examine_secrets() -> Finding:
    sealed = [
        *AccessKey.objects.values_list("secret_sealed", flat=True),
        *Requester.objects.exclude(ticket_key_sealed="").values_list("ticket_key_sealed", flat=True),
    ]
    try:
        opened = sum(bool(seals.unseal(secret)) for secret in sealed)
    except InvalidToken:
        saw = "secrets were sealed with other keys than these"
        return Finding(name="marketplace's secrets", ok=False, saw=saw)
    return Finding(name="marketplace's secrets", ok=True, saw=f"{opened} opened")
