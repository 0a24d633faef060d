"""A worker reports a HIT to those who run the marketplace, who answer once."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.db import IntegrityError

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import Assignment, Complaint
from crowd.marketplace.models.parties import Message
from crowd.marketplace.services import messages
from crowd.marketplace.services.oversight import complaints
from tests.crowd.marketplace.desk import make_operator
from tests.crowd.marketplace.mailing import ADDRESS, sent, with_address
from tests.crowd.marketplace.rows import hand_in, post_hit
from tests.factories import NOW, invite

pytestmark = pytest.mark.django_db


@pytest.fixture
def done() -> Assignment:
    return hand_in(post_hit(title="Colors"))


def report(done: Assignment, text: str = "It asks for my address.") -> Complaint:
    return complaints.report(worker=done.worker, hit=done.hit, kind="personal", text=text, now=NOW)


def test_a_report_is_about_the_hit_and_the_workers_own_work_on_it(done: Assignment) -> None:
    stranger, _ = invite()

    own = report(done)
    others = complaints.report(worker=stranger, hit=done.hit, kind="unseen", text="White.", now=NOW)

    assert (own.assignment, others.assignment) == (done, None)


def test_one_report_of_a_worker_and_a_hit_is_open_at_a_time(done: Assignment) -> None:
    first = report(done)

    with pytest.raises(complaints.StillOpen):
        report(done, "Once more.")
    complaints.answer_complaint(complaint=first, answer="Seen to.", operator=make_operator(), now=NOW)
    second = report(done, "It does so again.")

    assert [one.text for one in Complaint.objects.order_by("pk")] == [first.text, second.text]


def test_the_answer_reaches_the_worker_as_a_message_and_by_e_mail(
    done: Assignment, settings: LazySettings
) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    with_address(done.worker)
    operator = make_operator()

    complaints.answer_complaint(complaint=report(done), answer="It is gone.", operator=operator, now=NOW)

    message, complaint, [letter] = Message.objects.get(), Complaint.objects.get(), sent()
    assert (message.worker, message.requester, message.text) == (done.worker, None, "It is gone.")
    assert message.subject == letter.subject == "The problem that you reported: Colors"
    assert (complaint.answered_by, complaint.answered_at) == (operator, NOW)
    assert letter.to == [ADDRESS]
    assert f"Those who run {settings.MARKETPLACE_URL} write:\n\nIt is gone." in letter.body


def test_a_complaint_is_answered_once(done: Assignment) -> None:
    complaint, operator = report(done), make_operator()
    complaints.answer_complaint(complaint=complaint, answer="First.", operator=operator, now=NOW)

    with pytest.raises(RuleBroken):
        complaints.answer_complaint(complaint=complaint, answer="Second.", operator=operator, now=NOW)

    assert (Complaint.objects.get().answer, Message.objects.count()) == ("First.", 1)


def test_no_row_is_answered_in_part(done: Assignment) -> None:
    report(done)

    for half in ({"answer": "Yes."}, {"answered_at": NOW}, {"answered_by": make_operator()}):
        with pytest.raises(IntegrityError), atomic():
            Complaint.objects.update(**half)


def test_the_desk_writes_to_nobody_who_is_erased(done: Assignment) -> None:
    done.worker.erased_at = NOW + timedelta(days=1)
    done.worker.save()

    written = messages.write_from_the_desk(workers=[done.worker], subject="Hello", text="You", now=NOW)

    assert (written, Message.objects.count()) == ([], 0)
