"""Any sequence of actions: no cent appears or vanishes, and the counters agree with the rows."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import timedelta
from decimal import Decimal
from typing import TypeVar

import pytest
from django.db import transaction
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from crowd.marketplace.database import ALIAS, atomic
from crowd.marketplace.errors import RequestError
from crowd.marketplace.models import HIT, Assignment, BonusPayment
from crowd.marketplace.services import hit_endings, reviewing, work
from tests.crowd.marketplace.rows import available, balances, post_hit
from tests.factories import NOW, invite, make_requester

pytestmark = pytest.mark.django_db

Row = TypeVar("Row")
PICK = st.integers(min_value=0, max_value=100)
CENTS = st.integers(min_value=0, max_value=40).map(lambda cents: f"{Decimal(cents) / 100:.2f}")


def pick(rows: Sequence[Row], number: int) -> Row | None:
    return rows[number % len(rows)] if rows else None


class Market(RuleBasedStateMachine):
    """A requester with little money, four workers, and a clock; refusals happen, and change nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.stack.enter_context(atomic())
        self.now = NOW
        self.requester = make_requester(deposit=Decimal(3), fee_schedule="amazon").requester
        self.workers = [invite()[0] for _ in range(4)]

    def teardown(self) -> None:
        transaction.set_rollback(True, using=ALIAS)
        self.stack.close()

    @property
    def hits(self) -> list[HIT]:
        return list(HIT.objects.filter(requester=self.requester).select_related("hit_type").order_by("pk"))

    @property
    def assignments(self) -> list[Assignment]:
        found = Assignment.objects.filter(hit__requester=self.requester)
        return list(found.select_related("hit__hit_type").order_by("pk"))

    @rule(
        places=st.integers(1, 12),
        reward=CENTS,
        delay=st.sampled_from([0, 300]),
        life=st.sampled_from([60, 900]),
    )
    def create(self, places: int, reward: str, delay: int, life: int) -> None:
        with suppress(RequestError):
            post_hit(
                requester=self.requester,
                reward=reward,
                max_assignments=places,
                lifetime=timedelta(seconds=life),
                delay_s=delay,
                now=self.now,
            )

    @rule(number=PICK, worker=PICK)
    def accept(self, number: int, worker: int) -> None:
        if hit := pick(self.hits, number):
            with suppress(work.NotAvailable):
                work.accept_hit(hit_id=hit.pk, worker=self.workers[worker % 4], now=self.now)

    @rule(number=PICK)
    def give_back(self, number: int) -> None:
        if assignment := pick(self.assignments, number):
            work.return_assignment(assignment=assignment, now=self.now)

    @rule(number=PICK)
    def submit(self, number: int) -> None:
        if assignment := pick(self.assignments, number):
            work.submit_assignment(assignment=assignment, answer="<answer/>", now=self.now)

    @rule(number=PICK, override=st.booleans())
    def approve(self, number: int, *, override: bool) -> None:
        if assignment := pick(self.assignments, number):
            with suppress(RequestError):
                reviewing.approve_assignment(
                    assignment=assignment, feedback="", override=override, now=self.now
                )

    @rule(number=PICK)
    def reject(self, number: int) -> None:
        if assignment := pick(self.assignments, number):
            with suppress(RequestError):
                reviewing.reject_assignment(assignment=assignment, feedback="", now=self.now)

    @rule(number=PICK, cents=st.integers(1, 150))
    def pay(self, number: int, cents: int) -> None:
        if assignment := pick(self.assignments, number):
            with suppress(RequestError), atomic():
                reviewing.pay_bonus(
                    requester=self.requester,
                    assignment=assignment,
                    amount=Decimal(cents) / 100,
                    reason="",
                    now=self.now,
                )

    @rule(number=PICK)
    def expire(self, number: int) -> None:
        if hit := pick(self.hits, number):
            hit_endings.expire_hit(hit=hit, now=self.now)

    @rule(seconds=st.sampled_from([1, 59, 300, 600]))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        work.settle(now=self.now)

    @invariant()
    def money_adds_up(self) -> None:
        found = balances(self.requester)

        assert sum(found.values()) == 0
        assert found.get("deposits") == -3
        assert found.get("available", 0) == available(self.requester) >= 0

    @invariant()
    def held_is_what_open_places_and_unreviewed_work_need(self) -> None:
        needed = sum(self.places_to_pay(hit) * (hit.hit_type.reward + hit.fee) for hit in self.hits)

        assert balances(self.requester).get("held", 0) == needed

    @invariant()
    def workers_got_approved_rewards_and_bonuses(self) -> None:
        approved = [row for row in self.assignments if row.status == "Approved"]
        bonuses = BonusPayment.objects.filter(assignment__hit__requester=self.requester)
        earned = sum(row.hit.hit_type.reward for row in approved) + sum(row.amount for row in bonuses)

        assert balances(self.requester).get("workers", 0) == earned

    @invariant()
    def counters_count(self) -> None:
        rows = Counter((row.hit_id, row.status) for row in self.assignments)

        for hit in self.hits:
            counted = {
                "Accepted": hit.pending,
                "Submitted": hit.submitted,
                "Approved": hit.approved,
                "Rejected": hit.rejected,
            }
            assert {status: rows[hit.pk, status] for status in counted} == counted
            assert hit.counts.available >= 0

    def places_to_pay(self, hit: HIT) -> int:
        still_open = 0 if hit.expires_at <= self.now else hit.counts.available
        return still_open + hit.pending + hit.submitted


def test_ledger_and_counters_agree_after_any_sequence() -> None:
    run_state_machine_as_test(Market, settings=settings(max_examples=15, stateful_step_count=30))
