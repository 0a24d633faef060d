"""Submitted work, workers and letters through the API."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from hits.identity.api_tokens import Scope
from hits.identity.models.blocks import Block
from hits.people.models import Message
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note
from hits.work.services.leasing import lease_items
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_worker,
)
from tests.hits.calling import Notebook, notebook

pytestmark = pytest.mark.django_db
REVIEW = ("view_assignment", "review_assignment", "view_decision", "view_note", "add_note")
PEOPLE = ("view_worker", "view_block", "block_worker", "view_message", "send_message")


def make_work(**changes: Any) -> Assignment:
    values = {"status": "submitted", "submitted_at": timezone.now(), "answer": {}, **changes}
    return make_assignment(**values)


def review(held: Notebook, work: Assignment, verb: str, **body: Any) -> Any:
    return held.post(f"assignments/{work.public_id}/{verb}/", body)


def reviewer(work: Assignment, *more: str) -> Notebook:
    return notebook(*REVIEW, *more, sees=[work.hit.batch.study])


def test_work_tells_its_answer_and_what_was_asked() -> None:
    study = make_study()
    association = make_association(study=study)
    hit = make_hit(batch=make_batch(study=study, status="open"))
    work = make_assignment(hit=hit)
    (item,) = lease_items(assignment=work, now=NOW)
    Assignment.objects.update(status="submitted", submitted_at=NOW, answer={"x": ["y"]})

    row = notebook("view_assignment", sees=[study]).get(f"assignments/{work.public_id}/").json()

    assert item == association.item
    assert (row["answer"], row["items"]) == ({"x": ["y"]}, [str(item.public_id)])
    assert (row["worker"], row["batch"]) == (work.worker.pseudonym, str(hit.batch.public_id))


def test_work_is_narrowed_by_what_a_notebook_asks() -> None:
    study = make_study()
    hit = make_hit(batch=make_batch(study=study, status="open"))
    old = make_assignment(hit=hit, status="approved", submitted_at=NOW - timedelta(days=2))
    new = make_assignment(hit=hit, status="approved", kept_out=True)
    other = make_work()
    held = notebook("view_assignment", "see_all_studies")

    def found(**query: Any) -> list[str]:
        return [row["public_id"] for row in held.get("assignments/", **query).json()["results"]]

    assert found(batch=hit.batch.public_id) == [str(old.public_id), str(new.public_id)]
    assert found(study=study.public_id, kept_out="true") == [str(new.public_id)]
    assert found(hit=hit.public_id, kept_out="false") == [str(old.public_id)]
    assert found(submitted_since=NOW.isoformat(), status="approved") == [str(new.public_id)]
    assert found(worker=other.worker.pseudonym) == [str(other.public_id)]


@pytest.mark.parametrize("kind", ["approve", "keep_out", "reject"])
def test_decision_is_written_and_can_be_undone(kind: str) -> None:
    work = make_work()
    held = reviewer(work)

    decided = review(held, work, "decide", kind=kind, reason="Because.")
    again = review(held, work, "decide", kind="approve")
    undone = review(held, work, "undo")
    history = held.get(f"assignments/{work.public_id}/decisions/").json()["results"]

    assert (decided.status_code, decided.json()["status"]) == (200, "intended")
    assert (again.status_code, again.json()["code"]) == (409, "decided_already")
    assert (undone.status_code, undone.json()["status"]) == (200, "undone")
    assert [(row["kind"], row["status"], row["by"]) for row in history] == [
        (kind, "undone", held.user.username)
    ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"kind": "reject"}, 409),
        ({"kind": "forgive"}, 400),
        ({}, 400),
        ({"kind": "reject", "reason": "x" * 1025}, 400),
        ({"kind": "override"}, 409),
    ],
)
def test_decision_of_a_wrong_kind_is_refused(body: dict[str, Any], status: int) -> None:
    work = make_work()

    answer = review(reviewer(work), work, "decide", **body)

    assert answer.status_code == status
    assert not Decision.objects.exists()


def test_rejection_beyond_the_days_number_waits_for_a_second_person() -> None:
    work = make_work()
    Study.objects.update(rejections_a_day=0)
    first, second = reviewer(work), reviewer(work, "second_rejection")

    waiting = review(first, work, "decide", kind="reject", reason="Empty.")
    alone = review(first, work, "second", agree=True)
    seconded = review(second, work, "second", agree=True)

    assert waiting.json()["status"] == "waiting"
    assert alone.status_code == 403
    assert (seconded.status_code, seconded.json()["status"]) == (200, "intended")
    assert seconded.json()["second_by"] == second.user.username


def test_second_word_and_undo_without_a_decision_are_refused() -> None:
    work = make_work()
    held = reviewer(work, "second_rejection")

    answers = [review(held, work, "second", agree=True), review(held, work, "undo")]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(409, "no_decision")] * 2


@pytest.mark.parametrize("verb", ["decide", "second", "undo", "notes"])
def test_review_needs_the_permission_the_scope_and_the_study(verb: str) -> None:
    work = make_work()
    study = work.hit.batch.study
    body = {"kind": "approve", "agree": True, "text": "x"}
    helds = [
        notebook("view_assignment", "view_note", sees=[study]),
        notebook(*REVIEW, "second_rejection", scopes=[Scope.READ], sees=[study]),
        notebook(*REVIEW, "second_rejection"),
    ]

    answers = [review(held, work, verb, **body).status_code for held in helds]

    assert answers == [403, 403, 404]
    assert (Decision.objects.count(), Note.objects.count()) == (0, 0)


def test_notes_are_written_and_listed() -> None:
    work = make_work()
    held = reviewer(work)

    written = review(held, work, "notes", text="Look at the last one.")
    listed = held.get(f"assignments/{work.public_id}/notes/").json()["results"]

    assert written.status_code == 201
    assert [(row["text"], row["by"]) for row in listed] == [("Look at the last one.", held.user.username)]


@pytest.mark.parametrize("text", ["", "  ", "x" * 2001, None, ["x"]])
def test_note_of_a_wrong_kind_is_refused(text: Any) -> None:
    work = make_work()

    answer = review(reviewer(work), work, "notes", text=text)

    assert answer.status_code == 400
    assert not Note.objects.exists()


def test_worker_is_blocked_once_and_the_block_lifted() -> None:
    work = make_work()
    held = notebook(*PEOPLE, sees=[work.hit.batch.study])
    address = f"workers/{work.worker.public_id}/"

    blocked = held.post(f"{address}block/", {"kind": "soft", "reason": "Answers at random."})
    again = held.post(f"{address}block/", {"kind": "soft", "reason": "Once more."})
    shown = held.get(address).json()["blocked"]
    lifted = held.post(f"{address}lift/", {"kind": "soft"})
    nothing = held.post(f"{address}lift/", {"kind": "soft"})

    assert (blocked.status_code, blocked.json()["status"], shown) == (201, "active", ["soft"])
    assert (again.status_code, again.json()["code"]) == (409, "blocked_already")
    assert (lifted.status_code, lifted.json()["status"]) == (200, "lifted")
    assert (nothing.status_code, nothing.json()["code"]) == (409, "not_blocked")
    assert [row["status"] for row in held.get(f"{address}blocks/").json()["results"]] == ["lifted"]


@pytest.mark.parametrize(
    "body", [{"kind": "soft"}, {"kind": "soft", "reason": ""}, {"kind": "hardest", "reason": "x"}, {}]
)
def test_block_of_a_wrong_kind_is_refused(body: dict[str, Any]) -> None:
    work = make_work()
    held = notebook(*PEOPLE, sees=[work.hit.batch.study])

    answer = held.post(f"workers/{work.worker.public_id}/block/", body)

    assert answer.status_code == 400
    assert not Block.objects.exists()


def test_block_of_somebody_elses_worker_is_not_there() -> None:
    worker = make_work().worker

    answer = notebook(*PEOPLE).post(f"workers/{worker.public_id}/block/", {"kind": "soft", "reason": "x"})

    assert answer.status_code == 404
    assert not Block.objects.exists()


def letter(*works: Assignment, **changes: Any) -> dict[str, Any]:
    return {
        "account": str(works[0].account.public_id),
        "study": str(works[0].hit.batch.study.public_id),
        "workers": [str(work.worker.public_id) for work in works],
        "subject": "Thank you",
        "text": "There is more to do.",
        **changes,
    }


def test_message_is_written_once_for_a_key_and_counts_its_recipients() -> None:
    hit = make_hit()
    works = [make_work(hit=hit) for _ in range(2)]
    held = notebook(*PEOPLE, sees=[hit.batch.study])
    body = letter(*works)

    first = held.post("messages/", body, **{"Idempotency-Key": "thanks"})
    again = held.post("messages/", body, **{"Idempotency-Key": "thanks"})

    assert (first.status_code, again.status_code) == (201, 200)
    assert (first.json()["waiting"], first.json()["sent"]) == (2, 0)
    assert first.json() == again.json()
    assert Message.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"workers": []}, 400),
        ({"workers": ["6f1ed002-ab5e-4c1b-bfd5-1a1e8a1f0a0b"]}, 400),
        ({"study": "6f1ed002-ab5e-4c1b-bfd5-1a1e8a1f0a0b"}, 400),
        ({"account": "6f1ed002-ab5e-4c1b-bfd5-1a1e8a1f0a0b"}, 400),
        ({"subject": ""}, 400),
        ({"text": "x" * 5000}, 400),
        ({"subject": "two\nlines"}, 409),
    ],
)
def test_message_of_a_wrong_kind_is_refused(changes: dict[str, Any], status: int) -> None:
    work = make_work()
    held = notebook(*PEOPLE, sees=[work.hit.batch.study])

    answer = held.post("messages/", letter(work, **changes))

    assert answer.status_code == status
    assert not Message.objects.exists()


def test_message_to_a_worker_whom_one_does_not_see_is_refused() -> None:
    mine, other = make_work(), make_work()
    held = notebook(*PEOPLE, sees=[mine.hit.batch.study])

    answer = held.post("messages/", letter(mine, workers=[str(other.worker.public_id)]))

    assert (answer.status_code, list(answer.json())) == (400, ["workers"])
    assert not Message.objects.exists()


def test_messages_of_other_studies_are_not_there() -> None:
    work = make_work()
    writer = notebook(*PEOPLE, sees=[work.hit.batch.study])
    message = writer.post("messages/", letter(work)).json()

    stranger = notebook("view_message")

    assert stranger.get("messages/").json()["results"] == []
    assert stranger.get(f"messages/{message['public_id']}/").status_code == 404
    assert [row["public_id"] for row in writer.get("messages/").json()["results"]] == [message["public_id"]]


def test_bonuses_are_narrowed_and_no_token_approves_them() -> None:
    bonus = make_bonus(status="owed")
    make_bonus()
    held = notebook("view_bonus", "approve_run", "see_all_studies")

    rows = held.get("bonuses/", status="owed").json()["results"]
    tried = held.post(f"bonuses/{bonus.public_id}/approve/")

    assert [(row["public_id"], row["amount"], row["worker"]) for row in rows] == [
        (str(bonus.public_id), "0.01", bonus.assignment.worker.pseudonym)
    ]
    assert tried.status_code == 404


def test_workers_are_found_by_pseudonym() -> None:
    account = make_account()
    wanted, _ = (make_worker(account=account) for _ in range(2))
    held = notebook("view_worker", "see_all_studies")

    rows = held.get("workers/", pseudonym=wanted.pseudonym, account=account.public_id).json()["results"]

    assert [row["public_id"] for row in rows] == [str(wanted.public_id)]
