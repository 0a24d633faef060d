"""Batches through the API: drafts, items, launching, steering, figures, export."""

import json
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.utils import timezone

from crowd.winogavil.domain import SOLVE
from hits.batches.models import BatchEvent
from hits.identity.api_tokens import Scope
from hits.studies.models import Batch, Study
from hits.work.models.hits import HIT, Change
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_picture,
    make_study,
    make_worker,
)
from tests.hits.calling import Notebook, notebook

pytestmark = pytest.mark.django_db
DRAFT = ("view_batch", "add_batch", "change_batch", "delete_batch")
LAUNCH = ("view_batch", "launch_batch", "steer_batch", "export_batch")


def body_of(study: Study, /, **changes: Any) -> dict[str, Any]:
    account = make_account()
    return {"study": str(study.public_id), "account": str(account.public_id), "task": SOLVE, **changes}


def make_draft(**changes: Any) -> Batch:
    study = make_study()
    make_association(study=study)
    return make_batch(study=study, **changes)


def steer(held: Notebook, batch: Batch, verb: str, **body: Any) -> Any:
    return held.post(f"batches/{batch.public_id}/{verb}/", body)


def test_draft_is_made_with_the_tasks_own_words() -> None:
    study = make_study()
    held = notebook(*DRAFT, sees=[study])

    answer = held.post("batches/", body_of(study, reward="0.05", assignments_per_hit=4))

    assert answer.status_code == 201
    batch = Batch.objects.get()
    assert answer.json()["public_id"] == str(batch.public_id)
    assert (batch.status, batch.created_by, str(batch.reward)) == ("draft", held.user, "0.05")
    assert (batch.title != "", batch.assignments_per_hit) == (True, 4)


def test_draft_is_made_once_for_a_key() -> None:
    study = make_study()
    held = notebook(*DRAFT, sees=[study])
    body = body_of(study)

    first = held.post("batches/", body, **{"Idempotency-Key": "monday"})
    again = held.post("batches/", body, **{"Idempotency-Key": "monday"})
    other = notebook(*DRAFT, sees=[study]).post("batches/", body, **{"Idempotency-Key": "monday"})

    assert [answer.status_code for answer in (first, again, other)] == [201, 200, 201]
    assert first.json() == again.json()
    assert Batch.objects.count() == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task", "no-such-task"),
        ("task", None),
        ("reward", "-1"),
        ("reward", "a lot"),
        ("reward", "NaN"),
        ("hits_wanted", 0),
        ("hits_wanted", 10**9),
        ("lifetime_s", 10**18),
        ("assignments_per_hit", "three"),
        ("sharding", "none"),
        ("requirements", [{"QualificationTypeId": 5}]),
        ("requirements", "none"),
        ("title", ""),
        ("title", "t" * 129),
        ("exclude_batches", ["1"]),
        ("exclude_batches", "all"),
        ("exclude_batches", ["6f1ed002-ab5e-4c1b-bfd5-1a1e8a1f0a0b"]),
        ("source_batch", "6f1ed002-ab5e-4c1b-bfd5-1a1e8a1f0a0b"),
        ("study", "6f1ed002-ab5e-4c1b-bfd5-1a1e8a1f0a0b"),
        ("study", {"a": 1}),
        ("account", [1]),
    ],
)
def test_draft_of_a_wrong_kind_is_refused_by_the_name_of_the_field(field: str, value: Any) -> None:
    study = make_study()
    held = notebook(*DRAFT, sees=[study])

    answer = held.post("batches/", body_of(study, **{field: value}))

    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert not Batch.objects.exists()


def test_draft_of_a_study_that_one_does_not_see_is_refused() -> None:
    held = notebook(*DRAFT)

    answer = held.post("batches/", body_of(make_study()))

    assert answer.status_code == 400
    assert not Batch.objects.exists()


def test_draft_changes_in_what_is_named_and_in_nothing_else() -> None:
    batch = make_draft(keywords="old")
    other = make_batch(study=batch.study, status="open")
    held = notebook(*DRAFT, sees=[batch.study])

    answer = held.patch(
        f"batches/{batch.public_id}/",
        {"title": "New", "exclude_batches": [str(other.public_id)], "status": "open", "reserved": "5"},
    )

    assert answer.status_code == 200
    batch.refresh_from_db()
    assert (batch.title, batch.keywords, batch.status, str(batch.reserved)) == ("New", "old", "draft", "0.00")
    assert answer.json()["exclude_batches"] == [str(other.public_id)]


