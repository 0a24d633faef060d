"""A batch's work as rows and as files."""

import csv
import io
import json
import re
import tracemalloc
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.batches.models import BatchEvent
from hits.data.services import batch_export
from hits.data.services.batch_export import RAW, describe_export, export_batch
from hits.data.services.batch_files import write_csv, write_jsonl
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
PLANTED = "APLANTEDWORKER"
COLUMNS = tuple(one.name for one in RAW)


def make_full() -> Assignment:
    """Make one assignment with all rows that can belong to it."""
    account = make_account()
    batch = make_batch(status="open", account=account)
    hit = make_hit(batch=batch, number=7)
    assignment = make_assignment(
        hit=hit,
        worker=make_worker(account=account, external_id=PLANTED),
        status="approved",
        answer={"items": {"x": ["a"]}},
        worked_s=48,
        active_s=31,
        approved_at=NOW,
        external_id="APLANTEDASSIGNMENT",
    )
    item = Item.objects.create(study=batch.study, task=batch.task, wanted=0)
    Lease.objects.create(item=item, assignment=assignment, worker=assignment.worker, leased_at=NOW)
    make_bonus(assignment=assignment, status="owed")
    Decision.objects.create(
        assignment=assignment,
        kind="approve",
        status="done",
        reason="Good.",
        by=make_user(),
        made_at=NOW,
        send_at=NOW,
    )
    return assignment


def export_url(batch: Batch) -> str:
    return reverse("admin:hits_batch_export", args=[batch.pk])


def read(response: Any) -> str:
    return b"".join(response.streaming_content).decode()


def test_a_row_holds_the_work_and_all_that_hangs_on_it() -> None:
    assignment = make_full()
    moment = "2026-11-21T12:00:00+00:00"

    rows = list(export_batch(batch=assignment.hit.batch, include_excluded=False))

    assert rows == [
        {
            "worker": assignment.worker.pseudonym,
            "hit_number": 7,
            "hit": str(assignment.hit.public_id),
            "assignment": str(assignment.public_id),
            "attempt": 1,
            "accepted_at": moment,
            "submitted_at": moment,
            "approved_at": moment,
            "rejected_at": None,
            "worked_s": 48,
            "active_s": 31,
            "status": "approved",
            "kept_out": False,
            "reasons": [{"kind": "approve", "reason": "Good."}],
            "answer": {"items": {"x": ["a"]}},
            "items": [str(Item.objects.get().public_id)],
            "attention_items": [],
            "bonuses": [{"rule": "all right", "amount": "0.01", "currency": "USD", "status": "owed"}],
        }
    ]
    assert tuple(rows[0]) == COLUMNS


def decide_to_keep_out(work: Assignment) -> None:
    Decision.objects.create(
        assignment=work, kind="keep_out", status="done", by=make_user(), made_at=NOW, send_at=NOW
    )


@pytest.mark.parametrize("include_excluded", [False, True])
def test_excluded_work_comes_along_only_when_asked_for(include_excluded: bool) -> None:
    hit = make_hit(max_assignments=9)
    taken = [make_assignment(hit=hit, status=status) for status in ("submitted", "approved")]
    excluded = [
        make_assignment(hit=hit, status="rejected"),
        make_assignment(hit=hit, status="approved", kept_out=True),
    ]
    decide_to_keep_out(excluded[1])
    make_assignment(hit=hit, status="approved", kept_out=True)  # its worker took it out of the data
    make_assignment(hit=hit)
    make_assignment(hit=hit, status="gone")

    rows = list(export_batch(batch=hit.batch, include_excluded=include_excluded))

    wanted = [*taken, *excluded] if include_excluded else taken
    assert [row["assignment"] for row in rows] == [str(row.public_id) for row in wanted]


def test_rows_come_in_the_order_of_the_hits_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_export, "SLICE", 2)
    batch = make_batch(status="open")
    numbers = (3, 1, 1, 2, 1, 3, 3)
    for number in numbers:
        hit = make_hit(batch=batch, number=number)
        make_assignment(hit=hit, status="submitted")
        make_assignment(hit=hit, status="submitted")
    make_assignment(status="submitted")

    rows = list(export_batch(batch=batch, include_excluded=False))

    assert [row["hit_number"] for row in rows] == sorted([*numbers, *numbers])
    assert len({row["assignment"] for row in rows}) == len(rows) == 14


def test_a_slice_takes_as_many_queries_for_many_rows_as_for_few() -> None:
    counts = []
    for size in (2, 20):
        batch = make_batch(status="open")
        for _ in range(size):
            make_assignment(hit=make_hit(batch=batch), status="submitted")
        with CaptureQueriesContext(connection) as queries:
            list(export_batch(batch=batch, include_excluded=False))
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_memory_does_not_grow_with_the_batch() -> None:
    batch, account = make_batch(status="open"), make_account()
    worker = make_worker(account=account)
    for _ in range(2 * batch_export.SLICE):
        hit = make_hit(batch=batch)
        make_assignment(hit=hit, worker=worker, account=account, status="submitted", answer={"a": "x" * 2000})
    rows = export_batch(batch=batch, include_excluded=False)
    next(rows)

    tracemalloc.start()
    for _ in rows:
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 2_000_000


