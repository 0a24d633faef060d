"""Reading the bonus table again on today's scores takes the right, a look at the difference, a reason."""

from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import ROLES
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual, recalculation
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study
from tests.hits.payments.test_accrual import EACH, MEAN, everything, make_work, owed, record, rescore
from tests.hits.review.test_reviewing_races import AT_ONCE
from tests.pages import text_of
from tests.people import make_member
from tests.races import all_at_once

pytestmark = pytest.mark.django_db
WHY = "A key was wrong."


def make_rescored(works: int = 2) -> Batch:
    """Make works that were owed ten cents for one of two, where today's scores say two of two."""
    first = make_work("1", "1/2", table=[EACH, MEAN])
    batch = first.hit.batch
    for _ in range(works - 1):
        make_work("1", "1/2", hit=make_hit(batch=batch, status="closed"))
    accrual.owe_bonuses(now=NOW)
    rescore("1")
    return batch


def make_preparer(batch: Batch, role: str = "payments preparer") -> User:
    return make_member(role, batch.study)


def address(batch: Batch, work: Assignment | None = None) -> str:
    return reverse("admin:hits_owe_again", args=[batch.pk]) + (f"?work={work.pk}" if work else "")


def owe(batch: Batch, *, by: User | None = None, **changes: Any) -> list[Bonus]:
    given: dict[str, Any] = {"seen": (4, Decimal("0.30")), "why": WHY, **changes}
    return recalculation.owe_lacking(batch=batch, by=by or make_preparer(batch), now=NOW, **given)


def test_difference_is_shown_and_nothing_is_written() -> None:
    batch = make_rescored()
    before = everything()

    found = recalculation.look_at(batch=batch, now=NOW).bonuses

    assert [(bonus.rule, bonus.amount) for bonus in found] == [
        ("each", Decimal("0.10")),
        ("mean", Decimal("0.05")),
    ] * 2
    assert everything() == before


def test_what_was_seen_is_owed_with_the_reason_and_on_record() -> None:
    batch = make_rescored()
    by = make_preparer(batch)

    made = owe(batch, by=by)

    assert [bonus.why for bonus in made] == [WHY] * 4
    assert {bonus.status for bonus in Bonus.objects.all()} == {Bonus.Status.OWED}
    event = AuditEvent.objects.get(kind="bonus.owed_again")
    assert (event.by, event.study) == (by, batch.study)
    assert event.words == f"Owed $0.30 more (4) in batch {batch.public_id}, by today's scores: {WHY}"
    assert recalculation.look_at(batch=batch, now=NOW).bonuses == []


def test_one_submission_is_owed_without_the_others() -> None:
    batch = make_rescored()
    first, second = Assignment.objects.order_by("pk")

    owe(batch, work=first.pk, seen=(2, Decimal("0.15")))

    assert (len(owed(first)), len(owed(second))) == (3, 1)


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("changed_meanwhile", {"seen": (4, Decimal("0.29"))}),
        ("changed_meanwhile", {"seen": (3, Decimal("0.30"))}),
        ("bad_text", {"why": " "}),
        ("nothing_lacking", {"work": 0}),
        ("over_budget", {"budget": Decimal("0.01")}),
        ("not_allowed", {"role": "payments approver"}),
    ],
)
def test_owing_what_is_lacking_refused_changes_nothing(code: str, changes: dict[str, Any]) -> None:
    batch = make_rescored()
    by = make_preparer(batch, changes.pop("role", "payments preparer"))
    Study.objects.filter(pk=batch.study_id).update(budget=changes.pop("budget", Decimal(1000)))
    before = everything()

    with pytest.raises(RuleBroken) as refusal:
        owe(batch, by=by, **changes)

    assert (refusal.value.code, everything()) == (code, before)


