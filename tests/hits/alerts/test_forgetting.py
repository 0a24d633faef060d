from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session

from hits.alerts.models import Alert, Occurrence
from hits.alerts.services import forgetting_alerts
from hits.alerts.services.forgetting_alerts import KEPT, forget_alerts
from hits.identity import expired_sessions
from tests.factories import NOW, make_study, make_user

pytestmark = pytest.mark.django_db


def make_alert(**changes: Any) -> Alert:
    about = Occurrence.objects.create(
        kind="test", study=make_study(), words="w", at=NOW, key=str(Occurrence.objects.count())
    )
    values = {"status": "sent", "due_at": NOW - KEPT - timedelta(seconds=1), **changes}
    return Alert.objects.create(occurrence=about, user=make_user(), **values)


def test_only_old_alerts_that_are_told_are_forgotten_and_their_occurrences_stay() -> None:
    make_alert()
    kept = [make_alert(due_at=NOW - KEPT), make_alert(status="waiting")]

    assert forget_alerts(now=NOW) == 1

    assert list(Alert.objects.order_by("pk")) == kept
    assert Occurrence.objects.count() == 3


def test_alerts_are_forgotten_in_bounded_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgetting_alerts, "AT_ONCE", 2)
    for _ in range(3):
        make_alert()

    assert [forget_alerts(now=NOW) for _ in range(3)] == [2, 1, 0]


def test_sign_ins_that_are_over_are_forgotten_in_bounded_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expired_sessions, "AT_ONCE", 2)
    for number in range(3):
        Session.objects.create(session_key=f"old-{number}", expire_date=NOW - timedelta(seconds=1))
    Session.objects.create(session_key="new", expire_date=NOW + timedelta(seconds=1))

    assert [expired_sessions.forget_sessions(now=NOW) for _ in range(3)] == [2, 1, 0]
    assert Session.objects.get().session_key == "new"