def test_provenance_says_where_the_rows_come_from() -> None:
    batch, by = make_batch(status="open"), make_user(username="curious")

    about = describe_export(batch=batch, include_excluded=True, by=by, now=NOW)

    assert about["batch_id"] == str(batch.public_id)
    assert (about["study"], about["exported_by"], about["includes_excluded"]) == (
        batch.study.name,
        "curious",
        True,
    )
    assert about["terms"] == batch.terms


def test_json_lines_begin_with_provenance_and_hold_the_rows() -> None:
    rows = [{"worker": "Ä", "answer": {"a": 1}}]

    lines = "".join(write_jsonl(rows, about={"study": "s"})).splitlines()

    assert [json.loads(line) for line in lines] == [{"about": {"study": "s"}}, *rows]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_csv_runs_nothing_in_a_spreadsheet(start: str) -> None:
    row = {**dict.fromkeys(COLUMNS), "answer": f"{start}cmd|' /C calc'!A0", "worked_s": -3}
    about = {"study": "=1+1", "batch_id": "b", "exported_at": "t"}

    text = "".join(write_csv([row], names=COLUMNS, about=about)).removeprefix("\ufeff")
    [found] = csv.DictReader(io.StringIO(text, newline=""))

    assert (found["answer"], found["study"]) == (f"'{start}cmd|' /C calc'!A0", "'=1+1")
    assert found["worked_s"] == "-3"


@pytest.mark.parametrize("shape", ["flat", "raw"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_file_holds_no_id_of_the_provider(client: Client, kind: str, shape: str) -> None:
    assignment = make_full()
    sign_in_with(client, "view_batch", "export_batch", "see_all_studies")

    text = read(
        client.post(
            export_url(assignment.hit.batch), {"shape": shape, "kind": kind, "include_excluded": "on"}
        )
    )

    assert assignment.worker.pseudonym in text
    assert re.findall("PLANTED", text) == []
    assert assignment.hit.external_id not in text


def test_csv_file_opens_as_a_table(client: Client) -> None:
    assignment = make_full()
    sign_in_with(client, "view_batch", "export_batch", "see_all_studies")

    response = client.post(export_url(assignment.hit.batch), {"shape": "raw", "kind": "csv"})
    rows = list(csv.DictReader(io.StringIO(read(response).removeprefix("\ufeff"), newline="")))

    assert response["Content-Disposition"].startswith('attachment; filename="batch-')
    assert len(rows) == 1
    assert json.loads(rows[0]["answer"]) == assignment.answer
    assert (rows[0]["study"], rows[0]["kept_out"]) == (assignment.hit.batch.study.name, "false")


def test_export_is_on_the_record_of_the_batch(client: Client) -> None:
    user = sign_in_with(client, "view_batch", "export_batch", "see_all_studies")
    batch = make_full().hit.batch

    client.post(export_url(batch), {"shape": "raw", "kind": "csv"})

    event = BatchEvent.objects.get()
    assert (event.batch, event.kind, event.by) == (batch, "exported", user)


def test_export_page_asks_for_the_form_of_it(client: Client) -> None:
    sign_in_with(client, "view_batch", "export_batch", "see_all_studies")
    batch = make_full().hit.batch

    page = client.get(export_url(batch))
    wrong = client.post(export_url(batch), {"shape": "raw", "kind": "xls"})

    assert (page.status_code, wrong.status_code) == (200, 200)
    assert "Select a valid choice" in wrong.content.decode()
    assert not BatchEvent.objects.exists()


def test_export_without_the_permission_is_refused(client: Client) -> None:
    sign_in_with(client, "view_batch", "see_all_studies")
    batch = make_full().hit.batch

    assert client.post(export_url(batch), {"shape": "raw", "kind": "csv"}).status_code == 403
    assert not BatchEvent.objects.exists()


def test_export_of_somebody_elses_study_is_not_found(client: Client) -> None:
    user = sign_in_with(client, "view_batch", "export_batch")
    theirs = make_full().hit.batch
    own = make_batch(status="open", study=make_study())
    own.study.members.add(user)

    answers = [
        client.post(export_url(batch), {"shape": "raw", "kind": "csv"}).status_code for batch in (theirs, own)
    ]

    assert answers == [404, 200]
    assert [event.batch for event in BatchEvent.objects.all()] == [own]


@pytest.mark.parametrize("shape", ["flat", "raw"])
def test_file_holds_no_id_of_a_participant(client: Client, shape: str) -> None:
    """Ids of Prolific are the same in all its studies: whoever knows one could find the person elsewhere."""
    person, session, study = (
        "5f1a2b3c4d5e6f7a8b9c0d1e",
        "65aa00bb11cc22dd33ee44ff",
        "64ff00ee11dd22cc33bb44aa",
    )
    account = make_account(kind="prolific")
    hit = make_hit(batch=make_batch(status="open", account=account), external_id=study)
    worker = make_worker(account=account, external_id=person)
    make_assignment(hit=hit, worker=worker, status="approved", answer={"x": ["a"]}, external_id=session)
    sign_in_with(client, "view_batch", "export_batch", "see_all_studies")

    text = read(client.post(export_url(hit.batch), {"shape": shape, "kind": "jsonl"}))

    assert worker.pseudonym in text
    assert [one for one in (person, session, study) if one in text] == []
