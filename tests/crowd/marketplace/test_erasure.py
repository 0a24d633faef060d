"""Erasing a worker: what goes, what stays, and what prevents it."""

from decimal import Decimal

import pytest
from django.conf import LazySettings
from django.db.models import Model
from django.utils import timezone

from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import (
    Complaint,
    Email,
    EmailAddress,
    LedgerEntry,
    Payout,
    QualificationRequest,
    QualificationType,
)
from crowd.marketplace.models.parties import AuditEntry, Invitation, Message, Worker, WorkerSession
from crowd.marketplace.services import erasure, reviewing, worker_sign_in
from tests.crowd.marketplace.desk import Desk
from tests.crowd.marketplace.mailing import sent
from tests.crowd.marketplace.rows import accept, facts, hand_in, post_hit, status_of
from tests.crowd.marketplace.site import stranger, text_of
from tests.factories import NOW, invite, make_requester

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker() -> Worker:
    """A worker with everything that a person leaves here, and nothing open or owed."""
    worker, _ = invite()
    requester = make_requester().requester
    worker_sign_in.sign_in(worker=worker, now=NOW)
    Message.objects.create(worker=worker, requester=requester, subject="Hello", text="You", sent_at=NOW)
    Complaint.objects.create(worker=worker, hit=post_hit(requester=requester), text="I am", sent_at=NOW)
    EmailAddress.objects.create(worker=worker, address="person@example.org", unconfirmed="p@example.com")
    Email.objects.create(worker=worker, kind="confirm", asked_at=NOW, due_at=NOW)
    kind = QualificationType.objects.create(
        requester=requester, name="Test", description="", status="Active", created_at=NOW
    )
    for status in ("Pending", "Granted"):
        QualificationRequest.objects.create(type=kind, worker=worker, status=status, started_at=NOW)
    Worker.objects.filter(pk=worker.pk).update(
        sign_in_name="person@example.org",
        password="hash",
        country="US",
        subdivision="PA",
        is_adult=True,
        is_master=True,
        suspended_at=NOW,
        erasure_requested_at=NOW,
    )
    worker.refresh_from_db()
    return worker


def erase(worker: Worker, *, in_spite_of_obstacles: bool = False) -> None:
    erasure.erase_worker(worker_id=worker.pk, in_spite_of_obstacles=in_spite_of_obstacles, now=NOW)


def test_erasure_leaves_nothing_of_the_person(worker: Worker) -> None:
    before = vars(Worker.objects.get())

    erase(worker)

    changed = {name: value for name, value in vars(Worker.objects.get()).items() if value != before[name]}
    del changed["_state"]
    assert changed == {
        "name": "Erased worker",
        "sign_in_name": None,
        "password": "",
        "country": "",
        "subdivision": "",
        "is_adult": False,
        "is_master": False,
        "suspended_at": None,
        "erased_at": NOW,
    }
    gone: list[type[Model]] = [Invitation, WorkerSession, Message, Complaint, EmailAddress, Email]
    left = [model._default_manager.count() for model in gone]
    assert (left, [row.status for row in QualificationRequest.objects.all()]) == ([0] * 6, ["Granted"])


def test_erasure_leaves_the_books_and_the_answers() -> None:
    assignment = hand_in(post_hit())
    reviewing.approve_assignment(assignment=assignment, feedback="", override=False, now=NOW)
    Payout.objects.create(worker=assignment.worker, amount=Decimal("0.05"), paid_by="me", paid_at=NOW)
    entries = LedgerEntry.objects.count()

    erase(assignment.worker, in_spite_of_obstacles=True)

    assignment.refresh_from_db()
    assert (assignment.answer, assignment.worker.external_id) == ("<answer/>", assignment.worker.external_id)
    assert (LedgerEntry.objects.count(), Payout.objects.count(), status_of(assignment)) == (
        entries,
        1,
        "Approved",
    )