def test_work_of_another_study_or_batch_is_not_owed() -> None:
    batch, other = make_rescored(), make_batch(status="open")
    stranger = make_preparer(other)
    before = everything()

    refused = []
    for where, by in ((batch, stranger), (other, stranger)):
        with pytest.raises(RuleBroken) as refusal:
            owe(where, by=by, work=Assignment.objects.order_by("pk")[0].pk)
        refused.append(refusal.value.code)

    assert (refused, everything()) == (["not_allowed", "nothing_lacking"], before)


def test_more_than_one_look_compares_is_left_for_the_next(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalculation, "MOST", 2)
    batch = make_rescored(works=3)
    by = make_preparer(batch)
    client.force_login(by)
    second = Assignment.objects.order_by("pk")[1]
    following = f"{address(batch)}?after={second.pk}"

    page = text_of(client.get(address(batch)))
    owe(batch, by=by)
    again = text_of(client.get(address(batch)))
    last = text_of(client.get(following))
    client.post(following, {"count": "2", "total": "0.15", "why": WHY})

    assert ("Owe 4 bonuses" in page, f"?after={second.pk}" in page) == (True, True)
    assert ("Nothing more is owed for these." in again, f"?after={second.pk}" in again) == (True, True)
    assert ("Owe 2 bonuses" in last, "No others follow." in last) == (True, True)
    assert Bonus.objects.filter(why=WHY).count() == 6


def test_price_of_looking_does_not_grow_with_the_work() -> None:
    batch = make_rescored(works=3)
    with CaptureQueriesContext(connection) as few:
        recalculation.look_at(batch=batch, now=NOW)
    for _ in range(30):
        work = make_assignment(
            hit=make_hit(batch=batch, status="closed"), status="approved", judged_at=NOW, owed_at=NOW
        )
        record(work, "1")
    batch = Batch.objects.get(pk=batch.pk)

    with CaptureQueriesContext(connection) as many:
        recalculation.look_at(batch=batch, now=NOW)

    assert len(many) <= len(few) + 1


@pytest.mark.django_db(transaction=True)
def test_clicks_at_one_instant_owe_what_is_lacking_once() -> None:
    batch = make_rescored()
    people = [make_preparer(batch) for _ in range(AT_ONCE)]

    outcomes = all_at_once(*(lambda by=by: len(owe(Batch.objects.get(), by=by)) for by in people))

    assert Counter(outcomes) == {4: 1, "nothing_lacking": AT_ONCE - 1}


def test_page_shows_the_difference_and_owes_it(client: Client) -> None:
    batch = make_rescored()
    client.force_login(make_preparer(batch))

    page = text_of(client.get(address(batch)))
    answer = client.post(address(batch), {"count": "4", "total": "0.30", "why": WHY})

    assert ("Owe 4 bonuses" in page, "<strong>$0.30</strong>" in page) == (True, True)
    assert (answer.status_code, Bonus.objects.filter(why=WHY).count()) == (302, 4)


def test_page_that_is_stale_keeps_the_reason_and_owes_nothing(client: Client) -> None:
    batch = make_rescored()
    client.force_login(make_preparer(batch))
    before = everything()

    answer = client.post(address(batch), {"count": "1", "total": "junk", "why": "<b>why</b>"})

    assert (answer.status_code, everything()) == (409, before)
    assert "&lt;b&gt;why&lt;/b&gt;" in text_of(answer)


@pytest.mark.parametrize("role", [*ROLES])
def test_page_is_for_who_prepares_runs(client: Client, role: str) -> None:
    batch = make_rescored()
    client.force_login(make_preparer(batch, role))
    before = everything()

    seen = client.get(address(batch)).status_code
    answer = client.post(address(batch), {"count": "4", "total": "0.30", "why": WHY}).status_code

    allowed = "hits.prepare_run" in ROLES[role]
    assert (seen, answer) == ((200, 302) if allowed else (403, 403))
    assert (everything() != before) == allowed


def test_page_of_a_hidden_study_does_not_exist(client: Client) -> None:
    batch = make_rescored()
    client.force_login(make_preparer(make_batch(study=make_study())))

    assert client.get(address(batch)).status_code == 404
