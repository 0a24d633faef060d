"""The provider has removed a HIT and its list of payments: nothing waits for ever or is paid twice."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.core.errors import ProviderRefused, ProviderUnavailable, RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.domain.bonus_refusals import Remedy
from hits.payments.services import bonus_states, compensation, paying, payment_outcomes, refused_bonuses
from tests.factories import NOW, approve, make_study, make_user
from tests.hits.books import open_batch, owed_bonus
from tests.hits.refusals import make_payer
from tests.pages import text_of
from tests.people import permissions
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Bonus.Status
AGO = NOW - timedelta(hours=2)
LAST_WEEK = NOW - timedelta(days=7)
WORDS = "The statement of May shows it."


class Forgetful:
    """A provider that has removed a HIT and refuses requests about it."""

    def __init__(self, *, is_only_answer: bool = True) -> None:
        self.sent = 0
        self.is_only_answer = is_only_answer

    def list_bonuses(self, *, hit_external_id: str) -> list[Any]:
        raise ProviderRefused(f"HIT {hit_external_id} does not exist.", code="HITDoesNotExist")

    def send_bonus(self, **_: Any) -> None:
        self.sent += 1
        raise ProviderRefused(
            "It does not exist.", code="AssignmentDoesNotExist", is_only_answer=self.is_only_answer
        )


@pytest.fixture
def payer() -> User:
    return make_payer(make_study())


@pytest.fixture
def lost(turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch) -> Forgetful:
    there = Forgetful()
    monkeypatch.setattr(turk.provider, "list_bonuses", there.list_bonuses)
    monkeypatch.setattr(turk.provider, "send_bonus", there.send_bonus)
    return there


def make_approved(payer: User, **changes: Any) -> Bonus:
    """Make a bonus that two people approved, in a study of the payer."""
    bonus = owed_bonus(open_batch(study=payer.studies.get()))
    approve([bonus])
    Bonus.objects.filter(pk=bonus.pk).update(**changes)
    return Bonus.objects.get(pk=bonus.pk)


def everything() -> list[Any]:
    tables = (Bonus, LedgerEntry, AuditEvent)
    return [list(table._default_manager.order_by("pk").values()) for table in tables]


def test_first_request_that_was_answered_once_is_refused_and_can_be_paid_by_a_hit(
    payer: User, lost: Forgetful
) -> None:
    bonus = make_approved(payer)

    paying.pay_bonuses(now=NOW)

    bonus.refresh_from_db()
    assert (bonus.status, bonus.refusal_code, lost.sent) == (Status.REFUSED, "AssignmentDoesNotExist", 1)
    assert (refused_bonuses.refusal_of(bonus).remedy, compensation.can_compensate(bonus)) == (
        Remedy.PAY_BY_HIT,
        True,
    )


def test_request_that_may_have_been_made_twice_stays_unknown(payer: User, lost: Forgetful) -> None:
    lost.is_only_answer = False
    bonus = make_approved(payer)

    paying.pay_bonuses(now=NOW)
    paying.pay_bonuses(now=NOW + timedelta(days=1))

    bonus.refresh_from_db()
    assert (bonus.status, bonus.problem, lost.sent) == (Status.UNKNOWN, payment_outcomes.HIT_IS_GONE, 1)


@pytest.mark.parametrize(("asked_at", "status"), [(LAST_WEEK, Status.REFUSED), (AGO, Status.APPROVED)])
def test_approved_again_after_a_look_in_vain_it_is_refused_once_no_list_can_be_late(
    payer: User, lost: Forgetful, asked_at: Any, status: str
) -> None:
    bonus = make_approved(payer, sending_at=asked_at)

    paying.pay_bonuses(now=NOW)

    bonus.refresh_from_db()
    assert (bonus.status, lost.sent) == (status, 0)


@pytest.mark.parametrize("status", [Status.UNKNOWN, Status.SENT])
def test_counted_as_paid_it_is_confirmed_booked_and_on_record(
    payer: User, lost: Forgetful, status: str
) -> None:
    bonus = make_approved(payer)
    bonus_states.move_bonus(bonus, Status.SENDING, now=AGO, sending_at=AGO)
    bonus_states.move_bonus(bonus, status, now=AGO, sent_at=AGO if status == Status.SENT else None)

    payment_outcomes.count_as_paid(bonus=bonus, reason=WORDS, by=payer, now=NOW)
    paying.pay_bonuses(now=NOW + timedelta(days=1))

    bonus.refresh_from_db()
    assert (bonus.status, bonus.problem, bonus.confirmed_at, lost.sent) == (Status.CONFIRMED, "", NOW, 0)
    booked = LedgerEntry.objects.filter(bonus=bonus).order_by("pk").values_list("kind", flat=True)
    assert list(booked) == ["owed", "approved", "sent", "bonus_fee", "confirmed"]
    event = AuditEvent.objects.get(kind="bonus.counted_as_paid")
    assert (event.by, event.bonus, WORDS in event.words) == (payer, bonus, True)


def test_counted_as_paid_twice_is_counted_once(payer: User, lost: Forgetful) -> None:
    bonus = make_approved(payer, status=Status.UNKNOWN, sending_at=AGO)
    stale = Bonus.objects.get(pk=bonus.pk)
    payment_outcomes.count_as_paid(bonus=bonus, reason=WORDS, by=payer, now=NOW)
    before = everything()

    with pytest.raises(RuleBroken) as refusal:
        payment_outcomes.count_as_paid(bonus=stale, reason=WORDS, by=payer, now=NOW)

    assert (refusal.value.code, everything()) == ("not_gone", before)


def test_list_that_can_be_read_settles_it_and_nothing_is_counted(payer: User, turk: StubbedTurk) -> None:
    bonus = make_approved(payer, status=Status.UNKNOWN, sending_at=AGO, problem=payment_outcomes.HIT_IS_GONE)

    with pytest.raises(RuleBroken) as refusal:
        payment_outcomes.count_as_paid(bonus=bonus, reason=WORDS, by=payer, now=NOW)

    bonus.refresh_from_db()
    assert (refusal.value.code, bonus.status, bonus.problem) == ("not_gone", Status.APPROVED, "")


@pytest.mark.parametrize("failure", [ProviderUnavailable("No answer"), ProviderRefused("No.", code="Denied")])
def test_what_an_earlier_look_has_seen_counts_nothing_as_paid(
    payer: User, lost: Forgetful, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    bonus = make_approved(payer, status=Status.UNKNOWN, sending_at=AGO, problem=payment_outcomes.HIT_IS_GONE)
    before = everything()

    def fail(**_: Any) -> None:
        raise failure

    monkeypatch.setattr(lost, "list_bonuses", fail)
    monkeypatch.setattr(payment_outcomes, "provider_for", lambda *_, **__: lost)
    with pytest.raises(RuleBroken) as refusal:
        payment_outcomes.count_as_paid(bonus=bonus, reason=WORDS, by=payer, now=NOW)

    assert refusal.value.code == "not_gone"
    assert everything()[1:] == before[1:]
    assert Bonus.objects.get().status == Status.UNKNOWN


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("not_allowed", {"by": "somebody"}),
        ("no_reason", {"reason": " "}),
        ("no_reason", {"reason": "Two\nlines"}),
        ("not_unclear", {"status": Status.REFUSED}),
        ("not_gone", {"problem": payment_outcomes.OTHERWISE}),
        ("not_gone", {"sending_at": NOW}),
    ],
)
def test_counting_as_paid_refused_changes_no_money(
    payer: User, lost: Forgetful, code: str, changes: dict[str, Any]
) -> None:
    by = make_user() if changes.pop("by", "") else payer
    reason = changes.pop("reason", WORDS)
    given = {"status": Status.UNKNOWN, "sending_at": AGO, "problem": payment_outcomes.HIT_IS_GONE, **changes}
    bonus = make_approved(payer, **given)
    booked = LedgerEntry.objects.count()

    with pytest.raises(RuleBroken) as refusal:
        payment_outcomes.count_as_paid(bonus=bonus, reason=reason, by=by, now=NOW)

    bonus.refresh_from_db()
    assert (refusal.value.code, bonus.status) == (code, given["status"])
    assert (LedgerEntry.objects.count(), lost.sent) == (booked, 0)


def test_queue_offers_it_asks_for_the_reason_and_does_it(
    client: Client, payer: User, lost: Forgetful
) -> None:
    payer.user_permissions.add(*permissions("view_bonus"))
    client.force_login(payer)
    bonus = make_approved(payer, status=Status.UNKNOWN, sending_at=AGO)
    paying.pay_bonuses(now=NOW)
    address = reverse("admin:hits_payment_act", args=[bonus.pk, "count_as_paid"])

    queue = text_of(client.get(reverse("admin:hits_payment_queue")))
    asked = text_of(client.get(address))
    client.post(address)
    unsaid = Bonus.objects.get().status
    client.post(address, {"reason": WORDS})

    assert ("Count it as paid…" in queue, 'name="reason"' in asked) == (True, True)
    assert (unsaid, Bonus.objects.get().status) == (Status.UNKNOWN, Status.CONFIRMED)


def test_look_now_at_what_is_not_listed_does_not_say_that_it_is(payer: User, turk: StubbedTurk) -> None:
    bonus = make_approved(payer, status=Status.SENT, sending_at=AGO, sent_at=AGO)

    words = payment_outcomes.look_now(bonus=bonus, by=payer, now=NOW)

    assert words == "It is not on the provider's list yet. It is not sent again."
