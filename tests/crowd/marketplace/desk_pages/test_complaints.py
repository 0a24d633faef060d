"""A complaint at the desk: the work is found by its id, and its answer is shown to an operator who asks."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.formats import date_format

from crowd.marketplace.models import Assignment
from crowd.marketplace.models.parties import AuditEntry, Worker
from crowd.marketplace.questions import write_answer
from crowd.marketplace.services import reviewing, work
from tests.crowd.marketplace.desk import Desk, rows_of
from tests.crowd.marketplace.rows import accept, hand_in
from tests.crowd.marketplace.site import open_hit, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def refused() -> Assignment:
    now = timezone.now()
    done = accept(open_hit(title="Colors", reward="0.30"), now=now)
    answer = write_answer([("color", "<b>red</b>"), ("color", "blue"), ("why", "")])
    work.submit_assignment(assignment=done, answer=answer, now=now)
    reviewing.reject_assignment(assignment=done, feedback="Wrong.", now=now)
    done.refresh_from_db()
    return done


def test_worker_is_found_by_the_id_of_the_work_or_of_its_hit(desk: Desk, refused: Assignment) -> None:
    other = hand_in(open_hit(), now=timezone.now())

    def found(search: str) -> list[str]:
        return [row.split(" 1 ")[0] for row in rows_of(desk.get(f"workers/?q={search}"))]

    name = f"{refused.worker} {refused.worker.external_id}"
    assert [found(str(one)) for one in (refused, refused.hit, str(refused).lower())] == [[name]] * 3
    assert found(str(other)) == [f"{other.worker} {other.worker.external_id}"]
    assert found("A" * 30) == []


def test_the_workers_page_leads_to_the_work_and_what_became_of_it(desk: Desk, refused: Assignment) -> None:
    link = f'<a href="/desk/work/{refused}/">Colors</a>'

    worker = desk.get(f"workers/{refused.worker.external_id}/").content.decode()
    page = text_of(desk.get(f"work/{refused}/"))

    assert link in worker
    assert refused.submitted_at
    until = date_format(refused.submitted_at + timedelta(days=30), "j M Y, H:i")
    assert f"It is now rejected . Only the requester can still approve it, until {until} UTC." in page
    assert f"State Rejected Worker {refused.worker} Requester {refused.hit.requester} Reward $0.30" in page
    assert "What the requester wrote Wrong." in page


def test_the_answer_is_shown_on_demand_and_the_log_keeps_who_looked(desk: Desk, refused: Assignment) -> None:
    folded = text_of(desk.get(f"work/{refused}/"))
    unseen = AuditEntry.objects.count()

    shown = desk.post(f"work/{refused}/")

    entry = AuditEntry.objects.get()
    assert ("blue" in folded, unseen) == (False, 0)
    assert "color <b>red</b> blue why –" in text_of(shown)
    assert "&lt;b&gt;red" in shown.content.decode()
    assert (entry.what, entry.about, entry.note) == (
        "answer looked at",
        refused.worker.external_id,
        f"work {refused}",
    )
    assert (entry.operator, str(refused.worker) in text_of(desk.get("log/"))) == (desk.operator, True)


def test_work_that_is_not_handed_in_has_no_answer_to_look_at(desk: Desk) -> None:
    begun = accept(open_hit(), now=timezone.now())

    page = desk.post(f"work/{begun}/")

    assert "Answer" not in text_of(page)
    assert not AuditEntry.objects.exists()


def test_only_an_operator_sees_work_and_answers(desk: Desk, refused: Assignment) -> None:
    desk.client.cookies.clear()

    answers = [desk.get(f"work/{refused}/"), desk.post(f"work/{refused}/")]

    assert {answer.status_code for answer in answers} == {302}
    assert not AuditEntry.objects.exists()
    assert Worker.objects.count() == 1


def test_ids_in_the_ledger_lead_to_what_they_name(desk: Desk, refused: Assignment) -> None:
    requester = refused.hit.requester
    desk.post(f"requesters/{requester.external_id}/deposit/", amount="1", note="Invoice 7")

    pages = [
        desk.get(f"requesters/{requester.external_id}/{rest}").content.decode() for rest in ("", "ledger/")
    ]

    for page in pages:
        assert f'<a href="/desk/hits/{refused.hit}/">{refused.hit}</a>' in page
        assert f'<a href="/desk/work/{refused}/">{refused}</a>' in page
        assert ">Invoice 7</a>" not in page


def test_steps_stand_in_the_order_in_which_they_happened(desk: Desk, refused: Assignment) -> None:
    reviewing.approve_assignment(
        assignment=refused, feedback="Sorry.", override=True, now=timezone.now() + timedelta(hours=1)
    )

    text = text_of(desk.get(f"work/{refused}/"))

    at = [text.index(f" {step} ") for step in ("Accepted", "Submitted", "Rejected", "Approved, after all")]
    assert at == sorted(at)
    assert "It is now approved" in text
    assert "The reason of the rejection went when the requester approved the work." in text
