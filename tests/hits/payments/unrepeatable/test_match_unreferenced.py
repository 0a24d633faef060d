"""The comparison of payments where the provider lists amounts alone, work by work."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest

from hits.core.errors import ProviderRefused
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.matches import Difference
from hits.payments.services.match_payments import Comparison, compare_hits
from hits.work.models.assignments import Assignment
from tests.factories import NOW, make_account, make_assignment, make_bonus, make_hit
from tests.hits.books import open_batch
from tests.hits.payments.unrepeatable.unrepeatable_provider import LIST, Paid, Unrepeatable

pytestmark = pytest.mark.django_db
Status = Bonus.Status
Cause = Difference.Cause
LONG_AGO = NOW - timedelta(hours=2)
HALF = Decimal("0.50")


@pytest.fixture
def work() -> Assignment:
    hit = make_hit(batch=open_batch(account=make_account(kind="prolific")))
    return make_assignment(hit=hit, status="approved")


@pytest.fixture
def provider(work: Assignment) -> Unrepeatable:
    return Unrepeatable(now=lambda: NOW, workers={work.external_id: work.worker.external_id})


def asked(work: Assignment, rule: str, status: str, amount: Decimal = HALF) -> Bonus:
    sent_at = LONG_AGO if status in (Status.SENT, Status.CONFIRMED) else None
    given = {"status": status, "amount": amount, "sending_at": LONG_AGO, "sent_at": sent_at}
    return make_bonus(assignment=work, rule=rule, **given)


def pay_there(provider: Unrepeatable, work: Assignment, *amounts: Decimal) -> None:
    for amount in amounts:
        provider.paid.append(Paid(work=work.external_id, amount=amount, token="", at=LONG_AGO))


def compare(work: Assignment, provider: Unrepeatable) -> Comparison:
    given = {"account": work.account, "provider": provider, "now": NOW}
    return compare_hits([work.hit], **given)  # type: ignore[arg-type]


def causes(found: Comparison) -> Counter[str]:
    return Counter(one.gap.cause for one in found.found)


def test_sides_that_agree_differ_in_nothing(work: Assignment, provider: Unrepeatable) -> None:
    for rule, amount in (("one", HALF), ("twin", HALF), ("other", Decimal("0.20"))):
        asked(work, rule, Status.CONFIRMED, amount)
        pay_there(provider, work, amount)

    found = compare(work, provider)

    assert (found.found, found.ours, found.theirs) == ([], Decimal("1.20"), Decimal("1.20"))


@pytest.mark.parametrize(
    ("status", "paid", "gap"),
    [
        (Status.CONFIRMED, 2, (Cause.TWICE, "-0.60")),
        (Status.SENT, 0, (Cause.NOT_LISTED, "0.60")),
        (Status.UNKNOWN, 1, (Cause.UNCLEAR, "-0.60")),
        (Status.UNKNOWN, 0, (Cause.UNCLEAR, "0")),
        (Status.REFUSED, 1, (Cause.NOT_OURS, "-0.60")),
    ],
)
def test_difference_names_its_bonus(
    work: Assignment, provider: Unrepeatable, status: str, paid: int, gap: tuple[str, str]
) -> None:
    bonus = asked(work, "one", status)
    pay_there(provider, work, *[HALF] * paid)

    (found,) = compare(work, provider).found

    assert (found.gap.cause, found.bonus, found.gap.effect) == (gap[0], bonus, Decimal(gap[1]))


def test_payment_of_another_amount_is_nobodys(work: Assignment, provider: Unrepeatable) -> None:
    asked(work, "one", Status.CONFIRMED)
    pay_there(provider, work, HALF, Decimal("0.20"))

    (found,) = compare(work, provider).found

    assert (found.gap.cause, found.bonus) == (Cause.NOT_OURS, None)
    assert "that no bonus of ours explains" in found.words


def test_payment_by_hand_for_work_without_a_bonus_is_found(work: Assignment, provider: Unrepeatable) -> None:
    pay_there(provider, work, HALF)

    assert causes(compare(work, provider)) == {Cause.NOT_OURS: 1}


def test_payment_of_one_work_is_not_taken_for_that_of_another(
    work: Assignment, provider: Unrepeatable
) -> None:
    other = make_assignment(hit=work.hit, status="approved")
    provider.workers[other.external_id] = other.worker.external_id
    asked(work, "one", Status.CONFIRMED)
    pay_there(provider, other, HALF)

    assert causes(compare(work, provider)) == {Cause.NOT_OURS: 1, Cause.NOT_LISTED: 1}
    assert provider.calls == [LIST, LIST]


def test_work_that_the_provider_has_forgotten_leaves_the_rest_compared(
    work: Assignment, provider: Unrepeatable, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(work, "one", Status.CONFIRMED)
    lost = make_assignment(hit=work.hit, status="approved")
    asked(lost, "one", Status.CONFIRMED)
    pay_there(provider, work, HALF)
    read = provider.list_bonuses_of

    def forget(external_id: str) -> object:
        if external_id == lost.external_id:
            raise ProviderRefused("Gone", code="AssignmentDoesNotExist")
        return read(external_id)

    monkeypatch.setattr(provider, "list_bonuses_of", forget)

    assert causes(compare(work, provider)) == {Cause.NOT_LISTED: 1}
