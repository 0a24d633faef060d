"""Who needs a second factor, how guessing it is limited, and how a lost one is taken away."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.utils import timezone

from hits.core.models.audit_events import AuditEvent
from hits.identity.domain.totp import code_at, step_of
from hits.identity.models.users import User
from hits.identity.roles import AUTHOR, OPERATOR, PAYMENTS_APPROVER, PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from hits.identity.services import second_factors
from hits.identity.services.second_factors import LIMITS
from tests.caches import AWAY
from tests.factories import NOW, make_user
from tests.hits.identity.factors import set_up, try_code
from tests.people import make_member

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=5)


def kinds() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("kind", flat=True))


@pytest.fixture
def real_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep all guesses of a test in one window of the clock."""
    monkeypatch.setattr("hits.common.rates.time", lambda: 1_000_000.0)


@pytest.mark.usefixtures("real_windows")
@pytest.mark.parametrize("is_redis_away", [False, True])
def test_after_wrong_codes_even_the_right_one_is_not_tried(
    settings: LazySettings, is_redis_away: bool
) -> None:
    if is_redis_away:
        settings.CACHES = AWAY
    user, other = make_user(), make_user()
    secret, codes = set_up(user)
    other_secret, _ = set_up(other)
    (_, most), _ = LIMITS

    refusals = [try_code(user, "000000", now=LATER) for _ in range(most)]

    assert refusals == ["wrong_code"] * most
    assert try_code(user, code_at(secret, step_of(LATER)), now=LATER) == "too_many_codes"
    assert try_code(user, codes[0], now=LATER) == "too_many_codes"
    assert try_code(other, code_at(other_secret, step_of(LATER)), now=LATER) == ""
    assert kinds().count("second_factor.stopped") == 1
    stopped = AuditEvent.objects.get(kind="second_factor.stopped")
    assert stopped.by == user


@pytest.mark.usefixtures("real_windows")
def test_few_mistakes_are_forgiven() -> None:
    user = make_user()
    secret, _ = set_up(user)
    (_, most), _ = LIMITS

    for _ in range(most - 1):
        assert try_code(user, "000000", now=LATER) == "wrong_code"

    assert try_code(user, code_at(secret, step_of(LATER)), now=LATER) == ""


def test_an_administrator_takes_a_lost_factor_away() -> None:
    user, operator = make_user(), make_user()
    set_up(user)

    assert second_factors.take_away(user=user, by=operator, now=LATER)
    assert not second_factors.take_away(user=user, by=operator, now=LATER)

    event = AuditEvent.objects.get(kind="second_factor.taken_away")
    assert event.by == operator
    assert str(user) in event.words
    assert User.objects.get(pk=user.pk).second_factor is None


def test_the_command_takes_it_away_for_the_last_administrator() -> None:
    user = make_user(username="last", is_superuser=True)
    set_up(user)

    call_command("take_second_factor", "last")

    event = AuditEvent.objects.get(kind="second_factor.taken_away")
    assert (event.by, event.words) == (None, "The command line took away the second factor of last.")
    with pytest.raises(CommandError, match="has no second factor"):
        call_command("take_second_factor", "last")
    with pytest.raises(CommandError, match="no user 'nobody'"):
        call_command("take_second_factor", "nobody")


@pytest.mark.parametrize(
    ("role", "pays"),
    [
        (PAYMENTS_APPROVER, True),
        (PAYMENTS_PREPARER, True),
        (OPERATOR, True),
        (RESEARCHER, False),
        (REVIEWER, False),
        (AUTHOR, False),
    ],
)
def test_the_setting_says_of_whom_it_is_wanted(settings: LazySettings, role: str, pays: bool) -> None:
    def wanted(setting: str) -> bool:
        settings.SECOND_FACTOR = setting
        return second_factors.is_required(make_member(role))

    assert [wanted("off"), wanted("payments"), wanted("staff")] == [False, pays, True]


def test_superusers_may_send_money_too(settings: LazySettings) -> None:
    settings.SECOND_FACTOR = "payments"

    assert second_factors.is_required(make_user(is_superuser=True))


def test_a_passed_factor_is_good_until_there_is_another(settings: LazySettings) -> None:
    settings.SECOND_FACTOR = "off"
    user = make_user()
    assert second_factors.find_lack(user=user, session={}) is None
    set_up(user)
    passed = {second_factors.PASSED: user.second_factor_id}
    assert second_factors.find_lack(user=user, session={}) == second_factors.Lack.CODE
    assert second_factors.find_lack(user=user, session=passed) is None

    second_factors.take_away(user=user, by=None, now=timezone.now())
    set_up(user, now=LATER)

    assert second_factors.find_lack(user=user, session=passed) == second_factors.Lack.CODE
