"""Who is told, when, and how: each once, by what they may see at that moment, and in few e-mails."""

from datetime import datetime, timedelta
from smtplib import SMTPDataError, SMTPServerDisconnected
from typing import Any

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from hits.alerts.models import Alert, How, Kind, Occurrence
from hits.alerts.services.alert_choices import choose_alerts
from hits.alerts.services.finding_occurrences import find_occurrences, find_starving
from hits.alerts.services.queueing_alerts import PATIENCE, queue_alerts, queue_test
from hits.alerts.services.sending_alerts import (
    BETWEEN_MAILS,
    MOST_TRIES,
    SENDING_IS_STALE,
    next_alert,
    tell_staff,
)
from hits.identity.models.users import User
from hits.identity.roles import OPERATOR, PAYMENTS_APPROVER, PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from hits.payments.services import bonus_runs
from hits.studies.models import Study
from tests.factories import NOW, make_study
from tests.hits.alerts.happenings import end_batch, freeze_run, make_appeal, open_batch, pause_batch
from tests.idle import watch
from tests.people import make_member, permissions

pytestmark = pytest.mark.django_db
Status = Alert.Status
SOON = NOW + timedelta(minutes=1)


@pytest.fixture(autouse=True)
def mail_server(settings: LazySettings) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    settings.PUBLIC_URL = "https://crowd.example.org"


def member(role: str, *studies: Study, name: str = "ada") -> User:
    return make_member(role, *studies, username=name, email=f"{name}@example.org")


def tell(now: datetime = NOW) -> None:
    find_occurrences(now=now)
    tell_staff(now=now)


def told() -> list[tuple[str, str]]:
    rows = Alert.objects.order_by("occurrence", "user").values_list("user__username", "status")
    return [(name, status) for name, status in rows]


def fail_with(monkeypatch: pytest.MonkeyPatch, problem: Exception) -> None:
    def refuse(self: EmailBackend, messages: Any) -> int:
        raise problem

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)


def test_members_who_steer_are_mailed_and_others_see_it_on_the_home_page_or_not_at_all() -> None:
    study = make_study(name="Owls")
    member(RESEARCHER, study, name="researcher")
    member(RESEARCHER, make_study(), name="stranger")
    member(REVIEWER, study, name="reviewer")
    member(OPERATOR, name="operator")
    batch = end_batch(study=study)

    tell()

    assert told() == [("researcher", Status.SENT), ("operator", Status.SHOWN)]
    [letter] = mail.outbox
    assert letter.to == ["researcher@example.org"]
    assert letter.subject == "“Which pictures?” (Owls) has ended. 9 of 9 handed in."
    assert f"https://crowd.example.org/admin/hits/batch/{batch.pk}/live/" in letter.body
    assert "https://crowd.example.org/admin/told/" in letter.body


def test_nothing_is_told_twice_however_often_the_tasks_are_delivered() -> None:
    study = make_study()
    member(RESEARCHER, study)
    end_batch(study=study)

    for _ in range(3):
        tell()
        tell(NOW + timedelta(hours=1))

    assert len(mail.outbox) == 1
    assert Alert.objects.count() == 1


def test_several_news_within_ten_minutes_are_one_e_mail() -> None:
    study, other = make_study(name="Owls"), make_study(name="Cups")
    member(RESEARCHER, study, other)
    end_batch(study=study, title="first")
    tell()
    for number in range(3):
        end_batch(study=study, title=f"later {number}")
    end_batch(study=other, title="of the other")
    tell(SOON)
    waited = len(mail.outbox)

    tell(NOW + BETWEEN_MAILS)

    assert (waited, len(mail.outbox)) == (1, 2)
    assert "3 times: A batch has ended (Owls)." in mail.outbox[1].body
    assert f"/admin/hits/batch/?study__id__exact={study.pk}" in mail.outbox[1].body
    assert "“of the other” (Cups) has ended" in mail.outbox[1].body
    assert mail.outbox[1].subject.endswith("And 1 more.")


def test_the_next_e_mail_is_due_when_the_pause_is_over() -> None:
    study = make_study()
    member(RESEARCHER, study)
    end_batch(study=study)
    tell()
    end_batch(study=study)
    tell(SOON)

    assert next_alert(now=SOON) == NOW + BETWEEN_MAILS


