"""Heartbeats of the work page over HTTP: whose are believed, and what is never counted."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crowd.frame import heartbeat
from crowd.frame.visit_authentication import write_token
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.factories import make_assignment, make_batch, make_hit

pytestmark = pytest.mark.django_db
SITE = "http://localhost:8000/submit"


@pytest.fixture
def work() -> Assignment:
    now = timezone.now()
    return make_assignment(opened_at=now, accepted_at=now, deadline_at=now + timedelta(minutes=15))


def token_of(work: Assignment) -> str:
    return write_token(assignment=work, submit_to=SITE)


def send(client: Client, hit: HIT, token: str) -> Any:
    return client.post(f"/q/{hit.public_id}/beat/", {"token": token})


def counted(work: Assignment) -> tuple[int | None, datetime | None]:
    work.refresh_from_db()
    return work.active_s, work.beat_at


def test_beat_starts_and_then_counts(client: Client, work: Assignment) -> None:
    first = send(client, work.hit, token_of(work))
    started = counted(work)[0]
    Assignment.objects.update(
        beat_at=timezone.now() - timedelta(seconds=15), opened_at=work.opened_at - timedelta(minutes=1)
    )
    second = send(client, work.hit, token_of(work))

    assert (first.status_code, second.status_code) == (204, 204)
    assert (started, counted(work)[0]) == (0, 15)


def test_beat_answers_with_nothing_at_all(client: Client, work: Assignment) -> None:
    answer = send(client, work.hit, token_of(work))

    assert (answer.content, dict(answer.cookies)) == (b"", {})
    assert "no-store" in answer["Cache-Control"]


def test_beat_needs_no_csrf_token(work: Assignment) -> None:
    answer = send(Client(enforce_csrf_checks=True), work.hit, token_of(work))

    assert (answer.status_code, counted(work)[0]) == (204, 0)


def test_beat_is_three_queries(client: Client, work: Assignment, django_assert_num_queries: Any) -> None:
    token = token_of(work)

    with django_assert_num_queries(3):
        send(client, work.hit, token)


@pytest.mark.parametrize(
    "token",
    ["", "nonsense", "a:b:c", "\0", "x" * 3000],
    ids=lambda token: f"{len(token)} characters {token[:3]!r}",
)
def test_beat_of_a_wrong_token_is_refused(client: Client, work: Assignment, token: str) -> None:
    answer = send(client, work.hit, token)

    assert (answer.status_code, answer.content, counted(work)) == (400, b"", (None, None))


def test_beat_with_a_token_of_another_hit_is_refused(client: Client, work: Assignment) -> None:
    other = make_hit(batch=make_batch(status="open"))

    answer = send(client, other, token_of(work))

    assert (answer.status_code, counted(work)) == (403, (None, None))


def test_beat_after_the_deadline_is_refused(client: Client, work: Assignment) -> None:
    work.deadline_at = timezone.now() - timedelta(seconds=1)
    work.save()

    answer = send(client, work.hit, token_of(work))

    assert (answer.status_code, counted(work)) == (410, (None, None))


def test_beat_of_a_hit_that_does_not_exist_is_refused(client: Client, work: Assignment) -> None:
    token = token_of(work)

    answer = client.post("/q/7c4c4b53-7b2f-4c2e-8f0c-6d7a3f1d9f10/beat/", {"token": token})

    assert (answer.status_code, counted(work)) == (404, (None, None))


def test_beat_after_the_answer_was_saved_counts_nothing(client: Client, work: Assignment) -> None:
    began = timezone.now() - timedelta(seconds=20)
    Assignment.objects.update(status="saved", answer={}, active_s=7, beat_at=began)

    answer = send(client, work.hit, token_of(work))

    assert (answer.status_code, counted(work)) == (204, (7, began))


def test_beats_in_haste_are_refused_and_count_nothing(
    client: Client, work: Assignment, monkeypatch: Any
) -> None:
    monkeypatch.setattr(heartbeat, "WINDOW_S", 3600)
    token = token_of(work)

    statuses = [send(client, work.hit, token).status_code for _ in range(heartbeat.MOST_BEATS + 2)]

    assert statuses.count(204) in (
        heartbeat.MOST_BEATS,
        heartbeat.MOST_BEATS + 2,
    )  # an hour may end in between
    assert counted(work)[0] is not None
    assert (counted(work)[0] or 0) <= (timezone.now() - work.opened_at).total_seconds()


def test_beat_of_one_worker_takes_no_other_workers_beats(
    client: Client, work: Assignment, monkeypatch: Any
) -> None:
    monkeypatch.setattr(heartbeat, "MOST_BEATS", 0)
    refused = send(client, work.hit, token_of(work)).status_code
    monkeypatch.setattr(heartbeat, "MOST_BEATS", 1)
    other = make_assignment(hit=work.hit, deadline_at=work.deadline_at)

    accepted = send(client, work.hit, token_of(other)).status_code

    assert (refused, accepted, counted(work)) == (429, 204, (None, None))


def test_beat_that_is_large_is_not_read(client: Client, work: Assignment) -> None:
    answer = send(client, work.hit, token_of(work) + "x" * heartbeat.MOST_BYTES)

    assert (answer.status_code, counted(work)) == (413, (None, None))


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_beat_is_a_post(client: Client, work: Assignment, method: str) -> None:
    answer = getattr(client, method)(f"/q/{work.hit.public_id}/beat/")

    assert (answer.status_code, counted(work)) == (405, (None, None))
