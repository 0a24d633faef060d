"""A restored database: requesters learn of it, and no list of payouts is given out too early."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from crowd.marketplace.models import Email, Epoch, ResetRequest
from crowd.marketplace.models.parties import AuditEntry, OperatorSession, WorkerSession
from crowd.marketplace.services import epochs, operators
from tests.crowd.marketplace.desk import Desk, form_token, lines_of, make_operator
from tests.crowd.marketplace.desk_pages.test_payouts import owed_worker
from tests.crowd.marketplace.site import text_of
from tests.factories import NOW, invite

pytestmark = pytest.mark.django_db


def put_back() -> Epoch:
    """Begin an epoch as after a restore, but leave the session of the desk under test open."""
    now = timezone.now()
    return Epoch.objects.create(copied_at=now - timedelta(hours=5), began_at=now)


def test_every_answer_of_the_api_names_the_epoch(client: Client) -> None:
    def named() -> str:
        return client.post(
            "/", "{}", content_type="application/x-amz-json-1.1", headers={"host": "localhost"}
        )["X-Marketplace-Epoch"]

    before = named()
    epoch = epochs.begin_epoch(copied_at=None, now=timezone.now())

    assert (before, named()) == ("first", str(epoch.public_id))


def test_whoever_was_signed_in_when_the_copy_was_taken_is_signed_out() -> None:
    operators.open_session(make_operator(), now=timezone.now())

    epochs.begin_epoch(copied_at=None, now=timezone.now())

    assert (OperatorSession.objects.count(), WorkerSession.objects.count()) == (0, 0)


def test_e_mails_that_waited_in_the_copy_are_not_sent_again() -> None:
    worker, _ = invite()
    for sent_at in (NOW, None):
        Email.objects.create(worker=worker, kind="confirm", asked_at=NOW, due_at=NOW, sent_at=sent_at)
    ResetRequest.objects.create(typed="jo.doe", asked_at=NOW)

    epochs.begin_epoch(copied_at=None, now=timezone.now())

    assert [email.sent_at for email in Email.objects.all()] == [NOW]
    assert ResetRequest.objects.count() == 0


def test_list_to_pay_by_waits_until_an_operator_has_confirmed(desk: Desk) -> None:
    worker = owed_worker("0.50")
    put_back()

    refused = desk.post("payouts/selected/", do="file", everybody="1")
    asked = desk.get("put-back/")
    desk.post("put-back/", token=form_token(asked))
    given = lines_of(desk.post("payouts/selected/", do="file", everybody="1"))

    assert refused.status_code == 409
    assert "First mark what you have sent since" in text_of(refused)
    assert given[1:] == [f"{worker.external_id},{worker.name},0.50"]
    assert AuditEntry.objects.filter(what="payouts went on after a restore").count() == 1


def test_what_was_sent_since_can_be_marked_at_once(desk: Desk) -> None:
    worker = owed_worker("0.50")
    put_back()

    answer = desk.post("payouts/paid/", lines=f"{worker.external_id},0.50", reference="Sent on Monday")

    worker.refresh_from_db()
    assert answer.status_code == 302
    assert worker.owed == 0


def test_overview_says_so_until_it_is_confirmed(desk: Desk) -> None:
    put_back()
    before = text_of(desk.get(""))
    desk.post("put-back/", token=form_token(desk.get("put-back/")))

    after = text_of(desk.get(""))

    assert "This database was restored from a copy of" in before
    assert "restored from" not in after