def test_open_work_stands_in_the_way_until_confirmed(worker: Worker) -> None:
    hit = post_hit()
    assignment = accept(hit)

    with pytest.raises(RuleBroken):
        erase(assignment.worker)
    untouched = (status_of(assignment), Worker.objects.get(pk=assignment.worker_id).erased_at)
    erase(assignment.worker, in_spite_of_obstacles=True)

    assert untouched == ("Accepted", None)
    assert (status_of(assignment), facts(hit).available) == ("Returned", 1)
    assert Worker.objects.get(pk=assignment.worker_id).erased_at == NOW


def test_work_in_review_and_money_owed_stand_in_the_way() -> None:
    waiting, approved = hand_in(post_hit()), hand_in(post_hit())
    reviewing.approve_assignment(assignment=approved, feedback="", override=False, now=NOW)

    for assignment in (waiting, approved):
        with pytest.raises(RuleBroken):
            erase(Worker.objects.get(pk=assignment.worker_id))

    assert Worker.objects.filter(erased_at=None).count() == 2


def test_erased_worker_is_not_erased_again(worker: Worker) -> None:
    erase(worker)

    with pytest.raises(RuleBroken):
        erase(worker)


def test_desk_erases_after_the_id_was_typed(desk: Desk, worker: Worker) -> None:
    path = f"workers/{worker.external_id}/erase/"
    asked = text_of(desk.get(path))
    mistyped = desk.post(path, worker_id="ASOMEBODYELSE").status_code
    untouched = Worker.objects.get().erased_at

    answer = desk.post(path, worker_id=f" {worker.external_id} ")

    assert ("What is erased" in asked, "What stays" in asked, mistyped, untouched) == (True, True, 422, None)
    assert (answer.status_code, Worker.objects.get().name) == (302, "Erased worker")
    assert desk.get(path).status_code == 404


@pytest.mark.parametrize("are_files", [True, False])
def test_desk_names_the_copies_that_somebody_has_to_delete(
    desk: Desk, worker: Worker, settings: LazySettings, *, are_files: bool
) -> None:
    settings.MARKETPLACE_EMAILS_ARE_FILES = are_files

    asked = text_of(desk.get(f"workers/{worker.external_id}/erase/"))

    assert "lists of payments and of invitation links that were downloaded" in asked
    assert ("written as files" in asked, str(settings.EMAIL_FILE_PATH) in asked) == (are_files, are_files)
    assert "e-mails that were sent to you or written as files" in text_of(stranger().get("/privacy/"))


def test_e_mail_that_waits_is_not_sent_after_the_erasure(worker: Worker) -> None:
    erase(worker)

    assert sent() == []


def test_desk_erases_what_operators_noted(desk: Desk, worker: Worker) -> None:
    desk.post(f"workers/{worker.external_id}/suspend/", reason="Lives in Springfield")

    desk.post(f"workers/{worker.external_id}/erase/", worker_id=worker.external_id)

    assert [(audit_entry.what, audit_entry.note) for audit_entry in AuditEntry.objects.order_by("pk")] == [
        ("worker suspended", ""),
        ("worker erased", ""),
    ]


def test_desk_names_the_obstacles_and_wants_them_confirmed(desk: Desk) -> None:
    now = timezone.now()
    worker = accept(post_hit(now=now), now=now).worker
    path = f"workers/{worker.external_id}/erase/"

    asked = text_of(desk.get(path))
    refused = desk.post(path, worker_id=worker.external_id).status_code
    untouched = Worker.objects.get().erased_at
    desk.post(path, worker_id=worker.external_id, in_spite_of="on")

    assert ("Accepted and not submitted: 1." in asked, refused, untouched) == (True, 409, None)
    assert Worker.objects.get().name == "Erased worker"


def test_erased_worker_gets_no_invitation_and_no_facts(desk: Desk, worker: Worker) -> None:
    erase(worker)

    answers = [
        desk.post(f"workers/{worker.external_id}/invitation/").status_code,
        desk.post(f"workers/{worker.external_id}/facts/", country="US").status_code,
        desk.post(f"workers/{worker.external_id}/suspend/", reason="No").status_code,
    ]

    assert (answers, Invitation.objects.count(), Worker.objects.get().country) == ([409] * 3, 0, "")