def test_batches_that_a_colleague_excluded_stay_excluded() -> None:
    batch = make_draft()
    hidden = make_batch(status="open")
    batch.exclude_batches.add(hidden)
    held = notebook(*DRAFT, sees=[batch.study])

    answer = held.patch(f"batches/{batch.public_id}/", {"exclude_batches": []})

    assert (answer.status_code, answer.json()["exclude_batches"]) == (200, [])
    assert [*batch.exclude_batches.all()] == [hidden]


def test_terms_of_a_launched_batch_are_kept() -> None:
    batch = make_batch(status="open")
    held = notebook(*DRAFT, sees=[batch.study])

    changed = held.patch(f"batches/{batch.public_id}/", {"reward": "9.99"})
    deleted = held.delete(f"batches/{batch.public_id}/")

    assert [changed.status_code, deleted.status_code] == [409, 409]
    assert changed.json()["code"] == "not_a_draft"
    assert str(Batch.objects.get().reward) == "0.03"


def test_draft_is_deleted() -> None:
    batch = make_draft()

    answer = notebook(*DRAFT, sees=[batch.study]).delete(f"batches/{batch.public_id}/")

    assert answer.status_code == 204
    assert not Batch.objects.exists()


def items_file() -> BytesIO:
    pictures = [make_picture() for _ in range(5)]
    keys = "|".join(picture.key for picture in pictures)
    chosen = "|".join(picture.key for picture in pictures[:2])
    file = BytesIO(f"cue,candidates,chosen\ncold,{keys},{chosen}\n".encode())
    file.name = "items.csv"
    return file


def test_items_come_from_a_file_and_go_again() -> None:
    batch = make_draft(items_from="file")
    held = notebook(*DRAFT, sees=[batch.study])
    address = f"batches/{batch.public_id}/items/"

    added = held.upload(address, items_file())
    there = held.get(address)
    removed = held.delete(address)

    assert (added.status_code, added.json()["added"], added.json()["items"]) == (201, 1, 1)
    assert (there.json()["added"], there.json()["items"]) == (0, 1)
    assert (removed.json()["added"], removed.json()["items"]) == (-1, 0)


def test_file_with_a_wrong_line_adds_nothing_and_names_it() -> None:
    batch = make_draft(items_from="file")
    held = notebook(*DRAFT, sees=[batch.study])
    file = BytesIO(b"cue,candidates,chosen\ncold,nothing|here,nothing\n")
    file.name = "items.csv"

    answer = held.upload(f"batches/{batch.public_id}/items/", file)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_items")
    assert answer.json()["problems"] != []
    assert not Item.objects.filter(batch=batch).exists()


def test_items_that_are_no_form_are_refused() -> None:
    batch = make_draft(items_from="file")
    held = notebook(*DRAFT, sees=[batch.study])

    answers = [
        held.post(f"batches/{batch.public_id}/items/", {"file": "x"}),
        held.client.post(f"/api/batches/{batch.public_id}/items/", {}, headers=held.headers()),
    ]

    assert [answer.status_code for answer in answers] == [415, 400]


def test_launch_launches_once() -> None:
    batch = make_draft()
    held = notebook(*LAUNCH, sees=[batch.study])

    first, second = (steer(held, batch, "launch") for _ in range(2))

    assert (first.status_code, first.json()["status"]) == (200, "launching")
    assert (second.status_code, second.json()["code"]) == (409, "already_launched")
    assert batch.hits.count() == 1


def test_launch_over_the_budget_is_refused_with_the_figure() -> None:
    batch = make_draft(reward="9.00")
    Study.objects.update(budget=1)

    answer = steer(notebook(*LAUNCH, sees=[batch.study]), batch, "launch")

    assert (answer.status_code, answer.json()["code"]) == (409, "over_budget")
    assert (Batch.objects.get().status, HIT.objects.count()) == ("draft", 0)


@pytest.mark.parametrize(
    ("permissions", "confirm", "status"),
    [
        (LAUNCH, "Which pictures?", 409),
        ((*LAUNCH, "launch_production"), "", 409),
        ((*LAUNCH, "launch_production"), "another title", 409),
        ((*LAUNCH, "launch_production"), "Which pictures?", 200),
    ],
)
def test_launch_for_real_money_takes_the_title_and_a_permission(
    permissions: tuple[str, ...], confirm: str, status: int
) -> None:
    batch = make_draft(account=make_account(environment="production"))
    held = notebook(*permissions, sees=[batch.study])

    answer = steer(held, batch, "launch", confirm=confirm)

    assert answer.status_code == status
    assert Batch.objects.get().status == ("launching" if status == 200 else "draft")


