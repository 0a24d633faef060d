"""A batch's work in words: rows of all families have these columns, and the columns of their own."""

import csv
import io
import json
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winogavil.models import Association
from hits import families
from hits.data.services.batch_files import columns_of
from hits.data.services.flat_export import WORK, export_flat
from hits.families import FlattensWork
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.leases import Lease
from tests.factories import (
    NOW,
    make_assignment,
    make_association,
    make_batch,
    make_bonus,
    make_hit,
    make_user,
)
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
MAY_EXPORT = ("view_batch", "export_batch", "see_all_studies")


def make_solved(batch: Batch, *, words: int = 1, **changes: Any) -> Assignment:
    """Make submitted work in which one solver has picked the right pictures of so many words."""
    associations = [make_association(study=batch.study) for _ in range(words)]
    answer = {str(one.item.public_id): sorted(one.chosen_keys) for one in associations}
    work = make_assignment(
        **{"hit": make_hit(batch=batch), "status": "submitted", "answer": answer, **changes}
    )
    for one in associations:
        Lease.objects.create(item=one.item, assignment=work, worker=work.worker, leased_at=NOW)
    return work


def flat_rows(batch: Batch, *, include_excluded: bool = False) -> list[dict[str, Any]]:
    return list(export_flat(batch=batch, include_excluded=include_excluded))


def test_each_unit_has_a_row_that_says_whose_work_it_is_and_what_it_earned() -> None:
    batch = make_batch(status="open", reward=Decimal("0.40"))
    work = make_solved(batch, words=2, status="approved", worked_s=48, active_s=31)
    make_bonus(assignment=work, status="owed", amount="0.30")
    make_bonus(assignment=work, status="sent", amount="0.02", rule="early")
    make_bonus(assignment=work, status="waived", amount="5.00", rule="late")
    decision = {"assignment": work, "status": "done", "by": make_user(), "made_at": NOW, "send_at": NOW}
    Decision.objects.create(kind="approve", reason="Good.", **decision)

    first, second = flat_rows(batch)

    assert {one.name: first[one.name] for one in WORK} == {
        "worker": work.worker.pseudonym,
        "hit_number": work.hit.number,
        "assignment": str(work.public_id),
        "row": 1,
        "accepted_at": "2026-11-21T12:00:00+00:00",
        "submitted_at": "2026-11-21T12:00:00+00:00",
        "worked_s": 48,
        "active_s": 31,
        "status": "approved",
        "kept_out": False,
        "reasons": "Good.",
        "reward": 0.4,
        "bonus": 0.32,
        "bonus_paid": 0.02,
        "currency": "USD",
    }
    assert (second["assignment"], second["row"], second["cue"]) == (first["assignment"], 2, "cold")
    assert second["item"] != first["item"]


def test_work_without_units_still_has_a_row() -> None:
    batch = make_batch(status="open")
    work = make_assignment(hit=make_hit(batch=batch), status="submitted", answer={})

    [row] = flat_rows(batch)

    assert (row["assignment"], row["row"], row["cue"]) == (str(work.public_id), 1, None)
    assert list(row) == [one.name for one in columns_of(batch)["flat"]]


def test_only_excluded_work_that_is_asked_for_comes_along() -> None:
    batch = make_batch(status="open")
    counted = make_solved(batch)
    rejected = make_solved(batch, status="rejected")

    found = [
        [row["assignment"] for row in flat_rows(batch, include_excluded=asked)] for asked in (False, True)
    ]

    assert found == [[str(counted.public_id)], [str(counted.public_id), str(rejected.public_id)]]


def test_a_slice_takes_as_many_queries_for_a_hundred_assignments_as_for_one() -> None:
    counts = []
    for size in (1, 100):
        batch = make_batch(status="open")
        for _ in range(size):
            make_solved(batch, words=1)
        with CaptureQueriesContext(connection) as queries:
            assert len(flat_rows(batch)) == size
        counts.append(len(queries))

    # After a full slice, one query more looks for the next.
    assert counts[1] - counts[0] <= 1


def test_every_task_that_researchers_launch_says_its_work_in_words() -> None:
    silent = [key for key in families.offered() if not isinstance(families.get(key), FlattensWork)]

    assert silent == []


@pytest.mark.parametrize("key", sorted(families.registered()))
def test_no_column_has_the_name_of_another(key: str) -> None:
    batch = make_batch(status="open", task=key)

    names = [[one.name for one in columns] for columns in columns_of(batch).values()]

    assert all(len(some) == len(set(some)) for some in names)


def test_page_explains_every_column_and_the_file_has_them(client: Client) -> None:
    sign_in_with(client, *MAY_EXPORT)
    batch = make_solved(make_batch(status="open")).hit.batch
    address = reverse("admin:hits_batch_export", args=[batch.pk])

    page = unescape(text_of(client.get(address)))
    response: Any = client.post(address, {"shape": "flat", "kind": "csv"})
    text = b"".join(response.streaming_content).decode().removeprefix("\ufeff")
    [row] = csv.DictReader(io.StringIO(text, newline=""))

    assert all(one.name in page and one.words in page for one in columns_of(batch)["flat"])
    assert list(row)[:-3] == [one.name for one in columns_of(batch)["flat"]]
    assert (row["cue"], row["is_right"], row["batch_id"]) == ("cold", "true", str(batch.public_id))
    assert len(json.loads(row["candidates"])) == 5


def test_json_lines_say_which_rows_they_are(client: Client) -> None:
    sign_in_with(client, *MAY_EXPORT)
    batch = make_solved(make_batch(status="open")).hit.batch

    response: Any = client.post(
        reverse("admin:hits_batch_export", args=[batch.pk]), {"shape": "flat", "kind": "jsonl"}
    )
    about, row = map(json.loads, b"".join(response.streaming_content).decode().splitlines())

    assert (about["about"]["rows"], row["cue"], row["jaccard"]) == ("flat", "cold", 1.0)


def test_a_word_that_a_spreadsheet_would_run_is_only_text(client: Client) -> None:
    sign_in_with(client, *MAY_EXPORT)
    batch = make_batch(status="open")
    association = make_association(study=batch.study)
    Association.objects.update(cue="=1+1")
    answer: dict[str, list[str]] = {str(association.item.public_id): []}
    work = make_assignment(hit=make_hit(batch=batch), status="submitted", answer=answer)
    Lease.objects.create(item=association.item, assignment=work, worker=work.worker, leased_at=NOW)

    response: Any = client.post(
        reverse("admin:hits_batch_export", args=[batch.pk]), {"shape": "flat", "kind": "csv"}
    )

    assert ",'=1+1," in b"".join(response.streaming_content).decode()


def test_work_of_a_task_without_words_is_offered_as_it_was_handed_in(client: Client) -> None:
    sign_in_with(client, *MAY_EXPORT)
    batch = make_batch(status="open", task="compensation")
    address = reverse("admin:hits_batch_export", args=[batch.pk])

    refused = client.post(address, {"shape": "flat", "kind": "csv"})
    sent = client.post(address, {"shape": "raw", "kind": "csv"})

    assert "Select a valid choice" in text_of(refused)
    assert sent["Content-Type"].startswith("text/csv")


def test_page_says_plainly_what_its_buttons_do(client: Client) -> None:
    sign_in_with(client, *MAY_EXPORT)
    batch = make_batch(status="open")

    page = text_of(client.get(reverse("admin:hits_batch_export", args=[batch.pk])))

    assert '<button class="button default">Export</button>' in page
    assert f'href="{reverse("admin:hits_batch_live", args=[batch.pk])}">Cancel</a>' in page
