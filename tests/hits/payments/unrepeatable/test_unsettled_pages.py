"""What a person sees and does about a payment that cannot be repeated."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from hits.ledger.models.bonuses import Bonus
from hits.payments.services import payment_outcomes, unpaid_bonuses
from hits.payments.services.bonus_states import move_bonus
from hits.work.models.assignments import Assignment
from tests.factories import approve, make_account, make_user
from tests.hits.books import open_batch, owed_bonus
from tests.hits.payments.unrepeatable.unrepeatable_provider import Unrepeatable, put_behind_accounts
from tests.pages import text_of
from tests.people import make_permitted

pytestmark = pytest.mark.django_db
Status = Bonus.Status


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(make_user(is_superuser=True))
    return client


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Unrepeatable:
    there = Unrepeatable(now=timezone.now)
    put_behind_accounts(there, monkeypatch)
    return there


def unclear(provider: Unrepeatable, *, hours: float, status: str = Status.UNKNOWN) -> Bonus:
    """Make a bonus whose outcome has been unclear for these hours."""
    at = timezone.now() - timedelta(hours=hours)
    batch = open_batch(account=make_account(kind="prolific"), now=at)
    bonus = owed_bonus(batch, amount="0.30", now=at)
    approve([bonus], now=at)
    bonus.refresh_from_db()
    move_bonus(bonus, Status.SENDING, now=at, sending_at=at)
    move_bonus(bonus, status, now=at, sent_at=at if status == Status.SENT else None)
    work: Assignment = bonus.assignment
    provider.workers[work.external_id] = work.worker.external_id
    return bonus


def queue(client: Client) -> str:
    return text_of(client.get(reverse("admin:hits_payment_queue")))


def act(client: Client, bonus: Bonus, verb: str, **sent: str) -> str:
    address = reverse("admin:hits_payment_act", args=[bonus.pk, verb])
    return text_of(client.post(address, sent, follow=True))


@pytest.mark.parametrize("status", [Status.UNKNOWN, Status.SENT])
def test_payment_that_is_still_looked_for_offers_a_look_alone(
    staff: Client, provider: Unrepeatable, status: str
) -> None:
    unclear(provider, hours=1, status=status)

    page = queue(staff)

    assert ("Look now" in page, "never sent again by itself" in page) == (True, True)
    for words in ("Send the payment again", "Count it as paid", "It was not paid"):
        assert words not in page


@pytest.mark.parametrize("status", [Status.UNKNOWN, Status.SENT])
def test_person_reads_what_to_look_at_and_may_decide_either_way(
    staff: Client, provider: Unrepeatable, status: str
) -> None:
    bonus = unclear(provider, hours=4, status=status)

    said = act(staff, bonus, "look")
    page = queue(staff)

    assert payment_outcomes.UNSETTLED in said
    assert "0 other bonuses of $0.30 for this work are paid" in page
    assert all(words in page for words in ("Look now", "Count it as paid", "It was not paid: send it again"))


def test_person_says_on_the_page_that_it_was_not_paid(staff: Client, provider: Unrepeatable) -> None:
    bonus = unclear(provider, hours=4)
    act(staff, bonus, "look")

    asked = text_of(staff.get(reverse("admin:hits_payment_act", args=[bonus.pk, "say_unpaid"])))
    without = act(staff, bonus, "say_unpaid", reason="")
    between = Bonus.objects.get().status
    said = act(staff, bonus, "say_unpaid", reason="No bonus is on its page.")

    assert "it is paid twice" in asked
    assert (unpaid_bonuses.AGAIN in without, between) == (False, Status.UNKNOWN)
    assert (unpaid_bonuses.AGAIN in said, Bonus.objects.get().status) == (True, Status.APPROVED)


def test_person_counts_it_as_paid_on_the_page(staff: Client, provider: Unrepeatable) -> None:
    bonus = unclear(provider, hours=4)
    act(staff, bonus, "look")

    act(staff, bonus, "count_as_paid", reason="It is on its page.")

    assert Bonus.objects.get().status == Status.CONFIRMED


def test_who_may_not_settle_cannot_send_again(client: Client, provider: Unrepeatable) -> None:
    bonus = unclear(provider, hours=4)
    Bonus.objects.update(problem=payment_outcomes.UNSETTLED)
    client.force_login(make_permitted("view_bonus", studies=[bonus.assignment.hit.batch.study]))
    address = reverse("admin:hits_payment_act", args=[bonus.pk, "say_unpaid"])

    answer = client.post(address, {"reason": "No."})

    assert (answer.status_code, Bonus.objects.get().status) == (403, Status.UNKNOWN)