@pytest.mark.parametrize(
    ("permissions", "scopes"),
    [(("view_batch",), Scope.values), (LAUNCH, [Scope.READ, Scope.DRAFT])],
)
@pytest.mark.parametrize(
    "verb", ["launch", "pause", "resume", "release-pilot", "drain", "cancel", "extend", "top-up"]
)
def test_verbs_need_the_permission_and_the_scope(
    verb: str, permissions: tuple[str, ...], scopes: list[str]
) -> None:
    batch = make_draft()
    before = Batch.objects.values().get()

    answer = steer(notebook(*permissions, scopes=scopes, sees=[batch.study]), batch, verb)

    assert answer.status_code == 403
    assert Batch.objects.values().get() == before


def test_open_batch_is_paused_resumed_and_drained() -> None:
    batch = make_draft(status="open")
    make_hit(batch=batch, expires_at=NOW)
    held = notebook(*LAUNCH, sees=[batch.study])

    states = [steer(held, batch, verb).json()["status"] for verb in ("pause", "resume", "drain")]

    assert states == ["paused", "launching", "draining"]


def test_draft_is_cancelled() -> None:
    batch = make_draft()

    answer = steer(notebook(*LAUNCH, sees=[batch.study]), batch, "cancel")

    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")


@pytest.mark.parametrize("verb", ["pause", "resume", "release-pilot", "drain"])
def test_verbs_that_a_draft_does_not_know_are_refused_in_words(verb: str) -> None:
    batch = make_draft()

    answer = steer(notebook(*LAUNCH, sees=[batch.study]), batch, verb)

    assert (answer.status_code, sorted(answer.json())) == (409, ["code", "message"])
    assert Batch.objects.get().status == "draft"


@pytest.mark.parametrize(
    "body", [{}, {"hits": 1, "places": 1}, {"hits": 0}, {"places": "some"}, {"places": 1, "after": 1}]
)
def test_top_up_of_a_wrong_kind_is_refused(body: dict[str, Any]) -> None:
    batch = make_draft(status="open")

    answer = steer(notebook(*LAUNCH, sees=[batch.study]), batch, "top-up", **body)

    assert answer.status_code == 400
    assert not HIT.objects.exists()


