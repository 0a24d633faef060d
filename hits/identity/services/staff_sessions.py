"""Where a person is signed in: a row beside each of Django's sessions, which know no owner."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from hits.core import audit_trail
from hits.identity.domain.browsers import device_in_words
from hits.identity.models.staff_sessions import StaffSession
from hits.identity.models.users import User

KEPT = "staff_session"
SEEN_EVERY_S = 300
MOST_SHOWN = 100


def begin_session(sender: type[User], request: Any, user: User, **_: Any) -> None:
    """Keep the session of a sign-in, as a handler of Django's signal. Nothing of ended ones is kept."""
    now = timezone.now()
    rows = StaffSession.objects.filter(user=user)
    rows.exclude(pk__in=_in_force(rows, now=now).values("pk")).delete()
    agent = request.META.get("HTTP_USER_AGENT", "")
    keep_session(session=request.session, user=user, user_agent=agent, now=now)


def keep_session(*, session: Any, user: User, user_agent: str, now: datetime) -> None:
    """Write when this session was seen, once in five minutes, and at once where its key is a new one."""
    kept, seconds = session.get(KEPT, {}), now.timestamp()
    if kept and kept["key"] == session.session_key and 0 <= seconds - kept["seen"] < SEEN_EVERY_S:
        return
    if session.session_key is None:
        session.create()
    began = kept.get("began", seconds)
    row = StaffSession(
        user=user,
        session_key=session.session_key,
        device=device_in_words(user_agent),
        began_at=datetime.fromtimestamp(began, tz=UTC),
        seen_at=now,
    )
    StaffSession.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["session_key"],
        update_fields=["user", "device", "seen_at"],
    )
    session[KEPT] = {"key": session.session_key, "began": began, "seen": seconds}


def sessions_of(user: User, *, now: datetime) -> list[StaffSession]:
    """Return where the user is signed in, newest use first. An earlier password's sessions are over."""
    data = Session.objects.filter(session_key=OuterRef("session_key")).values("session_data")[:1]
    mine = _in_force(StaffSession.objects.filter(user=user), now=now).annotate(data=Subquery(data))
    return [row for row in mine.order_by("-seen_at")[:MOST_SHOWN] if _has_password_of(user, row.data)]


def end_sessions(*, rows: Iterable[StaffSession]) -> int:
    """Sign out there. Return how many sessions were in force."""
    keys = [row.session_key for row in rows]
    with transaction.atomic():
        ended, _ = Session.objects.filter(session_key__in=keys).delete()
        StaffSession.objects.filter(session_key__in=keys).delete()
    return ended


def end_all_of(*, user: User, by: User, now: datetime) -> int:
    """Sign a colleague out everywhere."""
    with transaction.atomic():
        ended = end_sessions(rows=StaffSession.objects.filter(user=user))
        words = f"{by} signed {user} out on {ended} device{'' if ended == 1 else 's'}."
        audit_trail.note("session.ended", words, by=by, now=now)
    return ended


def _in_force(rows: QuerySet[StaffSession], *, now: datetime) -> QuerySet[StaffSession]:
    return rows.filter(
        Exists(Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=now))
    )


def _has_password_of(user: User, data: str) -> bool:
    known = str(Session(session_data=data).get_decoded().get(HASH_SESSION_KEY, ""))
    valid = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(known, one) for one in valid)
