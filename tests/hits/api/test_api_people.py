"""Appeals, blocks, letters that failed and wages in the REST API."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from hits.identity.api_tokens import Scope
from hits.identity.models.blocks import Block
from hits.ledger.models.bonuses import Bonus
from hits.people.models import Message, Recipient
from hits.review.models import Appeal
from hits.studies.models import Study
from tests.factories import make_account, make_assignment, make_batch, make_hit, make_study, make_worker
from tests.hits.batches.test_hourly_pay import make_paid
from tests.hits.calling import Notebook, notebook

pytestmark = pytest.mark.django_db
NO = {"granted": False, "answer": "Two of three were right."}


def make_appeal(study: Study | None = None) -> Appeal:
    hit = make_hit(batch=make_batch(status="open", study=study or make_study()))
    work = make_assignment(hit=hit, status="approved")
    return Appeal.objects.create(
        assignment=work, worker=work.worker, text="I picked all three.", made_at=timezone.now()
    )


def study_of(appeal: Appeal) -> Study:
    return appeal.assignment.hit.batch.study


def answering(appeal: Appeal, **more: Any) -> Notebook:
    return notebook("view_appeal", "answer_appeal", sees=[study_of(appeal)], **more)


def make_block(**changes: Any) -> Block:
    work = make_assignment()
    held = notebook("view_worker", "view_block", "block_worker", sees=[work.hit.batch.study])
    values = {"kind": "hard", "status": "refused", "reason": "Fraud.", "by": held.user, **changes}
    return Block.objects.create(worker=work.worker, made_at=timezone.now(), **values)


def test_appeal_is_read_by_members_of_its_study_under_a_pseudonym() -> None:
    appeal, hidden = make_appeal(), make_appeal()
    held = answering(appeal)

    answer = held.get("appeals/", status="open")

    (row,) = answer.json()["results"]
    assert (row["text"], row["worker"]) == (appeal.text, appeal.worker.pseudonym)
    assert row["assignment"] == str(appeal.assignment.public_id)
    assert appeal.worker.external_id not in answer.content.decode()
    assert held.get(f"appeals/{hidden.public_id}/").status_code == 404


def test_appeal_is_answered_once() -> None:
    appeal = make_appeal()
    held = answering(appeal)
    here = f"appeals/{appeal.public_id}/"

    first = held.post(f"{here}answer/", NO)
    second = held.post(f"{here}answer/", {"granted": True, "answer": "Yes.", "amount": "0.10"})

    shown = held.get(here).json()
    assert (first.status_code, second.status_code) == (200, 409)
    assert (shown["status"], shown["answer"], shown["answered_by"]) == (
        "answered",
        NO["answer"],
        held.user.username,
    )
    assert not Bonus.objects.exists()


def test_granted_appeal_owes_its_amount_and_pays_nothing() -> None:
    appeal = make_appeal()

    answer = answering(appeal).post(
        f"appeals/{appeal.public_id}/answer/", {"granted": True, "answer": "You are right.", "amount": "0.10"}
    )

    bonus = Bonus.objects.get()
    assert answer.status_code == 200, answer.content
    assert "$0.10 are owed" in answer.json()["message"]
    assert (str(bonus.amount), bonus.sent_at) == ("0.10", None)


def test_appeal_is_answered_only_with_words_permission_and_scope() -> None:
    appeal = make_appeal()
    here = f"appeals/{appeal.public_id}/answer/"
    look = notebook("view_appeal", sees=[study_of(appeal)])
    unscoped = answering(appeal, scopes=[Scope.READ])

    answers = [held.post(here, NO).status_code for held in (look, unscoped)]
    wordless = answering(appeal).post(here, {"granted": True})

    appeal.refresh_from_db()
    assert (answers, appeal.status) == ([403, 403], "open")
    assert (wordless.status_code, list(wordless.json())) == (400, ["answer"])


def test_refused_block_is_asked_for_again_and_lifted() -> None:
    block = make_block()
    held = notebook("view_worker", "view_block", "block_worker", "hits.see_all_studies")
    here = f"blocks/{block.pk}/"

    again = held.post(f"{here}again/")
    waiting = held.get(here).json()["status"]
    lifted = held.post(f"{here}lift/")

    assert (again.status_code, waiting, lifted.status_code) == (200, "intended", 200)
    assert held.get("blocks/", worker=block.worker.pseudonym).json()["results"][0]["status"] != "intended"


def test_block_of_a_worker_whom_one_may_not_see_is_not_there() -> None:
    block = make_block()
    held = notebook("view_worker", "view_block", "block_worker")

    answers = [held.get(f"blocks/{block.pk}/"), held.post(f"blocks/{block.pk}/lift/")]

    block.refresh_from_db()
    assert ([answer.status_code for answer in answers], block.status) == ([404, 404], "refused")
    assert held.get("blocks/").json()["results"] == []


def test_letter_is_sent_again_to_whom_it_failed_and_unclear_ones_only_if_one_is_sure() -> None:
    account, study = make_account(), make_study()
    held = notebook("view_message", "send_message", sees=[study])
    message = Message.objects.create(
        account=account, study=study, subject="S", text="T", by=held.user, made_at=timezone.now()
    )
    for status in ("failed", "unknown", "sent"):
        Recipient.objects.create(message=message, worker=make_worker(account=account), status=status)
    here = f"messages/{message.public_id}/retry/"

    failed = held.post(here, {"status": "failed"})
    unsure = held.post(here, {"status": "unknown"})
    kept = held.get(f"messages/{message.public_id}/").json()
    sure = held.post(here, {"status": "unknown", "sure": True})
    sent = held.post(here, {"status": "sent", "sure": True})

    assert (failed.status_code, failed.json()["waiting"]) == (200, 1)
    assert (unsure.status_code, unsure.json()["code"], kept["unknown"]) == (409, "not_sure", 1)
    assert (sure.json()["waiting"], sure.json()["unknown"], sent.status_code) == (2, 0, 400)


def test_wages_of_a_batch_are_told_beside_the_floor() -> None:
    batch = make_paid(180, 360)
    empty, draft = (make_batch(study=batch.study, status=status) for status in ("open", "draft"))
    held = notebook("view_batch", sees=[batch.study])

    answers = [held.get(f"batches/{one.public_id}/wages/") for one in (batch, empty, draft)]

    told = answers[0].json()
    assert (told["floor"], told["approved"], told["below"], told["total"]) == ("12.00", 2, 1, "0.60")
    assert (told["is_low"], sum(bar["count"] for bar in told["bars"])) == (True, 2)
    assert (answers[1].json()["approved"], answers[1].json()["median"]) == (0, None)
    assert (answers[2].status_code, answers[2].json()["code"]) == (409, "not_launched")
    assert notebook("view_batch").get(f"batches/{batch.public_id}/wages/").status_code == 404


@pytest.mark.parametrize("path", ["appeals", "blocks"])
def test_lists_ask_as_often_for_many_rows_as_for_few(path: str) -> None:
    held = notebook("view_appeal", "view_worker", "view_block", "hits.see_all_studies")
    held.get(f"{path}/")
    counts = []
    for rows in (2, 7):
        for _ in range(rows):
            make_appeal()
            make_block()
        with CaptureQueriesContext(connection) as queries:
            answer = held.get(f"{path}/")
        counts.append(len(queries))
        assert len(answer.json()["results"]) >= rows

    assert counts[0] == counts[1]
