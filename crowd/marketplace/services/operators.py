"""The operators of the marketplace: their sign-in, and the record of their actions."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError

from crowd.marketplace import seals
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import NAMED, AuditEntry, Operator, OperatorSession
from hits.common import login_throttle

SESSION_LIFE = timedelta(hours=12)
DOOR = "desk"
# So many ids a note holds beside a sum and its reference.
MOST_NAMED = 20


class AlreadyDone(Exception):
    """The same form was carried out before."""


def make_operator(*, sign_in_name: str, password: str, now: datetime) -> Operator:
    return Operator.objects.create(
        sign_in_name=sign_in_name, password=make_password(password), created_at=now
    )


def set_password(*, operator: Operator, password: str) -> None:
    """Set an operator's password and end all sessions."""
    with atomic():
        Operator.objects.filter(pk=operator.pk).update(password=make_password(password))
        operator.sessions.all().delete()


def disable_operator(*, operator: Operator, now: datetime) -> None:
    """Disable an operator and end all sessions at once, until the operator is enabled again."""
    with atomic():
        Operator.objects.filter(pk=operator.pk, disabled_at=None).update(disabled_at=now)
        operator.sessions.all().delete()


def enable_operator(*, operator: Operator) -> None:
    Operator.objects.filter(pk=operator.pk).update(disabled_at=None)


def sign_in(*, sign_in_name: str, password: str, address: str, now: datetime) -> str | None:
    """The token for the browser's cookie; None if name and password do not fit. Raises TooManyFailures."""
    login_throttle.refuse_if_guessing(door=DOOR, name=sign_in_name, address=address)
    operator = Operator.objects.filter(sign_in_name=sign_in_name, disabled_at=None).first()
    # A name that does not exist takes as long as one that does.
    known = operator.password if operator else make_password(None)
    if not check_password(password, known) or not operator:
        login_throttle.count_failure(door=DOOR, name=sign_in_name, address=address)
        return None
    return open_session(operator, now=now)


def open_session(operator: Operator, *, now: datetime) -> str:
    """The token for the browser's cookie, for an operator whose identity is proved."""
    token, token_digest = seals.new_bearer()
    OperatorSession.objects.filter(expires_at__lte=now).delete()
    OperatorSession.objects.create(
        operator=operator, token_digest=token_digest, created_at=now, expires_at=now + SESSION_LIFE
    )
    return token


def find_session_operator(*, token: str, now: datetime) -> Operator | None:
    session = (
        OperatorSession.objects.select_related("operator")
        .filter(token_digest=seals.digest(token), expires_at__gt=now, operator__disabled_at=None)
        .first()
    )
    return session.operator if session else None


def sign_out(*, token: str) -> None:
    OperatorSession.objects.filter(token_digest=seals.digest(token)).delete()


@contextmanager
def do_once(
    *, operator: Operator, token: UUID, what: str, about: str = "", note: str = "", now: datetime
) -> Iterator[AuditEntry]:
    """Record an action in the transaction of its change; idempotent by the form's token.

    What the action finds out and sets on the entry, whom it is about and its note, is kept with it.
    Raises AlreadyDone if this form was carried out before.
    """
    with atomic():
        try:
            with atomic():
                entry = AuditEntry.objects.create(
                    operator=operator, token=token, what=what, about=about, note=note, done_at=now
                )
        except IntegrityError:
            raise AlreadyDone from None
        yield entry
        if (entry.about, entry.note) != (about, note):
            AuditEntry.objects.filter(pk=entry.pk).update(about=entry.about, note=entry.note)


def about_people(external_ids: Sequence[str], *, note: str) -> tuple[str, str]:
    """Whom an entry is about, and its note: of several workers it has as many ids as it holds."""
    if len(external_ids) == 1:
        return external_ids[0], note
    return "", f"{note}{NAMED}{', '.join(external_ids[:MOST_NAMED])}"


def read_token(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise RuleBroken("This form was not complete. Open the page again, and submit it there.") from None
