"""How workers get in by name and password, and what they decide about themselves."""

from datetime import datetime

from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError
from django.utils.translation import gettext as _

from crowd.marketplace import seals
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import Worker
from hits.common import login_throttle

DOOR = "sign-in"


class WrongPassword(RuleBroken):
    """The present password, which proves who asks for a new one."""


def find_by_password(*, sign_in_name: str, password: str, address: str) -> Worker | None:
    """Unknown names and wrong passwords look alike, also by the clock. Raises TooManyFailures."""
    name = "" if "\0" in sign_in_name else sign_in_name.lower()  # PostgreSQL cannot look for NUL
    login_throttle.refuse_if_guessing(door=DOOR, name=name, address=address)
    worker = Worker.objects.filter(sign_in_name=name, erased_at=None).first()
    # Checked against a hash that nothing fits, where there is none: that takes as long.
    known = (worker and worker.password) or make_password(None)
    if check_password(password, known) and worker:
        return worker
    login_throttle.count_failure(door=DOOR, name=name, address=address)
    return None


def register(*, name: str, sign_in_name: str, password: str, now: datetime) -> Worker:
    """Where anybody may join. Raises RuleBroken if the name is taken."""
    try:
        with atomic():
            return Worker.objects.create(
                name=name,
                sign_in_name=sign_in_name.lower(),
                password=make_password(password),
                created_at=now,
            )
    except IntegrityError:
        raise _taken() from None


def set_password(
    *, worker: Worker, sign_in_name: str, password: str, present: str, address: str, token: str
) -> None:
    """Every other way in ends: sessions and links. Raises RuleBroken, TooManyFailures."""
    if (
        worker.password
        and find_by_password(sign_in_name=worker.sign_in_name or "", password=present, address=address)
        != worker
    ):
        raise WrongPassword(_("This is not your present password."))
    encoded = make_password(password)
    try:
        with atomic():
            Worker.objects.filter(pk=worker.pk, erased_at=None).update(
                sign_in_name=sign_in_name.lower(), password=encoded
            )
            worker.sessions.exclude(token_digest=seals.digest(token)).delete()
            worker.invitations.all().delete()
    except IntegrityError:
        raise _taken() from None


def describe_self(
    *, worker: Worker, name: str, is_adult: bool, country: str = "", subdivision: str = ""
) -> None:
    """A country is told once: requesters rely on it, so later only the operator changes it."""
    with atomic():
        row = Worker.objects.select_for_update(no_key=True).get(pk=worker.pk, erased_at=None)
        row.name, row.is_adult = name, is_adult
        if country and not row.country:
            row.country, row.subdivision = country, subdivision
        row.save(update_fields=["name", "is_adult", "country", "subdivision"])


def sign_out_everywhere(*, worker: Worker) -> None:
    """Their link ends as well, unless they have no other way back."""
    with atomic():
        worker.sessions.all().delete()
        if worker.password:
            worker.invitations.all().delete()


def request_erasure(*, worker: Worker, now: datetime) -> None:
    """The operator sees the wish, and pays what is owed before it is done."""
    Worker.objects.filter(pk=worker.pk, erasure_requested_at=None).update(erasure_requested_at=now)


def withdraw_erasure_request(*, worker: Worker) -> None:
    Worker.objects.filter(pk=worker.pk, erased_at=None).update(erasure_requested_at=None)


def _taken() -> RuleBroken:
    return RuleBroken(_("Somebody else has this sign-in name. Choose another one."))
