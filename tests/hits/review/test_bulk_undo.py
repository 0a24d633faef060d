"""What was decided in one go is undone in one go, until it is sent."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from hits.identity.models.users import User
from hits.review.services import reviewing
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from tests.hits.review.test_review_pages import LIST, make_reviewer, make_works
from tests.pages import text_of

pytestmark = pytest.mark.django_db
DECIDED = "/admin/hits/assignment/decided/"
ON_ITS_WAY, UNDONE = Decision.Status.INTENDED, Decision.Status.UNDONE


@pytest.fixture
def works() -> list[Assignment]:
    return make_works(count=4)


@pytest.fixture
def reviewer(works: list[Assignment], client: Client) -> User:
    user = make_reviewer(study=works[0].hit.batch.study)
    client.force_login(user)
    return user


def approve(client: Client, works: list[Assignment]) -> Any:
    chosen = {"action": "approve", "_selected_action": [work.pk for work in works], "confirmed": "yes"}
    return client.post(LIST, chosen, follow=True)


def undo(client: Client, page: Any) -> str:
    return text_of(client.post(f"{DECIDED}undo/?{page.request['QUERY_STRING']}", follow=True))


def test_decisions_of_one_confirmation_are_undone_together(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    alone = reviewing.decide(assignment=works[3], kind="approve", by=reviewer, now=timezone.now())
    page = approve(client, works[:3])
    undone = undo(client, page)

    assert "Undo: 3 approvals" in text_of(page)
    assert "Undone: 3 approvals. Nothing of them was sent." in undone
    assert "Nothing of it can be undone here any more" in undone
    assert [row.status for row in Decision.objects.exclude(pk=alone.pk)] == [UNDONE] * 3
    assert Decision.objects.get(pk=alone.pk).status == ON_ITS_WAY


def test_decisions_together_are_sent_later_than_one(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    approve(client, works)

    assert {row.send_at - row.made_at for row in Decision.objects.all()} == {timedelta(minutes=1)}


def test_what_is_being_sent_is_not_undone(client: Client, reviewer: User, works: list[Assignment]) -> None:
    page = approve(client, works[:3])
    first = Decision.objects.order_by("pk")[0]
    Decision.objects.filter(pk=first.pk).update(claimed_at=timezone.now())

    some, none = undo(client, page), undo(client, page)

    assert "Undone: 2 approvals." in some
    assert "<strong>1</strong> of these decisions has been sent already and cannot be undone." in some
    assert "All of it has been sent or undone already. Nothing was changed." in none
    first.refresh_from_db()
    assert first.status == ON_ITS_WAY


def test_rejections_that_wait_for_a_second_person_are_undone_too(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    study = works[0].hit.batch.study
    study.rejections_a_day = 1
    study.save()
    now = timezone.now()
    reviewing.decide_all(assignments=works, kind="reject", reason="Random.", by=reviewer, now=now)

    page = client.get(DECIDED, {"at": now.isoformat()})
    undo(client, page)

    assert "<strong>3</strong> rejections wait for a second person" in text_of(page)
    assert [row.status for row in Decision.objects.all()] == [UNDONE] * 4


def test_nobody_undoes_what_a_colleague_decided(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    page = approve(client, works)
    client.force_login(make_reviewer(study=works[0].hit.batch.study))

    assert "Nothing was changed" in undo(client, page)
    assert {row.status for row in Decision.objects.all()} == {ON_ITS_WAY}


def test_who_may_only_look_has_no_such_page(client: Client, reviewer: User, works: list[Assignment]) -> None:
    page = approve(client, works)
    client.force_login(make_reviewer("view_assignment", study=works[0].hit.batch.study))

    asked = [client.get(DECIDED, {"at": timezone.now().isoformat()}), client.post(f"{DECIDED}undo/")]

    assert [answer.status_code for answer in asked] == [403, 403]
    assert "Undo: 4 approvals" in text_of(page)
    assert {row.status for row in Decision.objects.all()} == {ON_ITS_WAY}


@pytest.mark.parametrize("at", ["", "x", "2026-13-01T00:00:00+00:00", "2026-01-01T00:00:00"])
def test_page_of_no_moment_is_not_there(client: Client, reviewer: User, at: str) -> None:
    assert client.get(DECIDED, {"at": at}).status_code == 404