def test_who_did_it_is_not_told() -> None:
    study = make_study()
    ada, _ = member(RESEARCHER, study), member(RESEARCHER, study, name="bob")
    pause_batch(study=study, by=ada)

    tell()

    assert told() == [("bob", Status.SENT)]


def test_a_run_is_told_to_who_may_approve_it_and_sees_all_of_it() -> None:
    study = make_study()
    preparer = member(PAYMENTS_PREPARER, study, name="preparer")
    User.objects.filter(pk=preparer.pk).update(is_superuser=True)
    member(PAYMENTS_APPROVER, study, name="approver")
    member(PAYMENTS_APPROVER, make_study(), name="of another study")
    run = freeze_run(study=study, by=User.objects.get(pk=preparer.pk))

    tell()

    assert told() == [("approver", Status.SENT)]
    assert f"/admin/hits/run/{run.pk}/change/" in mail.outbox[0].body
    assert "1 bonuses" not in mail.outbox[0].body


@pytest.mark.parametrize("done", ["approved", "refused"])
def test_who_prepared_a_run_is_told_what_was_decided_on_it_and_nobody_else(done: str) -> None:
    study = make_study()
    preparer = member(PAYMENTS_PREPARER, study, name="preparer")
    member(PAYMENTS_PREPARER, study, name="another preparer")
    approver = member(PAYMENTS_APPROVER, study, name="approver")
    run = freeze_run(study=study, by=preparer)
    if done == "approved":
        bonus_runs.approve_run(run=run, digest=run.digest, by=approver, now=NOW)
    else:
        bonus_runs.refuse_run(run=run, reason="Odd", by=approver, now=NOW)

    tell()
    tell()

    assert told() == [("preparer", Status.SENT)]
    assert f"The bonus run “March” was {done}: 1 bonus, $0.01." in mail.outbox[0].body
    assert f"/admin/hits/run/{run.pk}/change/" in mail.outbox[0].body


def test_an_appeal_is_told_without_a_word_of_the_worker() -> None:
    study = make_study()
    member(RESEARCHER, study)
    appeal = make_appeal(study=study, text="I am Ada Lovelace")

    tell()

    [letter] = mail.outbox
    assert f"/admin/hits/appeal/{appeal.pk}/change/" in letter.body
    assert "Lovelace" not in letter.body
    assert appeal.worker.pseudonym not in letter.body


@pytest.mark.parametrize(
    ("general", "of_study", "expected"),
    [
        (How.OFF, None, []),
        (How.HOME, None, [Status.SHOWN]),
        (How.OFF, How.EMAIL, [Status.SENT]),
        (None, How.OFF, []),
        (None, None, [Status.SENT]),
    ],
)
def test_a_choice_for_one_study_goes_before_that_for_all(
    general: How | None, of_study: How | None, expected: list[str]
) -> None:
    study = make_study()
    ada = member(RESEARCHER, study)
    choose_alerts(user=ada, study=None, hows={Kind.ENDED: general}, now=NOW)
    choose_alerts(user=ada, study=study, hows={Kind.ENDED: of_study}, now=NOW)
    end_batch(study=study)

    tell()

    assert [status for _, status in told()] == expected


def test_rights_are_looked_at_when_the_e_mail_is_sent() -> None:
    """Somebody may leave the study or lose the role between the choice, the row and the e-mail."""
    study = make_study()
    ada, bob = member(RESEARCHER, study), member(RESEARCHER, study, name="bob")
    cleo = member(RESEARCHER, study, name="cleo")
    for user in (ada, bob, cleo):
        choose_alerts(user=user, study=study, hows={Kind.ENDED: How.EMAIL}, now=NOW)
    end_batch(study=study)
    tell()
    end_batch(study=study)
    tell(SOON)
    study.members.remove(ada)
    bob.groups.clear()
    User.objects.filter(pk=cleo.pk).update(is_active=False)

    tell(NOW + BETWEEN_MAILS)

    assert len(mail.outbox) == 3
    assert sorted(told()) == sorted(
        (name, status) for name in ("ada", "bob", "cleo") for status in (Status.SENT, Status.DROPPED)
    )


