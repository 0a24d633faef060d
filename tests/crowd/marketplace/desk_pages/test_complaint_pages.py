"""Complaints at the desk: found, read with all that they are about, and answered once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from crowd.marketplace.models import Assignment, Complaint
from crowd.marketplace.models.parties import AuditEntry, Message
from crowd.marketplace.questions import write_answer
from crowd.marketplace.services import reviewing, work
from crowd.marketplace.services.oversight import complaints
from tests.crowd.marketplace.desk import Desk, form_token, rows_of
from tests.crowd.marketplace.rows import accept
from tests.crowd.marketplace.site import open_hit, text_of
from tests.factories import invite

pytestmark = pytest.mark.django_db
WORDS = "They say <b>wrong</b>, but it is right."


def report(hit_title: str, *, text: str = WORDS) -> Complaint:
    worker, _ = invite(now=timezone.now())
    return complaints.report(
        worker=worker, hit=open_hit(title=hit_title), kind="other", text=text, now=timezone.now()
    )


@pytest.fixture
def refused() -> Assignment:
    now = timezone.now()
    done = accept(open_hit(title="Colors", max_assignments=2), now=now)
    work.submit_assignment(assignment=done, answer=write_answer([("color", "blue")]), now=now)
    reviewing.reject_assignment(assignment=done, feedback="Wrong.", now=now + timedelta(minutes=1))
    done.refresh_from_db()
    return done


@pytest.fixture
def complaint(refused: Assignment) -> Complaint:
    return complaints.report(
        worker=refused.worker, hit=refused.hit, kind="unfair", text=WORDS, now=timezone.now()
    )


def test_complaints_are_listed_open_first_searched_and_filtered(desk: Desk) -> None:
    first, second, third = (report(title) for title in ("Ants", "Bees", "Cats"))
    complaints.answer_complaint(complaint=first, answer="Yes.", operator=desk.operator, now=timezone.now())

    def titles(query: str) -> list[str]:
        rows = rows_of(desk.get(f"complaints/?{query}"))
        return [next(title for title in ("Ants", "Bees", "Cats") if title in row) for row in rows]

    assert (titles(""), titles("only=open"), titles("only=answered"), titles("only=odd")) == (
        ["Bees", "Cats", "Ants"],
        ["Bees", "Cats"],
        ["Ants"],
        ["Bees", "Cats", "Ants"],
    )
    assert titles(f"q={str(second.hit).lower()}") == ["Bees"]
    assert titles(f"q={third.worker.external_id}") == titles("q=cat") == ["Cats"]
    assert titles("q=they+SAY") == ["Bees", "Cats", "Ants"]
    assert (titles("q=dogs"), titles("q=%00&only=%00")) == ([], ["Bees", "Cats", "Ants"])


def test_page_shows_the_words_the_work_and_the_ways_to_act(desk: Desk, complaint: Complaint) -> None:
    page = desk.get(f"complaints/{complaint.pk}/")

    html, text = page.content.decode(), text_of(page)
    hit, worker = complaint.hit, complaint.worker
    assert "They say &lt;b&gt;wrong&lt;/b&gt;" in html
    assert "The refusal or the pay is unfair open" in text
    assert "What the requester wrote Wrong." in text
    assert "Only the requester can still approve it, until" in text
    for path in (
        f"hits/{hit}/",
        f"hits/{hit}/take-down/",
        f"workers/{worker.external_id}/suspend/",
        f"requesters/{hit.requester.external_id}/close/",
        f"work/{complaint.assignment}/",
    ):
        assert f'href="/desk/{path}"' in html
    assert ("blue" in text, AuditEntry.objects.count()) == (False, 0)


def test_only_what_can_be_done_now_is_named(desk: Desk, complaint: Complaint) -> None:
    hit, requester = complaint.hit, complaint.hit.requester
    held = accept(hit, now=timezone.now())
    paths = {
        "take": f"/desk/hits/{hit}/take-down/",
        "end": f"/desk/hits/{hit}/end-work/",
        "suspend": f"/desk/workers/{complaint.worker.external_id}/suspend/",
        "close": f"/desk/requesters/{requester.external_id}/close/",
    }

    def named() -> list[str]:
        html = desk.get(f"complaints/{complaint.pk}/").content.decode()
        return [name for name, path in paths.items() if f'href="{path}"' in html]

    seen = [named()]
    desk.post(f"hits/{hit}/take-down/", reason="Unfair")
    seen.append(named())
    work.return_assignment(assignment=held, now=timezone.now())
    seen.append(named())
    desk.post(f"workers/{complaint.worker.external_id}/suspend/", reason="Spam")
    desk.post(f"requesters/{requester.external_id}/close/")
    seen.append(named())

    assert seen == [["take", "suspend", "close"], ["end", "suspend", "close"], ["suspend", "close"], []]
    assert "You can:" not in text_of(desk.get(f"complaints/{complaint.pk}/"))


def test_answer_of_the_work_is_shown_on_demand_and_the_log_keeps_it(desk: Desk, complaint: Complaint) -> None:
    shown = text_of(desk.post(f"complaints/{complaint.pk}/"))

    assert "color blue" in shown
    assert [entry.what for entry in AuditEntry.objects.all()] == ["answer looked at"]


def test_answer_reaches_the_worker_and_the_log(desk: Desk, complaint: Complaint) -> None:
    desk.post(f"complaints/{complaint.pk}/answer/", answer="We wrote to them.")

    complaint.refresh_from_db()
    entry, message = AuditEntry.objects.get(), Message.objects.get()
    page = text_of(desk.get(f"complaints/{complaint.pk}/"))
    assert (complaint.answer, complaint.answered_by) == ("We wrote to them.", desk.operator)
    assert (message.worker, message.text) == (complaint.worker, "We wrote to them.")
    assert (entry.what, entry.about) == ("complaint answered", complaint.worker.external_id)
    assert entry.note == f"complaint {complaint.pk}, HIT {complaint.hit}"
    assert f"Your answer We wrote to them. by {desk.operator}" in page
    assert "gets the answer as a message" in page


def test_complaint_is_answered_once(desk: Desk, complaint: Complaint) -> None:
    path = f"complaints/{complaint.pk}/answer/"
    token = form_token(desk.get(f"complaints/{complaint.pk}/"))
    empty = desk.post(path, answer=" ")
    desk.post(path, token=token, answer="First.")

    again = [desk.post(path, token=token, answer="First."), desk.post(path, answer="Second.")]

    assert [answer.status_code for answer in (empty, *again)] == [422, 409, 409]
    assert (Complaint.objects.get().answer, AuditEntry.objects.count()) == ("First.", 1)
    assert Message.objects.count() == 1


def test_complaint_about_a_hit_that_was_only_previewed(desk: Desk) -> None:
    complaint = report("Ants")

    assert "The worker had not accepted the HIT" in text_of(desk.get(f"complaints/{complaint.pk}/"))
    assert desk.post(f"complaints/{complaint.pk}/").status_code == 200


def test_nobody_but_an_operator_reads_or_answers_complaints(desk: Desk, complaint: Complaint) -> None:
    desk.client.cookies.clear()

    answers = [
        desk.get("complaints/"),
        desk.get(f"complaints/{complaint.pk}/"),
        desk.post(f"complaints/{complaint.pk}/answer/", answer="No."),
    ]

    assert {answer.status_code for answer in answers} == {302}
    assert Complaint.objects.get().answered_at is None