def test_top_up_sent_twice_adds_once() -> None:
    batch = make_draft(status="open")
    make_hit(batch=batch, number=1)
    held = notebook(*LAUNCH, sees=[batch.study])

    answers = [steer(held, batch, "top-up", hits=2, after=1) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert list(batch.hits.order_by("number").values_list("number", flat=True)) == [1, 2, 3]


def test_places_are_added_to_the_open_hits_of_a_batch() -> None:
    batch = make_draft(status="open")
    hit = make_hit(batch=batch)
    make_hit(batch=batch, status="closed")

    answer = steer(notebook(*LAUNCH, sees=[batch.study]), batch, "top-up", places=2)

    assert answer.status_code == 200
    assert [(change.hit, change.places) for change in Change.objects.all()] == [(hit, 2)]


def test_some_hits_are_expired_and_the_others_are_not() -> None:
    batch = make_draft(status="open")
    chosen, other = make_hit(batch=batch), make_hit(batch=batch)
    held = notebook(*LAUNCH, sees=[batch.study])

    answer = held.post("hits/expire/", {"hits": [str(chosen.public_id)]})

    assert (answer.status_code, answer.json()) == (200, {"changed": 1})
    assert [change.hit for change in Change.objects.filter(kind="expire")] == [chosen]
    assert not other.changes.exists()


def test_hits_are_extended_and_widened() -> None:
    batch = make_draft(status="open")
    hits = [make_hit(batch=batch, expires_at=timezone.now() + timedelta(hours=1)) for _ in range(2)]
    held = notebook(*LAUNCH, sees=[batch.study])
    names = [str(hit.public_id) for hit in hits]

    answers = [
        held.post("hits/extend/", {"hits": names, "seconds": 3600}),
        held.post("hits/add-places/", {"hits": names[:1], "places": 2}),
    ]

    assert [(answer.status_code, answer.json()) for answer in answers] == [
        (200, {"changed": 2}),
        (200, {"changed": 1}),
    ]


def test_hits_that_one_does_not_see_are_not_changed_and_neither_are_the_rest() -> None:
    batch = make_draft(status="open")
    seen, hidden = make_hit(batch=batch), make_hit()
    held = notebook(*LAUNCH, sees=[batch.study])

    answer = held.post("hits/expire/", {"hits": [str(seen.public_id), str(hidden.public_id)]})

    assert (answer.status_code, list(answer.json())) == (400, ["hits"])
    assert not Change.objects.exists()


@pytest.mark.parametrize("hits", [[], ["1"], "all", None, ["6f1ed002-ab5e-4c1b-bfd5-1a1e8a1f0a0b"] * 1001])
def test_hits_of_a_wrong_kind_are_refused(hits: Any) -> None:
    answer = notebook(*LAUNCH).post("hits/expire/", {"hits": hits})

    assert answer.status_code == 400


def test_batches_are_narrowed_by_study_and_status() -> None:
    study = make_study()
    wanted = make_batch(study=study, status="open")
    make_batch(study=study)
    make_batch(status="open")
    held = notebook("view_batch", "see_all_studies")

    rows = held.get("batches/", study=study.public_id, status="open").json()["results"]

    assert [row["public_id"] for row in rows] == [str(wanted.public_id)]


def test_batch_tells_its_cost_and_its_places() -> None:
    batch = make_batch(hits_wanted=4, assignments_per_hit=3)

    row = notebook("view_batch", sees=[batch.study]).get(f"batches/{batch.public_id}/").json()

    assert (row["places"], row["submitted"]) == (12, 0)
    assert (row["cost"]["rewards"], row["cost"]["total"]) == ("0.36", "0.48")


def test_figures_and_events_of_a_batch() -> None:
    batch = make_batch(status="open")
    make_assignment(hit=make_hit(batch=batch), status="submitted")
    held = notebook("view_batch", sees=[batch.study])
    for words in ("first", "second"):
        BatchEvent.objects.create(batch=batch, kind="launched", words=words, by=held.user, at=NOW)

    figures = held.get(f"batches/{batch.public_id}/figures/").json()
    events = held.get(f"batches/{batch.public_id}/events/", page_size=1).json()

    assert (figures["progress"]["hits"], figures["progress"]["submitted"]) == (1, 1)
    assert [(row["words"], row["by"]) for row in events["results"]] == [("first", held.user.username)]
    assert events["next"] is not None


def test_export_streams_the_work_under_pseudonyms() -> None:
    batch = make_batch(status="open")
    worker = make_worker(account=batch.account, external_id="APLANTEDWORKER")
    hit = make_hit(batch=batch)
    make_assignment(hit=hit, worker=worker, status="approved", answer={"a": ["é"]})
    make_assignment(hit=hit, status="rejected", answer={"a": []})
    held = notebook(*LAUNCH, sees=[batch.study])

    counted, everything = (
        b"".join(held.get(f"batches/{batch.public_id}/export/", **query).streaming_content).decode()
        for query in ({}, {"include_excluded": "true"})
    )

    about, row = map(json.loads, counted.splitlines())
    assert (about["about"]["batch_id"], about["about"]["exported_by"]) == (
        str(batch.public_id),
        held.user.username,
    )
    assert (row["worker"], row["answer"]) == (worker.pseudonym, {"a": ["é"]})
    assert len(everything.splitlines()) == 3
    assert "APLANTED" not in everything
    assert batch.events.filter(kind="exported").count() == 2


def test_export_needs_its_own_scope_and_permission() -> None:
    batch = make_batch(status="open")
    helds = [
        notebook(*LAUNCH, scopes=[Scope.READ, Scope.LAUNCH], sees=[batch.study]),
        notebook("view_batch", sees=[batch.study]),
    ]

    answers = [held.get(f"batches/{batch.public_id}/export/") for held in helds]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert not BatchEvent.objects.exists()


def test_export_in_words_comes_as_lines_or_as_a_table() -> None:
    batch = make_batch(status="open")
    held = notebook(*LAUNCH, sees=[batch.study])
    association = make_association(study=batch.study)
    answer = {str(association.item.public_id): sorted(association.chosen_keys)}
    work = make_assignment(hit=make_hit(batch=batch), status="submitted", answer=answer)
    Lease.objects.create(item=association.item, assignment=work, worker=work.worker, leased_at=NOW)

    def export(**query: str) -> str:
        response: Any = held.get(f"batches/{batch.public_id}/export/", **query)
        return b"".join(response.streaming_content).decode()

    about, row = map(json.loads, export(shape="flat").splitlines())
    header, line = export(shape="flat", kind="csv").removeprefix("\ufeff").splitlines()

    assert (about["about"]["rows"], row["cue"], row["jaccard"]) == ("flat", "cold", 1.0)
    assert header.startswith("worker,hit_number,assignment,row,")
    assert work.worker.pseudonym in line


def test_export_in_words_of_a_task_without_any_is_refused() -> None:
    batch = make_batch(status="open", task="compensation")
    held = notebook(*LAUNCH, sees=[batch.study])

    answers = [
        held.get(f"batches/{batch.public_id}/export/", shape=shape) for shape in ("flat", "other", "raw")
    ]

    assert [answer.status_code for answer in answers] == [409, 400, 200]
    assert batch.events.filter(kind="exported").count() == 1
