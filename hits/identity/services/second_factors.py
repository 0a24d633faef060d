"""The second factor of a sign-in: set up, asked for, renewed, removed by its owner, taken away by others."""

import secrets
from base64 import b32encode
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import transaction

from hits.common import rates
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.domain import totp
from hits.identity.models.second_factors import RecoveryCode, SecondFactor
from hits.identity.models.users import User

# Permissions with which money goes out or goes on: runs, payments again, the kill switch, real launches.
PAYING = (
    "hits.prepare_run",
    "hits.approve_run",
    "hits.settle_bonus",
    "hits.set_halt",
    "hits.launch_production",
)
PASSED = "second_factor"
RECOVERY_CODES = 10
RECOVERY_BYTES = 10
FEW_LEFT = 3
# Seconds, and the wrong codes that are forgiven in them. A guess is right three times in a million.
LIMITS = ((900, 10), (86_400, 50))
STOPPED = "second_factor.stopped"


class Lack(StrEnum):
    """What a sign-in by password still needs before anything opens."""

    CODE = "code"
    FACTOR = "factor"


def is_required(user: User) -> bool:
    """Whether the setting wants a second factor of this user."""
    if settings.SECOND_FACTOR == "payments":
        return any(user.has_perm(name) for name in PAYING)
    return bool(settings.SECOND_FACTOR == "staff")


def find_lack(*, user: User, session: Any) -> Lack | None:
    """Return what this session lacks. Whoever has a factor is asked for it, whatever the setting."""
    if user.second_factor_id is not None:
        return None if session.get(PASSED) == user.second_factor_id else Lack.CODE
    return Lack.FACTOR if is_required(user) else None


def set_up(*, user: User, secret: str, code: str, now: datetime) -> list[str]:
    """Give the user this factor if the code is right. Return recovery codes, which are shown only now."""
    step = totp.find_step(secret=secret, code=_plain(code), now=now)
    if step is None:
        raise RuleBroken(
            "wrong_code",
            "This is not the code of now. Look whether your program has the key of this page, and whether "
            "the clock of its device is right.",
        )
    with transaction.atomic():
        factor = SecondFactor.objects.create(secret=secret, made_at=now, last_step=step)
        if not User.objects.filter(pk=user.pk, second_factor=None).update(second_factor=factor):
            raise RuleBroken("factor_exists", "You have one. Remove it before you set up another.")
        user.second_factor = factor
        _note("set_up", f"{user} set up a second factor.", by=user, now=now)
        return _make_codes(factor)


def check_code(*, user: User, code: str, now: datetime) -> None:
    """Use up a code of the program, or a recovery code. Raises RuleBroken if it is wrong or used."""
    factor = user.second_factor
    if factor is None:
        raise RuleBroken("no_factor", "You have no second factor.")
    _refuse_if_guessing(factor)
    typed = _plain(code)
    step = totp.find_step(secret=factor.secret, code=typed, now=now)
    if step is not None and _use_step(factor, step):
        return
    if _use_recovery_code(user, factor, typed, now=now):
        return
    _count_failure(user, factor, now=now)
    if step is not None:
        raise RuleBroken("code_used", "This code was used before. The next comes within half a minute.")
    raise RuleBroken("wrong_code", "This code is wrong. Take the one that your program shows now.")


def renew_recovery_codes(*, user: User, code: str, now: datetime) -> list[str]:
    """Return new recovery codes, after which the old ones are worth nothing."""
    check_code(user=user, code=code, now=now)
    factor = _factor_of(user)
    with transaction.atomic():
        factor.recovery_codes.all().delete()
        _note("new_codes", f"{user} made new recovery codes.", by=user, now=now)
        return _make_codes(factor)


def remove(*, user: User, code: str, now: datetime) -> None:
    check_code(user=user, code=code, now=now)
    _delete(user, "removed", f"{user} removed their second factor.", by=user, now=now)


def take_away(*, user: User, by: User | None, now: datetime) -> bool:
    """Take away a factor that its owner has lost. Return False if there was none."""
    if user.second_factor is None:
        return False
    who = str(by) if by else "The command line"
    _delete(user, "taken_away", f"{who} took away the second factor of {user}.", by=by, now=now)
    return True


def recovery_codes_left(user: User) -> int:
    return RecoveryCode.objects.filter(factor=user.second_factor_id, used_at=None).count()


def _delete(user: User, what: str, words: str, *, by: User | None, now: datetime) -> None:
    with transaction.atomic():
        _factor_of(user).delete()
        _note(what, words, by=by, now=now)
    user.second_factor = None


def _factor_of(user: User) -> SecondFactor:
    if user.second_factor is None:
        raise RuleBroken("no_factor", "There is no second factor any more.")
    return user.second_factor


def _use_step(factor: SecondFactor, step: int) -> bool:
    """Compare and swap: of two requests with the same code, one wins."""
    return bool(SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step).update(last_step=step))


def _use_recovery_code(user: User, factor: SecondFactor, typed: str, *, now: datetime) -> bool:
    with transaction.atomic():
        unused = factor.recovery_codes.filter(digest=_digest(typed), used_at=None)
        if not unused.update(used_at=now):
            return False
        left = recovery_codes_left(user)
        _note("recovery_code", f"{user} used a recovery code; {left} are left.", by=user, now=now)
    return True


def _make_codes(factor: SecondFactor) -> list[str]:
    codes = [b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode().lower() for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(RecoveryCode(factor=factor, digest=_digest(code)) for code in codes)
    return ["-".join(code[start : start + 4] for start in range(0, len(code), 4)) for code in codes]


def _digest(code: str) -> str:
    return sha256(code.encode(errors="replace")).hexdigest()


def _plain(code: str) -> str:
    """Return the code without what people type between its parts."""
    return "".join(code.split()).replace("-", "").casefold()


def _refuse_if_guessing(factor: SecondFactor) -> None:
    if _is_stopped(factor):
        raise RuleBroken(
            "too_many_codes",
            "There were too many wrong codes. Even the right one is not tried now: wait a quarter of an "
            "hour. If that does not help, ask whoever manages the users here to take the factor away.",
        )


def _is_stopped(factor: SecondFactor) -> bool:
    return any(rates.is_spent(**_limit(factor, window_s, most)) for window_s, most in LIMITS)


def _count_failure(user: User, factor: SecondFactor, *, now: datetime) -> None:
    for window_s, most in LIMITS:
        rates.spend(**_limit(factor, window_s, most))
    if _is_stopped(factor):
        words = f"Stopped asking for the second factor of {user} for a while, after wrong codes."
        audit_trail.note(STOPPED, words, by=user, now=now)


def _limit(factor: SecondFactor, window_s: int, most: int) -> dict[str, Any]:
    return {"bucket": "second_factor", "key": str(factor.pk), "most": most, "window_s": window_s}


def _note(what: str, words: str, *, by: User | None, now: datetime) -> None:
    audit_trail.note(f"second_factor.{what}", words, by=by, now=now)
