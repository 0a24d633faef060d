"""The review pages: who may review, what the pages show, and where a decision leads."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from hits.admin.home.waiting import waiting_for
from hits.admin.review.review_pages import words_of
from hits.identity.models.users import User
from hits.review.services import reviewing
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note
from hits.work.services import leasing
from tests.factories import (
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_study,
    make_user,
)
from tests.pages import text_of
from tests.people import make_permitted

pytestmark = pytest.mark.django_db
REVIEW = "/admin/hits/assignment/review/"
LIST = "/admin/hits/assignment/"
Status = Decision.Status


def make_reviewer(*permissions: str, study: Study | None = None) -> User:
    names = permissions or ("review_assignment", "view_assignment")
    return make_permitted(*names, studies=[study] if study else [])


def make_works(*, count: int, batch: Batch | None = None, **changes: Any) -> list[Assignment]:
    """Make submitted answers to one association, an hour old."""
    batch = batch or make_batch(status="open", review_by="hand")
    association = make_association(study=batch.study)
    item = association.item
    item.wanted = count + 1
    item.save()
    picks = sorted(association.chosen_keys)
    now = timezone.now()
    made = []
    for _ in range(count):
        work = make_assignment(hit=make_hit(batch=batch), deadline_at=now + timedelta(hours=1))
        leasing.lease_items(assignment=work, now=now)
        leasing.save_answer(assignment=work, answer={str(item.public_id): picks}, now=now)
        values = {"status": "submitted", "submitted_at": now - timedelta(hours=1), "worked_s": 60, **changes}
        Assignment.objects.filter(pk=work.pk).update(**values)
        made.append(Assignment.objects.get(pk=work.pk))
    return made


@pytest.fixture
def works() -> list[Assignment]:
    return make_works(count=3)


@pytest.fixture
def reviewer(works: list[Assignment], client: Client) -> User:
    user = make_reviewer(study=works[0].hit.batch.study)
    client.force_login(user)
    return user


def address(name: str, pk: int, query: str = "") -> str:
    return reverse(f"admin:hits_assignment_{name}", args=[pk]) + query


def text(page: Any) -> str:
    return text_of(page)


def test_review_shows_the_first_with_its_place(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    page = client.get(REVIEW)

    assert page.context["assignment"] == works[0]
    assert "1 of 3" in text(page)
    assert "picked, belongs to the word" in text(page)
    assert "approves itself in" in text(page)
    assert works[0].worker.pseudonym in text(page)
    assert works[0].worker.external_id not in text(page)


def test_pictures_that_the_worker_missed_are_marked(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    [(field, picks)] = (works[0].answer or {}).items()
    Assignment.objects.filter(pk=works[0].pk).update(answer={field: picks[:1]})

    page = client.get(REVIEW, {"at": works[0].pk})

    assert text(page).count("✓ picked, belongs to the word") == 1
    assert text(page).count("– missed, belongs to the word") == len(picks) - 1
    assert page.content.decode().count("picture missed") == len(picks) - 1


def test_pages_of_a_work_show_the_workers_other_works_and_approval_rate(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    for work, status in zip(works[1:], ("approved", "rejected"), strict=True):
        Assignment.objects.filter(pk=work.pk).update(worker=works[0].worker, status=status)
    foreign = make_assignment(worker=works[0].worker, status="submitted", submitted_at=timezone.now())

    pages = [client.get(REVIEW, {"at": works[0].pk}), client.get(address("work", works[0].pk))]

    for page in pages:
        assert [other.work.status for other in page.context["others"]] == ["rejected", "approved"]
        assert "Approval rate: 50 % of 2" in text(page)
        assert address("work", works[1].pk) in text(page)
        assert address("work", foreign.pk) not in text(page)


def test_review_goes_to_and_fro(client: Client, reviewer: User, works: list[Assignment]) -> None:
    page = client.get(REVIEW, {"at": works[1].pk})

    assert (page.context["place"], page.context["assignment"].listed) == (2, 3)
    assert f"at={works[0].pk}" in text(page)
    assert f"at={works[2].pk}" in text(page)


def test_review_orders_by_what_approves_itself_soonest(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    now = timezone.now()
    for work, hours in zip(works, (30, 10, 20), strict=True):
        Assignment.objects.filter(pk=work.pk).update(auto_approves_at=now + timedelta(hours=hours))

    order, at = [], None
    for _ in works:
        query = {"order": "soonest", "at": at} if at else {"order": "soonest"}
        page = client.get(REVIEW, query)
        order.append((page.context["assignment"].pk, page.context["place"]))
        at = page.context["assignment"].next_pk

    assert order == [(works[1].pk, 1), (works[2].pk, 2), (works[0].pk, 3)]
    assert at is None


def test_decision_leads_to_the_next_one_and_can_be_undone(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    url = address("decide", works[0].pk, f"?state=waiting&next={works[1].pk}")

    page = client.post(url, {"kind": "approve"}, follow=True)
    decision = Decision.objects.get()
    made = (decision.kind, decision.status, decision.by)
    client.post(address("undo", decision.pk), follow=True)

    assert page.context["assignment"] == works[1]
    assert page.context["undo"]["pk"] == decision.pk
    assert made == ("approve", Status.INTENDED, reviewer)
    assert Decision.objects.get().status == Status.UNDONE


def test_undo_says_what_it_undoes_and_no_longer_than_it_is_of_use(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    made = reviewing.decide(assignment=works[0], kind="approve", by=reviewer, now=timezone.now())
    now = int(timezone.now().timestamp())

    pages = [client.get(REVIEW, {"undo": made.pk, "until": now + left}) for left in (7, -1, 60)]
    offered = [page.context["undo"] for page in pages]

    assert f"Undo: 1 approval of {works[0].worker}" in text(pages[0])
    assert [bool(one) for one in offered] == [True, False, False]


def test_rejection_without_a_reason_keeps_what_was_typed_and_decides_nothing(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    url = address("decide", works[0].pk)

    empty = client.post(url, {"kind": "reject", "reason": " "})
    endless = client.post(url, {"kind": "reject", "reason": "x" * 1025})

    assert (empty.status_code, endless.status_code) == (409, 409)
    assert "x" * 1025 in text(endless)
    assert not Decision.objects.exists()


def test_rejection_is_one_line_and_its_reason_is_offered_again(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    client.post(address("decide", works[0].pk), {"kind": "reject", "reason": "All\r\nthe first."})

    page = client.get(REVIEW)
    client.post(address("decide", works[1].pk), {"kind": "reject", "reason": "", "saved": "All the first."})

    assert page.context["past"].reasons == ["All the first."]
    assert {row.reason for row in Decision.objects.all()} == {"All the first."}


def test_double_click_says_that_it_was_decided(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    for _ in range(2):
        page = client.post(address("decide", works[0].pk), {"kind": "approve"}, follow=True)

    assert "This work has been decided on already." in text(page)
    assert Decision.objects.count() == 1


@pytest.mark.parametrize("name", ["decide", "note"])
def test_who_may_only_look_cannot_decide(client: Client, works: list[Assignment], name: str) -> None:
    client.force_login(make_reviewer("view_assignment", study=works[0].hit.batch.study))

    page = client.get(REVIEW)
    done = client.post(address(name, works[0].pk), {"kind": "approve", "text": "x"})

    assert (page.status_code, done.status_code) == (200, 403)
    assert 'value="approve"' not in text(page)
    assert (Decision.objects.count(), Note.objects.count()) == (0, 0)


def test_who_is_no_member_sees_nothing(client: Client, works: list[Assignment]) -> None:
    member = works[0].hit.batch.study
    decision = reviewing.decide(
        assignment=works[0], kind="approve", by=make_reviewer(study=member), now=timezone.now()
    )
    client.force_login(make_reviewer("review_assignment", "view_assignment", "second_rejection"))

    queue = client.get(REVIEW, {"at": works[1].pk})
    codes = [
        client.get(address("work", works[1].pk)).status_code,
        client.post(address("decide", works[1].pk), {"kind": "approve"}).status_code,
        client.post(address("note", works[1].pk), {"text": "x"}).status_code,
        client.post(address("undo", decision.pk)).status_code,
        client.post(address("second", decision.pk), {"agree": "yes"}).status_code,
    ]
    listed = client.get(LIST)

    assert queue.context["assignment"] is None
    assert codes == [404] * 5
    assert listed.context["cl"].result_count == 0
    assert Decision.objects.get().status == Status.INTENDED


def test_review_page_needs_a_permission(client: Client, works: list[Assignment]) -> None:
    client.force_login(make_reviewer("view_batch", study=works[0].hit.batch.study))

    assert client.get(REVIEW).status_code == 403


@pytest.mark.parametrize(
    ("state", "changes"),
    [
        ("lost", {"answer": None}),
        ("approved", {"status": "approved"}),
        ("kept_out", {"status": "approved", "kept_out": True}),
        ("rejected", {"status": "rejected"}),
    ],
)
def test_states_show_what_they_name(
    client: Client, reviewer: User, works: list[Assignment], state: str, changes: dict[str, Any]
) -> None:
    Assignment.objects.filter(pk=works[1].pk).update(**changes)

    page = client.get(REVIEW, {"state": state})

    assert page.context["assignment"] == works[1]
    assert page.context["assignment"].listed == 1


def test_filters_by_batch_study_and_worker(client: Client, works: list[Assignment]) -> None:
    client.force_login(make_user(is_superuser=True))
    other = make_works(count=1)[0]
    batch = other.hit.batch

    found = [
        client.get(REVIEW, query).context["assignment"]
        for query in (
            {"batch": batch.pk},
            {"study": batch.study_id},
            {"worker": other.worker.pseudonym},
            {"batch": "x'", "state": "odd", "order": "7", "at": "9" * 40},
        )
    ]

    assert found == [other, other, other, works[0]]


def test_the_work_of_several_workers_is_one_queue(client: Client, works: list[Assignment]) -> None:
    client.force_login(make_user(is_superuser=True))
    first, _, last = works
    names = [first.worker.pseudonym, last.worker.pseudonym]

    of_fields = client.get(REVIEW, {"worker": names})
    of_text = client.get(REVIEW, {"worker": f" {names[1]},  {names[0]} "})

    for page in (of_fields, of_text):
        assert page.context["assignment"] == first
        assert (page.context["assignment"].listed, page.context["assignment"].next_pk) == (2, last.pk)
        assert "2 workers" in text(page)
    onward = client.get(f"{REVIEW}?{of_fields.context['filters']}&at={last.pk}")
    assert (onward.context["assignment"], onward.context["assignment"].listed) == (last, 2)


def test_an_address_names_only_so_many_workers(client: Client, works: list[Assignment]) -> None:
    client.force_login(make_user(is_superuser=True))
    strangers = [f"w-{number:010}" for number in range(100)]

    page = client.get(REVIEW, {"worker": [*strangers, works[0].worker.pseudonym]})

    assert page.context["assignment"] is None


def test_home_counts_what_waits_and_leads_to_it(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    reviewing.decide(assignment=works[0], kind="approve", by=reviewer, now=timezone.now())

    found = [(one.count, one.words, one.url) for one in waiting_for(reviewer, now=timezone.now())]
    led = client.get(found[0][2])

    assert found == [(2, "works to review", f"{REVIEW}?state=waiting")]
    assert led.context["assignment"] == works[1]


def test_empty_queue_says_so(client: Client, reviewer: User) -> None:
    page = client.get(REVIEW, {"state": "rejected"})

    assert page.status_code == 200
    assert "Nothing here" in text(page)
    assert "No work matches what you chose above." in text(page)


def test_end_of_the_queue_is_no_fault_of_what_was_chosen(client: Client) -> None:
    client.force_login(make_reviewer(study=make_study()))

    everything, chosen = (text(client.get(REVIEW, asked)) for asked in ({}, {"study": 1}))

    assert "Nothing waits for a decision any more." in everything
    assert "Nothing of what you chose waits for a decision any more." in chosen


def test_too_fast_is_said_beside_half_of_the_others(client: Client) -> None:
    works = make_works(count=6)
    client.force_login(make_reviewer(study=works[0].hit.batch.study))
    for work, seconds in zip(works, (7, 20, 30, 40, 50, 60), strict=True):
        Assignment.objects.filter(pk=work.pk).update(worked_s=seconds)

    hasty, ordinary = client.get(REVIEW), client.get(REVIEW, {"at": works[5].pk})

    assert "much too fast? 7 seconds; half of the others took 40 seconds or less" in text(hasty)
    assert "1 minute; half of the others took 30 seconds or less" in text(ordinary)
    assert ordinary.context["is_hasty"] is False


def test_few_others_are_no_measure_of_haste(client: Client) -> None:
    works = make_works(count=5)
    client.force_login(make_reviewer(study=works[0].hit.batch.study))
    Assignment.objects.filter(pk=works[0].pk).update(worked_s=7)

    assert "of the others" not in text(client.get(REVIEW))


@pytest.mark.parametrize(("status", "shown"), [("submitted", True), ("approved", False)])
def test_work_says_why_the_provider_does_not_approve_it(
    client: Client, reviewer: User, works: list[Assignment], status: str, shown: bool
) -> None:
    values = {"problem": "There is no such <assignment>.", "approve_at": timezone.now(), "status": status}
    Assignment.objects.filter(pk=works[0].pk).update(**values)

    pages = [client.get(REVIEW, {"at": works[0].pk}), client.get(address("work", works[0].pk))]

    words = "There is no such &lt;assignment&gt;. It is asked again on"
    assert [words in text_of(page) for page in pages] == [shown, shown]


def test_rejected_work_shows_until_when_it_can_be_taken_back(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    now = timezone.now()
    for work, days in zip(works[:2], (1, 31), strict=True):
        Assignment.objects.filter(pk=work.pk).update(
            status="rejected", submitted_at=now - timedelta(days=days)
        )

    fresh = client.get(REVIEW, {"state": "rejected", "at": str(works[0].pk)})
    old = client.get(REVIEW, {"state": "rejected", "at": str(works[1].pk)})

    assert (fresh.context["decisions"], old.context["decisions"]) == ({"override"}, set())
    assert "Approve after all" in text(fresh)
    assert "30 days have passed" in text(old)


def test_second_person_agrees_on_the_page(client: Client, works: list[Assignment]) -> None:
    study = works[0].hit.batch.study
    Study.objects.filter(pk=study.pk).update(rejections_a_day=0)
    first = make_reviewer(study=study)
    names = ("review_assignment", "view_assignment", "second_rejection")
    second, alone = make_reviewer(*names, study=study), make_reviewer(study=study)
    decision = reviewing.decide(
        assignment=works[0], kind="reject", reason="Random", by=first, now=timezone.now()
    )
    url = address("second", decision.pk)

    codes = []
    for user in (alone, second):
        client.force_login(user)
        page = client.get(REVIEW, {"state": "second"})
        codes.append(("Agree: reject it" in text(page), client.post(url, {"agree": "yes"}).status_code))

    assert codes == [(False, 403), (True, 302)]
    decision.refresh_from_db()
    assert (decision.status, decision.second_by) == (Status.INTENDED, second)


def test_note_is_kept_and_shown(client: Client, reviewer: User, works: list[Assignment]) -> None:
    page = client.post(address("note", works[0].pk), {"text": "Ask <them>"}, follow=True)

    assert Note.objects.get().by == reviewer
    assert "Ask &lt;them&gt;" in text(page)


def test_review_asks_a_few_times_and_as_often_for_many(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    counts = []
    for _ in range(2):
        now = timezone.now()
        reviewing.add_note(assignment=works[0], text="Note", by=reviewer, now=now)
        made = reviewing.decide(assignment=works[0], kind="approve", by=reviewer, now=now)
        reviewing.undo(decision=made, by=reviewer, now=now)
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            client.get(REVIEW)
        counts.append(len(queries))
        make_works(count=5, batch=works[0].hit.batch)

    assert counts[0] == counts[1]
    # The last two of them read the batch's times and scores, once a minute.
    assert counts[0] <= 14


# Decisions on many works at once.


def test_bulk_asks_before_it_decides(client: Client, reviewer: User, works: list[Assignment]) -> None:
    reviewing.decide(assignment=works[0], kind="approve", by=make_user(), now=timezone.now())
    chosen = {"action": "reject", "_selected_action": [work.pk for work in works]}

    asked = client.post(LIST, chosen)
    before = Decision.objects.count()
    done = client.post(LIST, {**chosen, "confirmed": "yes", "reason": "Random"}, follow=True)

    assert before == 1
    assert "Reject: 3" in text(asked)
    assert "2 decided, 1 had been decided already" in text(done)
    assert Decision.objects.filter(kind="reject", reason="Random").count() == 2


def test_bulk_rejection_without_a_reason_decides_nothing(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    chosen = {"action": "reject", "_selected_action": [works[0].pk], "confirmed": "yes", "reason": ""}

    page = client.post(LIST, chosen)

    assert "Say why" in text(page)
    assert not Decision.objects.exists()


def test_bulk_needs_the_permission(client: Client, works: list[Assignment]) -> None:
    client.force_login(make_reviewer("view_assignment", study=works[0].hit.batch.study))
    chosen = {"action": "approve", "_selected_action": [works[0].pk], "confirmed": "yes"}

    client.post(LIST, chosen)

    assert not Decision.objects.exists()


def test_list_offers_only_studies_that_one_may_see(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    hidden = make_study(name="Somebody else's")
    make_works(count=1, batch=make_batch(study=hidden, status="open"))

    page = client.get(LIST)

    assert "Somebody else" not in text(page)
    assert page.context["cl"].result_count == 3


def test_list_finds_a_pseudonym(client: Client, reviewer: User, works: list[Assignment]) -> None:
    page = client.get(LIST, {"q": works[1].worker.pseudonym})

    assert [row.pk for row in page.context["cl"].result_list] == [works[1].pk]


def test_list_says_why_two_rows_have_one_assignment_id(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    Assignment.objects.filter(pk=works[1].pk).update(status="gone", external_id=works[0].external_id)

    page = text(client.get(LIST))

    assert page.count("the provider gave this id out again after a return") == 2


def test_work_page_shows_rejected_work_after_its_items_were_given_away(
    client: Client, reviewer: User, works: list[Assignment]
) -> None:
    Assignment.objects.filter(pk=works[0].pk).update(status="rejected")
    leasing.release_items(works[0], now=timezone.now())

    page = client.get(address("work", works[0].pk))

    assert "picked, belongs to the word" in text(page)


def test_words_of_names_what_became_of_them() -> None:
    words = words_of({"intended": 38, "decided_already": 2})

    assert words == "38 decided, 2 had been decided already"
