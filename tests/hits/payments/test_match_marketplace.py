"""The three-way match at the real marketplace, in this process: both sides agree, whatever happens."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace import models as market
from crowd.marketplace.services import money as market_money
from crowd.marketplace.services import work as market_work
from hits.batches.services import launching, sending_hits
from hits.ledger.models.bonuses import Bonus
from hits.ledger.services import rewards
from hits.payments.models.matches import Difference, Match
from hits.payments.services import paying, three_way_match
from hits.payments.services.bonus_states import move_bonus, owe
from hits.providers.gateway import registry
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study
from hits.sync.services import reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.factories import (
    approve,
    invite,
    make_account,
    make_association,
    make_batch,
    make_requester,
    make_study,
    make_user,
)
from tests.promise.wire import provider_over_wire

pytestmark = pytest.mark.django_db
Status = Match.Status
Cause = Difference.Cause


class Marketplace:
    """An account with money at the marketplace, and workers there."""

    def __init__(self, *, fees: str) -> None:
        made = make_requester(deposit=Decimal(50), fee_schedule=fees, now=timezone.now())
        self.account = make_account(
            access_key_id=made.access_key_id,
            secret_access_key=made.secret_access_key,
            ticket_key=made.ticket_key,
            fee_schedule=fees,
        )
        self.provider = provider_over_wire(self.account, carry=lambda _, call: call())

    def launch(self, **terms: Any) -> Batch:
        study: Study = make_study()
        make_association(study=study)
        batch = make_batch(study=study, account=self.account, reward=Decimal("0.13"), **terms)
        launching.launch_batch(batch=batch, by=make_user(is_superuser=True), now=timezone.now())
        sending_hits.send_launching_batches(now=timezone.now())
        return batch

    def accept(self, hit: HIT) -> market.Assignment:
        worker, _ = invite(now=timezone.now())
        there = market.HIT.objects.get(external_id=hit.external_id)
        return market_work.accept_hit(hit_id=there.pk, worker=worker, now=timezone.now())

    def submit(self, hit: HIT) -> str:
        taken = self.accept(hit)
        assert market_work.submit_assignment(assignment=taken, answer="<a/>", now=timezone.now())
        return taken.external_id

    def match(self, *, full: bool = False) -> Match:
        reconciling.reconcile_everything(now=timezone.now())
        return three_way_match.match_account(
            account=self.account, provider=self.provider, full=full, by=None, now=timezone.now()
        )


@pytest.fixture(params=["none", "amazon"])
def marketplace(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> Marketplace:
    settings.MARKETPLACE_KEY_RATE = settings.MARKETPLACE_WORKER_RATE = 0
    made = Marketplace(fees=request.param)
    monkeypatch.setattr(registry, "_boto_provider", lambda **_: made.provider)
    return made


def open_causes(account: Account) -> list[str]:
    rows = Difference.objects.filter(account=account, resolved_at=None)
    return sorted(rows.values_list("cause", flat=True))


def agrees(match: Match) -> bool:
    return (match.status, match.problem, match.tries) == (Status.DONE, "", 1) and (
        match.balance == match.expected_balance
    )


def test_balance_agrees_while_work_comes_and_goes(marketplace: Marketplace) -> None:
    """Free, begun, submitted, approved, rejected and expired places; HITs of ten; bonuses with their fees."""
    assert agrees(marketplace.match())
    few = marketplace.launch(assignments_per_hit=3, review_by="hand").hits.get()
    many = marketplace.launch(assignments_per_hit=10, sharding="whole", review_by="hand").hits.get()
    assert agrees(marketplace.match())

    approved, rejected, waiting = (marketplace.submit(many) for _ in range(3))
    marketplace.accept(many)
    marketplace.provider.approve_assignment(approved)
    marketplace.provider.reject_assignment(rejected, feedback="No.")
    marketplace.submit(few)
    begun = marketplace.accept(few)
    assert agrees(marketplace.match())

    marketplace.provider.expire_hit(few.external_id)
    HIT.objects.filter(pk=few.pk).update(expires_at=timezone.now())
    assert agrees(marketplace.match())  # one is still at work
    market_work.return_assignment(assignment=begun, now=timezone.now())
    assert agrees(marketplace.match())
    marketplace.provider.expire_hit(many.external_id)
    HIT.objects.filter(pk=many.pk).update(expires_at=timezone.now())
    assert agrees(marketplace.match())
    marketplace.provider.approve_assignment(rejected, override=True)
    marketplace.provider.approve_assignment(waiting)
    assert agrees(marketplace.match())
    assert agrees(marketplace.match(full=True))
    assert Difference.objects.count() == 0


def pay_a_bonus(marketplace: Marketplace) -> Bonus:
    """Make a bonus that is owed, approved by two people, paid and confirmed."""
    hit = marketplace.launch(assignments_per_hit=1, review_by="hand").hits.get()
    marketplace.provider.approve_assignment(marketplace.submit(hit))
    reconciling.reconcile_everything(now=timezone.now())
    rewards.book_rewards(now=timezone.now())
    work = Assignment.objects.get(hit=hit)
    now = timezone.now()
    owe(
        [Bonus(assignment=work, rule="extra", amount=Decimal("0.33"), reason="Well done.", owed_at=now)],
        by=None,
        now=now,
    )
    bonus = Bonus.objects.get(rule="extra")
    approve([bonus], now=now)
    paying.pay_bonuses(now=now)
    bonus.refresh_from_db()
    assert move_bonus(
        bonus, Bonus.Status.CONFIRMED, now=now, confirmed_at=now, sent_at=now - timedelta(hours=1)
    )
    return bonus


def test_balance_and_payments_agree_after_a_bonus(marketplace: Marketplace) -> None:
    marketplace.match()
    pay_a_bonus(marketplace)

    match = marketplace.match()

    assert agrees(match)
    assert (match.ours, match.theirs) == (Decimal("0.33"), Decimal("0.33"))
    assert open_causes(marketplace.account) == []


def pay_by_hand(marketplace: Marketplace, bonus: Bonus) -> None:
    marketplace.provider.send_bonus(
        assignment_external_id=bonus.assignment.external_id,
        worker_external_id=bonus.assignment.worker.external_id,
        amount=Decimal("1.11"),
        reason="From the old script.",
        token=Bonus(assignment=bonus.assignment).token,
    )


def withdraw(marketplace: Marketplace, _: Bonus) -> None:
    requester = market.Requester.objects.get()
    market_money.withdraw(requester_id=requester.pk, amount=Decimal(4), now=timezone.now())


@pytest.mark.parametrize(
    ("act", "cause"), [(pay_by_hand, Cause.NOT_OURS), (withdraw, Cause.BALANCE)], ids=["by hand", "withdrawn"]
)
def test_match_finds_what_happened_at_the_marketplace_alone(
    marketplace: Marketplace, act: Callable[[Marketplace, Bonus], None], cause: str
) -> None:
    marketplace.match()
    bonus = pay_a_bonus(marketplace)
    assert agrees(marketplace.match())

    act(marketplace, bonus)
    match = marketplace.match(full=True)

    assert (match.status, match.problem) == (Status.DONE, "")
    assert open_causes(marketplace.account) == [cause]


def test_carried_sum_is_that_of_the_whole_ledger(marketplace: Marketplace) -> None:
    marketplace.match()
    pay_a_bonus(marketplace)
    later = timezone.now() + timedelta(days=2)
    provider, account = marketplace.provider, marketplace.account

    carrying = three_way_match.match_account(
        account=account, provider=provider, full=False, by=None, now=later
    )
    after = three_way_match.match_account(account=account, provider=provider, full=False, by=None, now=later)
    whole = three_way_match.match_account(account=account, provider=provider, full=True, by=None, now=later)

    spent = [
        (match.figures["rewards"], match.figures["bonuses"], match.expected_balance)
        for match in (carrying, after, whole)
    ]
    assert spent == [spent[0]] * 3
    assert carrying.carried_until > 0