def test_a_choice_opens_nothing_that_one_may_not_open() -> None:
    study = make_study()
    reviewer = member(REVIEWER, study)
    choose_alerts(user=reviewer, study=study, hows={Kind.RUN: How.EMAIL, Kind.APPEAL: How.EMAIL}, now=NOW)
    freeze_run(study=study)
    make_appeal(study=study)

    tell()
    before = reviewer.alerts.count()
    reviewer.user_permissions.add(*permissions("hits.view_appeal"))
    make_appeal(study=study)
    tell(NOW + BETWEEN_MAILS)

    assert before == 0
    assert [alert.occurrence.kind for alert in reviewer.alerts.all()] == [Kind.APPEAL]


def test_what_starves_is_told_once_it_has_lasted() -> None:
    batch = open_batch(wants=False)
    member(RESEARCHER, batch.study)
    find_starving(now=NOW)
    tell()
    early = len(mail.outbox)
    due = next_alert(now=NOW)

    tell(NOW + PATIENCE)

    assert (early, due, len(mail.outbox)) == (0, NOW + PATIENCE, 1)
    assert "has nothing left to ask" in mail.outbox[0].subject


def test_what_was_over_before_anybody_was_told_is_never_told() -> None:
    batch = open_batch(wants=False)
    member(RESEARCHER, batch.study)
    find_starving(now=NOW)
    open_batch(study=batch.study)
    find_starving(now=SOON)

    tell(NOW + PATIENCE)

    assert [letter.subject for letter in mail.outbox if "nothing left" in letter.subject] == []


def test_what_a_killed_sender_left_is_never_sent_again() -> None:
    study = make_study()
    member(RESEARCHER, study)
    end_batch(study=study)
    find_occurrences(now=NOW)
    queue_alerts(now=NOW)
    Alert.objects.update(status=Status.SENDING, sending_at=NOW)

    assert next_alert(now=NOW) == NOW + SENDING_IS_STALE
    tell(NOW + SENDING_IS_STALE)
    tell(NOW + timedelta(hours=1))

    assert mail.outbox == []
    assert told() == [("ada", Status.UNKNOWN)]


def test_a_server_that_falls_silent_in_the_middle_gets_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    member(RESEARCHER, study)
    end_batch(study=study)
    fail_with(monkeypatch, SMTPServerDisconnected("gone"))

    tell()

    assert told() == [("ada", Status.UNKNOWN)]


def test_a_refused_e_mail_is_tried_again_later_each_time_and_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study()
    member(RESEARCHER, study)
    end_batch(study=study)
    fail_with(monkeypatch, SMTPDataError(451, b"ada@example.org is busy"))
    now, waits = NOW, []

    for _ in range(MOST_TRIES - 1):
        tell(now)
        due = next_alert(now=now)
        assert due is not None
        waits.append(due - now)
        now = due
    tell(now)

    alert = Alert.objects.get()
    assert (alert.status, alert.tries) == (Status.FAILED, MOST_TRIES)
    assert waits == sorted(waits)
    assert waits[:3] == [timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=4)]
    assert alert.problem == "The mail server refused it (451)."
    assert next_alert(now=now) is None


def test_after_a_refusal_the_next_try_sends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    member(RESEARCHER, study)
    end_batch(study=study)
    with monkeypatch.context() as patch:
        fail_with(patch, SMTPDataError(451, b"busy"))
        tell()

    tell(SOON)

    assert told() == [("ada", Status.SENT)]


def test_without_a_mail_server_everything_stands_on_the_home_page(settings: LazySettings) -> None:
    settings.EMAIL_HOST = ""
    study = make_study()
    member(RESEARCHER, study)
    end_batch(study=study)

    tell()

    assert mail.outbox == []
    assert told() == [("ada", Status.SHOWN)]


def test_a_test_message_does_not_wait_for_the_pause() -> None:
    study = make_study()
    ada = member(RESEARCHER, study)
    end_batch(study=study)
    tell()

    queue_test(user=ada, now=SOON)
    tell(SOON)

    assert len(mail.outbox) == 2


def test_titles_cannot_add_headers_or_lines() -> None:
    study = make_study()
    member(RESEARCHER, study)
    end_batch(study=study, title="a\nBcc: eve@example.org\r\n\r\nb")

    tell()

    [letter] = mail.outbox
    assert "\n" not in letter.subject
    assert letter.recipients() == ["ada@example.org"]


def test_who_has_nothing_to_tell_writes_nothing() -> None:
    study = make_study()
    member(RESEARCHER, study)
    end_batch(study=study)
    tell()

    assert watch(lambda: tell_staff(now=SOON)).writes == []
    assert Occurrence.objects.get().told_at == NOW
