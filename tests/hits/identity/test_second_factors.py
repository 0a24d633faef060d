"""The second factor: set up, asked for, used once, limited, renewed, removed, taken away."""

from datetime import timedelta

import pytest
from django.db import connection

from hits.core import crypto
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.domain.totp import code_at, make_secret, step_of
from hits.identity.models.second_factors import RecoveryCode, SecondFactor
from hits.identity.models.users import User
from hits.identity.services import second_factors
from hits.identity.services.second_factors import RECOVERY_CODES
from tests.factories import NOW, make_user
from tests.hits.identity.factors import set_up, try_code

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=5)


def kinds() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("kind", flat=True))


def test_set_up_keeps_the_secret_encrypted_and_the_recovery_codes_as_digests() -> None:
    user = make_user()

    secret, codes = set_up(user)

    user.refresh_from_db()
    assert user.second_factor is not None
    assert user.second_factor.secret == secret
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret FROM hits_secondfactor")
        (sealed,) = cursor.fetchone()
    assert crypto.unseal(sealed) == secret != sealed
    kept = set(RecoveryCode.objects.values_list("digest", flat=True))
    assert len(kept) == len(set(codes)) == RECOVERY_CODES
    assert not kept & {code.replace("-", "") for code in codes}
    assert kinds() == ["second_factor.set_up"]


def test_set_up_with_a_wrong_code_changes_nothing() -> None:
    user, secret = make_user(), make_secret()
    wrong = code_at(secret, step_of(NOW) + 10)

    with pytest.raises(RuleBroken, match="not the code of now"):
        second_factors.set_up(user=user, secret=secret, code=wrong, now=NOW)

    assert not SecondFactor.objects.exists()
    assert not AuditEvent.objects.exists()


def test_a_second_set_up_beside_the_first_is_refused() -> None:
    user = make_user()
    set_up(user)
    stale = User.objects.get(pk=user.pk)
    stale.second_factor = None

    with pytest.raises(RuleBroken, match="Remove it before"):
        set_up(stale)

    assert SecondFactor.objects.get() == User.objects.get(pk=user.pk).second_factor


def test_a_code_counts_once_and_so_does_the_one_of_the_set_up() -> None:
    user = make_user()
    secret, _ = set_up(user, now=NOW)
    next_code = code_at(secret, step_of(LATER))

    assert try_code(user, code_at(secret, step_of(NOW)), now=NOW) == "code_used"
    assert try_code(user, f" {next_code[:3]} {next_code[3:]} ", now=LATER) == ""
    assert try_code(user, next_code, now=LATER) == "code_used"
    assert try_code(user, code_at(secret, step_of(LATER) - 1), now=LATER) == "code_used"
    assert try_code(user, code_at(secret, step_of(LATER) + 1), now=LATER) == ""


def test_a_recovery_code_works_once_and_is_audited() -> None:
    user = make_user()
    _, codes = set_up(user)

    assert try_code(user, codes[0].upper(), now=LATER) == ""
    assert try_code(user, codes[0], now=LATER) == "wrong_code"
    assert try_code(user, codes[1].replace("-", " "), now=LATER) == ""
    assert second_factors.recovery_codes_left(user) == RECOVERY_CODES - 2
    assert kinds() == ["second_factor.set_up", *["second_factor.recovery_code"] * 2]


def test_a_recovery_code_of_somebody_else_is_wrong() -> None:
    user, other = make_user(), make_user()
    set_up(user)
    _, codes = set_up(other)

    assert try_code(user, codes[0], now=LATER) == "wrong_code"


def test_new_recovery_codes_end_the_old_ones() -> None:
    user = make_user()
    secret, old = set_up(user)

    new = second_factors.renew_recovery_codes(user=user, code=code_at(secret, step_of(LATER)), now=LATER)

    assert try_code(user, old[0], now=LATER) == "wrong_code"
    assert try_code(user, new[0], now=LATER) == ""
    assert kinds()[1] == "second_factor.new_codes"


def test_removal_wants_a_code_and_leaves_nothing() -> None:
    user = make_user()
    _, codes = set_up(user)

    with pytest.raises(RuleBroken):
        second_factors.remove(user=user, code="000000", now=LATER)
    assert SecondFactor.objects.count() == 1
    second_factors.remove(user=user, code=codes[0], now=LATER)

    assert User.objects.get(pk=user.pk).second_factor is None
    assert not RecoveryCode.objects.exists()
    assert kinds()[-1] == "second_factor.removed"
