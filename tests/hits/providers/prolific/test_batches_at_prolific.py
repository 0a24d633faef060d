"""A batch at Prolific: one study, whose places our pages fill; what is done to it, and what comes back."""

from datetime import timedelta

import pytest

from hits.batches.services import batch_lifecycle, hit_changes
from hits.core.errors import RuleBroken
from hits.people.services import worker_letters
from hits.review.services import reviewing
from hits.sync.services import push_decisions
from hits.work.models.decisions import Decision
from hits.work.models.hits import HIT
from tests.hits.providers.gateway.at_prolific import LONG
from tests.hits.providers.prolific.house import House

Kind = Decision.Kind


def status_there(house: House, hit: HIT) -> str:
    return str(house.stand_in.world.studies[hit.external_id].status)


def test_a_batch_is_one_study_with_the_places_of_all_its_tasks(house: House) -> None:
    batch = house.launch()

    (hit,) = batch.hits.all()
    assert (hit.max_assignments, hit.status, batch.status) == (6, "open", "open")
    assert status_there(house, hit) == "ACTIVE"


def test_a_pilot_is_a_study_of_its_own(house: House) -> None:
    batch = house.launch(pilot_hits=1)
    assert [(hit.max_assignments, hit.status) for hit in batch.hits.order_by("pk")] == [
        (2, "open"),
        (4, "intended"),
    ]

    batch_lifecycle.release_pilot(batch=batch, by=house.user, now=house.now)
    house.send()

    assert {hit.status for hit in batch.hits.all()} == {"open"}
    assert len({hit.external_id for hit in batch.hits.all()}) == 2


def test_more_tasks_are_a_study_of_their_own(house: House) -> None:
    batch = house.launch(pilot_hits=1)

    batch_lifecycle.add_hits(batch=batch, count=2, by=house.user, now=house.now)

    assert sorted(hit.max_assignments for hit in batch.hits.all()) == [2, 4, 4]
    assert batch.hits.filter(number__lte=1).count() == 1


def test_a_study_made_but_not_heard_of_is_found_again(house: House) -> None:
    house.stand_in.controls.fail(kind="drop_after", method="POST", route="/studies/$")
    batch = house.launch()
    assert [hit.status for hit in batch.hits.all()] == ["intended"]

    HIT.objects.update(claimed_at=None)
    house.send()

    assert [hit.status for hit in batch.hits.all()] == ["open"]
    assert len(house.stand_in.world.studies) == 1


def test_pause_and_resume_pause_and_start_the_study(house: House) -> None:
    batch = house.launch()
    hit = batch.hits.get()

    batch_lifecycle.pause_batch(batch=batch, by=house.user, now=house.now)
    hit_changes.send_changes(now=house.now)
    house.look(hit)
    assert (status_there(house, hit), hit.status) == ("PAUSED", "closed")

    batch_lifecycle.resume_batch(batch=batch, by=house.user, now=house.now)
    house.send()
    hit_changes.send_changes(now=house.now)
    hit.refresh_from_db()
    assert (status_there(house, hit), hit.status) == ("ACTIVE", "open")


def test_more_places_are_asked_for_once_though_no_answer_came(house: House) -> None:
    hit = house.launch().hits.get()
    batch_lifecycle.add_places(hits=HIT.objects.filter(pk=hit.pk), places=3, by=house.user, now=house.now)
    house.stand_in.controls.fail(kind="drop_after", method="PATCH")

    hit_changes.send_changes(now=house.now)
    hit_changes.send_changes(now=house.now)

    hit.refresh_from_db()
    assert hit.max_assignments == house.stand_in.world.studies[hit.external_id].places == 9


def test_we_end_it_when_its_time_to_start_is_over(house: House) -> None:
    hit = house.launch().hits.get()
    assert hit.expires_at is not None
    later = hit.expires_at + timedelta(seconds=1)

    for _ in range(2):
        hit_changes.end_overdue(now=later)
        hit_changes.send_changes(now=later)

    assert status_there(house, hit) == "PAUSED"
    assert hit.changes.filter(kind="expire", status="done").count() == 1


def test_work_that_was_handed_in_is_payable_and_approved_there(house: House) -> None:
    hit = house.launch().hits.get()
    work = house.hand_in(hit)
    assert work.status == "submitted"
    assert work.submitted_at is not None
    assert work.auto_approves_at == work.submitted_at + timedelta(days=21)

    decision = reviewing.decide(assignment=work, kind=Kind.APPROVE, by=house.user, now=house.now)
    push_decisions.send_decisions(now=decision.send_at)

    assert house.provider.get_assignment(work.external_id).status == "Approved"


def test_a_rejection_says_why_at_length_and_in_one_of_their_words(house: House) -> None:
    work = house.hand_in(house.launch().hits.get())

    with pytest.raises(RuleBroken, match="at least 100 characters"):
        reviewing.decide(assignment=work, kind=Kind.REJECT, reason="Too short.", by=house.user, now=house.now)
    with pytest.raises(RuleBroken, match="own words"):
        reviewing.decide(
            assignment=work, kind=Kind.REJECT, reason=LONG, category="DULL", by=house.user, now=house.now
        )
    decision = reviewing.decide(
        assignment=work, kind=Kind.REJECT, reason=LONG, category="LOW_EFFORT", by=house.user, now=house.now
    )
    push_decisions.send_decisions(now=decision.send_at)

    there = house.stand_in.world.submissions[work.external_id]
    assert there.rejection is not None
    assert (there.status, there.rejection["rejection_category"]) == ("REJECTED", "LOW_EFFORT")
    work.refresh_from_db()
    assert work.status == "rejected"
    with pytest.raises(RuleBroken, match="takes no rejection back"):
        reviewing.decide(assignment=work, kind=Kind.OVERRIDE, by=house.user, now=house.now)


def test_time_that_ran_out_and_is_approved_later_is_paid_work(house: House) -> None:
    hit = house.launch().hits.get()
    controls = house.stand_in.controls
    submission = controls.take_part(hit.external_id, controls.add_participant())
    controls.advance(days=1)
    house.look(hit)
    assert not hit.assignments.exists()

    house.stand_in.world.submissions[submission].status = "APPROVED"
    house.look(hit)

    assert hit.assignments.get().status == "approved"


def test_a_letter_reaches_its_participants(house: House) -> None:
    work = house.hand_in(house.launch().hits.get())
    worker_letters.write_message(
        account=house.account,
        study=house.study,
        workers=[work.worker],
        subject="Thank you",
        text="There is more work.",
        by=house.user,
        now=house.now,
    )

    worker_letters.send_messages(now=house.now)

    (letter,) = house.stand_in.world.messages
    assert (letter.recipient_id, letter.body) == (
        work.worker.external_id,
        "Thank you\n\nThere is more work.",
    )
