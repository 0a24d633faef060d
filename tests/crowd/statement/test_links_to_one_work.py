"""The link in the provider's feedback opens one piece of work, to read and to ask about, and nothing else."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from crowd.statement.statement_links import WORK_LASTS, address_of_work
from hits.review.models import Appeal
from hits.work.models.assignments import Assignment
from tests.factories import make_assignment, make_batch, make_hit
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def work() -> Assignment:
    now = timezone.now()
    hit = make_hit(batch=make_batch(title="The refused one", status="open"))
    return make_assignment(hit=hit, status="rejected", submitted_at=now, rejected_at=now)


@pytest.fixture
def other(work: Assignment) -> Assignment:
    """Another piece of work of the same worker."""
    batch = make_batch(title="Another one", status="open", account=work.account, study=work.hit.batch.study)
    now = timezone.now()
    return make_assignment(
        hit=make_hit(batch=batch), worker=work.worker, status="approved", submitted_at=now, approved_at=now
    )


def path(work: Assignment, rest: str = "") -> str:
    return urlsplit(address_of_work(work)).path + rest


def asked() -> list[Any]:
    return list(Appeal.objects.values_list("assignment", "text"))


def test_link_shows_its_work_with_the_box_to_ask_and_no_other(
    client: Client, work: Assignment, other: Assignment
) -> None:
    page = client.get(path(work))

    said = text_of(page)
    assert page.status_code == 200
    assert "The refused one" in said
    assert "Another one" not in said
    assert "answers on this page" in said
    assert "no message is sent" in said
    assert "<details open>" in page.content.decode()
    assert "Where you stand" not in said


def test_link_has_a_head_that_leads_back_to_the_platform_and_counts_no_pieces(
    client: Client, work: Assignment
) -> None:
    work.account.worker_site = "https://market.example.org"
    work.account.save(update_fields=["worker_site"])

    page = client.get(path(work))

    assert '<a href="https://market.example.org" rel="noreferrer">' in page.content.decode()
    assert "Back to the platform" in text_of(page)
    assert "1 piece" not in text_of(page)


def test_question_is_asked_by_the_link(client: Client, work: Assignment) -> None:
    answered = client.post(path(work, f"ask/{work.public_id}/"), {"text": "I picked the right two."})

    assert answered.status_code == 302
    assert asked() == [(work.pk, "I picked the right two.")]
    assert "I picked the right two." in text_of(client.get(answered["Location"]))


@pytest.mark.parametrize("rest", ["standing/", "consent/", "work/{other}/"])
def test_link_opens_nothing_else_of_its_worker(
    client: Client, work: Assignment, other: Assignment, rest: str
) -> None:
    page = client.get(path(work, rest.format(other=other.public_id)))

    assert page.status_code == 403
    assert "Another one" not in text_of(page)


def test_link_neither_asks_about_other_work_nor_takes_a_question_back(
    client: Client, work: Assignment, other: Assignment
) -> None:
    client.post(path(other, f"ask/{other.public_id}/"), {"text": "Is that all?"})
    appeal = Appeal.objects.get()

    answers = [
        client.post(path(work, f"ask/{other.public_id}/"), {"text": "Give me more."}),
        client.post(path(work, f"take-back/{appeal.public_id}/")),
    ]

    appeal.refresh_from_db()
    assert [answer.status_code for answer in answers] == [403, 403]
    assert (asked(), appeal.status) == ([(other.pk, "Is that all?")], Appeal.Status.OPEN)


def test_link_ends_a_month_after_the_last_day_to_ask(client: Client, work: Assignment) -> None:
    ends = [timezone.now() - WORK_LASTS + timedelta(minutes=minutes) for minutes in (5, -5)]

    codes = []
    for submitted_at in ends:
        work.submitted_at = submitted_at
        codes.append(client.get(path(work)).status_code)

    assert codes == [200, 410]
