"""Workers' sign-in by name and password, and what they decide about themselves."""

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
    """The present password, which proves who asks for a new one, is wrong."""


def find_by_password(*, sign_in_name: str, password: str, address: str) -> Worker | None:
    """The worker with this name and password. Raises TooManyFailures.

    Unknown names and wrong passwords look alike, also by the time that the answer takes.
    """
    name = "" if "\0" in sign_in_name else sign_in_name.lower()  # PostgreSQL cannot look for NUL
    login_throttle.refuse_if_guessing(door=DOOR, name=name, address=address)
    worker = Worker.objects.filter(sign_in_name=name, erased_at=None).first()
    # If there is no password, check against a hash that nothing fits: that takes as long.
    known = (worker and worker.password) or make_password(None)
    if check_password(password, known) and worker:
        return worker
    login_throttle.count_failure(door=DOOR, name=name, address=address)
    return None


def prove_password(*, worker: Worker, present: str, address: str) -> None:
    """Raise WrongPassword if the worker has another password than this, or TooManyFailures."""
    if (
        worker.password
        and find_by_password(sign_in_name=worker.sign_in_name or "", password=present, address=address)
        != worker
    ):
        raise WrongPassword(_("This is not your present password."))


def register(*, name: str, sign_in_name: str, password: str, waits: bool, now: datetime) -> Worker:
    """Create an account, which may wait for an operator. Raises RuleBroken if the sign-in name is taken."""
    try:
        with atomic():
            return Worker.objects.create(
                name=name,
                sign_in_name=sign_in_name.lower(),
                password=make_password(password),
                created_at=now,
                waits_since=now if waits else None,
            )
    except IntegrityError:
        raise name_taken() from None


def set_password(
    *, worker: Worker, sign_in_name: str, password: str, present: str, address: str, token: str
) -> None:
    """Set name and password; other sessions and all links end. Raises RuleBroken or TooManyFailures."""
    prove_password(worker=worker, present=present, address=address)
    encoded = make_password(password)
    try:
        with atomic():
            Worker.objects.filter(pk=worker.pk, erased_at=None).update(
                sign_in_name=sign_in_name.lower(), password=encoded
            )
            worker.sessions.exclude(token_digest=seals.digest(token)).delete()
            worker.invitations.all().delete()
    except IntegrityError:
        raise name_taken() from None


def describe_self(
    *, worker: Worker, name: str, is_adult: bool, country: str = "", subdivision: str = ""
) -> None:
    """Save the worker's own facts. A country is set once: requesters rely on it, so operators change it."""
    with atomic():
        row = Worker.objects.select_for_update(no_key=True).get(pk=worker.pk, erased_at=None)
        row.name, row.is_adult = name, is_adult
        if country and not row.country:
            row.country, row.subdivision = country, subdivision
        row.save(update_fields=["name", "is_adult", "country", "subdivision"])


def sign_out_everywhere(*, worker: Worker) -> None:
    """End all sessions of a worker, and the link too unless it is the only way to sign in again."""
    with atomic():
        worker.sessions.all().delete()
        if worker.password:
            worker.invitations.all().delete()


def request_erasure(*, worker: Worker, now: datetime) -> None:
    """Record the request. The operator sees it, and pays what is owed before the erasure."""
    Worker.objects.filter(pk=worker.pk, erasure_requested_at=None).update(erasure_requested_at=now)


def withdraw_erasure_request(*, worker: Worker) -> None:
    Worker.objects.filter(pk=worker.pk, erased_at=None).update(erasure_requested_at=None)


def name_taken() -> RuleBroken:
    return RuleBroken(_("Another person has this sign-in name. Choose a different one."))
