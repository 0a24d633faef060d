"""Decisions by a rule: the page shows what is then decided, and nothing else is."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from hits.identity.models.users import User
from hits.review.queries import rule_matches
from hits.review.services import reviewing
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from scoring.models import Score
from tests.factories import make_batch, make_study, make_user
from tests.hits.review.test_review_pages import make_reviewer, make_works
from tests.pages import text_of

pytestmark = pytest.mark.django_db
RULE = "/admin/hits/assignment/by-rule/"
CSV = "/admin/hits/assignment/by-rule.csv"
UNDO = "/admin/hits/assignment/decided/undo/"
ON_ITS_WAY, UNDONE, WAITING = Decision.Status.INTENDED, Decision.Status.UNDONE, Decision.Status.WAITING


def give_score(work: Assignment, in_percent: int, *, measure: str = "jaccard") -> None:
    item = work.leases.get().item
    Score.objects.create(
        assignment=work,
        item=item,
        measure=measure,
        numerator=in_percent,
        denominator=100,
        scored_at=timezone.now(),
    )


@pytest.fixture
def works() -> list[Assignment]:
    """Five works of growing time: 10 to 50 seconds, with scores of 100, 80, 79, 50 and none."""
    batch = make_batch(status="open", review_by="hand", reward=Decimal("0.30"))
    works = make_works(count=5, batch=batch)
    for number, work in enumerate(works, 1):
        Assignment.objects.filter(pk=work.pk).update(worked_s=10 * number)
    for work, score in zip(works, (100, 80, 79, 50), strict=False):
        give_score(work, score)
    return works


@pytest.fixture
def reviewer(works: list[Assignment], client: Client) -> User:
    user = make_reviewer(study=works[0].hit.batch.study)
    client.force_login(user)
    return user


def rule(works: list[Assignment], **bounds: Any) -> dict[str, Any]:
    return {"asked": "yes", "batch": works[0].hit.batch_id, "kind": "approve", **bounds}


def shown(client: Client, asked: dict[str, Any]) -> list[int]:
    """Keys of the works that the page would decide on."""
    page = client.get(RULE, asked)
    (works,) = [value for name, value in page.context["hidden"] if name == "works"]
    return [int(key) for key in works.split(",") if key]


def confirm(client: Client, asked: dict[str, Any], keys: list[int]) -> Any:
    sent = {**asked, "works": ",".join(map(str, keys)), "confirmed": "yes"}
    return client.post(RULE, sent, follow=True)


def decided() -> set[int]:
    return set(Decision.objects.values_list("assignment", flat=True))


@pytest.mark.parametrize(
    ("bounds", "places"),
    [
        ({}, [0, 1, 2, 3, 4]),
        ({"score_from": "80"}, [0, 1]),
        ({"score_from": "79.5"}, [0, 1]),
        ({"score_to": "79"}, [2, 3]),
        ({"score_from": "0"}, [0, 1, 2, 3]),
        ({"time_from": "20", "time_to": "40"}, [1, 2, 3]),
        ({"score_from": "60", "time_from": "20"}, [1, 2]),
        ({"measure": "jaccard", "score_from": "80"}, [0, 1]),
    ],
)
def test_what_is_shown_is_what_is_decided(
    client: Client, reviewer: User, works: list[Assignment], bounds: dict[str, str], places: list[int]
) -> None:
    asked = rule(works, **bounds)
    keys = shown(client, asked)
    before = decided()
    confirm(client, asked, keys)

    assert keys == [works[place].pk for place in places]
    assert before == set()
    assert decided() == set(keys)
    assert {(row.kind, row.status, row.by) for row in Decision.objects.all()} == {
        ("approve", ON_ITS_WAY, reviewer)
    }


def test_every_score_counts_unless_one_is_named(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    give_score(works[0], 10, measure="fool")

    assert shown(client, rule(works, score_from="80")) == [works[1].pk]
    assert shown(client, rule(works, score_from="80", measure="jaccard")) == [works[0].pk, works[1].pk]


def test_page_says_how_many_and_what_they_are_paid(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    page = text_of(client.get(RULE, rule(works, score_from="80")))

    assert "2 of 5 works that wait for a decision meet the rule" in page.replace("<strong>", "").replace(
        "</strong>", ""
    )
    assert "$0.60" in page
    assert "undone together for 60 s" in page
    assert "Approve: 2" in page


def test_work_that_meets_the_rule_and_was_decided_on_before_is_named_as_left_out(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    now = timezone.now()
    for work in works[1:4]:
        made = reviewing.decide(assignment=work, kind="approve", by=reviewer, now=now)
        reviewing.undo(decision=made, by=reviewer, now=now)
    reviewing.add_note(assignment=works[0], text="Odd.", by=reviewer, now=now)
    asked = rule(works, score_from="79")
    undone = "2 were decided on before, and that was undone or refused"
    others = "1 is left out for lost answers, notes or refusals by the provider"
    words = f"3 more meet the bounds, and are left out for a person to look at: {undone}; {others}."

    looked = text_of(client.get(RULE, asked))
    give_score(works[4], 90)
    done = text_of(confirm(client, asked, [works[4].pk]))
    all_of_it = text_of(client.get(RULE, {**asked, "flagged": "on"}))

    assert words in looked
    assert words in done
    assert "left out for a person" not in all_of_it


def test_flagged_work_is_left_to_a_person(client: Client, reviewer: User, works: list[Assignment]) -> None:
    now = timezone.now()
    Assignment.objects.filter(pk=works[0].pk).update(answer=None)
    Assignment.objects.filter(pk=works[1].pk).update(problem="It was refused.")
    reviewing.add_note(assignment=works[2], text="Odd.", by=reviewer, now=now)
    made = reviewing.decide(assignment=works[3], kind="approve", by=reviewer, now=now)
    reviewing.undo(decision=made, by=reviewer, now=now)

    assert shown(client, rule(works)) == [works[4].pk]
    assert len(shown(client, rule(works, flagged="on"))) == 5


def test_work_that_changed_meanwhile_is_left_and_told(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    asked = rule(works, score_from="60")
    keys = shown(client, asked)
    reviewing.decide(assignment=works[0], kind="keep_out", by=make_user(), now=timezone.now())
    Score.objects.filter(assignment=works[1]).update(numerator=10)
    give_score(works[4], 100)

    page = confirm(client, asked, keys)

    assert "1 decided. 2 works had changed since you looked, and were left." in text_of(page)
    assert decided() == {works[0].pk, works[2].pk}
    assert Decision.objects.get(assignment=works[0]).kind == "keep_out"


def test_sent_twice_decides_once(client: Client, reviewer: User, works: list[Assignment]) -> None:
    asked = rule(works, score_from="80")
    keys = shown(client, asked)

    confirm(client, asked, keys)
    again = confirm(client, asked, keys)

    assert "Nothing was decided. 2 works had changed since you looked" in text_of(again)
    assert Decision.objects.count() == 2


def test_works_that_were_not_shown_are_not_decided_on(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    elsewhere = make_works(count=1)[0]

    confirm(client, rule(works), [works[4].pk, elsewhere.pk])

    assert decided() == {works[4].pk}


def test_rejections_beyond_the_days_number_wait_for_a_second_person(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    Study.objects.update(rejections_a_day=1)
    asked = rule(works, kind="reject", score_to="80", reason="Random answers.")
    keys = shown(client, asked)
    page = text_of(client.get(RULE, asked))
    done = confirm(client, asked, keys)

    assert "You may reject <strong>1</strong> of them alone today. <strong>2</strong> wait" in page
    assert "1 decided, 2 waiting for a second person" in text_of(done)
    made = Decision.objects.order_by("pk").values_list("status", "reason")
    assert list(made) == [(ON_ITS_WAY, "Random answers."), *[(WAITING, "Random answers.")] * 2]


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        ({"kind": "reject", "score_to": "10"}, "Say why"),
        ({"kind": "reject", "reason": "Random."}, "Name a bound"),
        ({"score_from": "80", "score_to": "70"}, "It is lower than the bound before it."),
        ({"score_from": "101"}, "less than or equal to 100"),
        ({"time_from": "many"}, "Enter a whole number"),
        ({"batch": "0"}, "Select a valid choice"),
    ],
)
def test_rule_that_cannot_be_meant_decides_nothing(
    client: Client, reviewer: User, works: list[Assignment], bounds: dict[str, str], problem: str
) -> None:
    asked = rule(works, **bounds)

    page, done = client.get(RULE, asked), confirm(client, asked, [work.pk for work in works])

    assert problem in text_of(page)
    assert problem in text_of(done)
    assert decided() == set()
    assert client.get(CSV, asked).status_code == 404


def test_rule_needs_the_permission_and_the_study(client: Client, works: list[Assignment]) -> None:
    asked = rule(works)
    keys = [work.pk for work in works]
    client.force_login(make_reviewer("view_assignment", study=works[0].hit.batch.study))
    looker = [client.get(RULE).status_code, client.get(CSV, asked).status_code, confirm(client, asked, keys)]
    client.force_login(make_reviewer(study=make_study()))
    stranger = confirm(client, asked, keys)

    assert (looker[0], looker[1], looker[2].status_code) == (403, 403, 403)
    assert "Select a valid choice" in text_of(stranger)
    assert decided() == set()


def test_no_more_than_the_limit_at_once(
    client: Client, reviewer: User, works: list[Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_matches, "MOST_AT_ONCE", 2)
    asked = rule(works)
    keys = shown(client, asked)
    page = text_of(client.get(RULE, asked))

    assert keys == [works[0].pk, works[1].pk]
    assert "3 more meet the rule" in page


def test_csv_has_every_work_that_meets_the_rule(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    answer = client.get(CSV, rule(works, score_from="80"))
    lines = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()  # type: ignore[attr-defined]

    assert lines == [
        "work,worker,active_s,jaccard",
        f"{works[0].public_id},{works[0].worker.pseudonym},10,1.0",
        f"{works[1].public_id},{works[1].worker.pseudonym},20,0.8",
    ]


def test_batches_say_how_many_wait_and_those_with_none_come_last(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    batch = works[0].hit.batch
    done = make_batch(study=batch.study, status="complete", title="Done")

    choices = client.get(RULE).context["form"].fields["batch"].choices

    named = f"({batch.pk}), 5 wait: {batch.study}", f"Done ({done.pk}), none waits: {batch.study}"
    assert [words.endswith(end) for (_, words), end in zip(choices, named, strict=True)] == [True, True]


def test_rule_opened_from_a_work_is_about_its_batch(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    batch = works[0].hit.batch

    page = client.get(reverse("admin:hits_assignment_review"), {"study": batch.study_id})

    assert f'href="{RULE}?batch={batch.pk}"' in page.content.decode()


def test_rule_asks_as_often_for_many(client: Client, reviewer: User, works: list[Assignment]) -> None:
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            client.get(RULE, rule(works))
        counts.append(len(queries))
        make_works(count=5, batch=Batch.objects.get(pk=works[0].hit.batch_id))

    assert counts[0] == counts[1]
    assert counts[0] <= 12


def test_decisions_by_a_rule_are_undone_together(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    asked = rule(works, score_from="60")
    page = confirm(client, asked, shown(client, asked))
    client.post(f"{UNDO}?{page.request['QUERY_STRING']}")

    assert "Undo: 3 approvals" in text_of(page)
    assert [row.status for row in Decision.objects.all()] == [UNDONE] * 3
