from typing import Any

import pytest

from tests.crowd.marketplace.prolific.prolific_calls import (
    APPROVED_CODE,
    LONG_REASON,
    REVIEWED_CODE,
    Client,
    code,
)

pytestmark = pytest.mark.pure


def test_submission_is_told_in_two_ways(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)

    (row,) = client.get("/submissions/", study=study_id).body["results"]
    whole = client.get(f"/submissions/{submission_id}/").body

    assert row["participant_id"] == whole["participant"] == client.participant_of(submission_id)
    assert row["study_code"] == whole["entered_code"] == REVIEWED_CODE
    assert whole["study_id"] == study_id
    assert "bonus_payments" not in row
    assert whole["bonus_payments"] == []


def test_submissions_are_listed_by_status(client: Client) -> None:
    study_id = client.publish()
    client.take_part(study_id)
    done = client.submit(study_id)

    told = client.get("/submissions/", study=study_id, status="AWAITING REVIEW").body["results"]

    assert [one["id"] for one in told] == [done]


def test_url_ids_of_a_forged_session_are_404(client: Client) -> None:
    assert client.get("/submissions/abcdefabcdefabcdefabcdef/").status == 404


def test_reserved_place_is_lost_after_ten_minutes(client: Client) -> None:
    study_id = client.publish()
    controls = client.stand_in.controls
    submission_id = controls.reserve(study_id, controls.add_participant())
    assert client.status_of(submission_id) == "RESERVED"

    controls.advance(minutes=10)

    assert client.status_of(submission_id) == "TIMED-OUT"
    assert client.get(f"/studies/{study_id}/").body["places_taken"] == 0


def test_opening_a_reserved_place_starts_it_and_opens_the_same_again(client: Client) -> None:
    study_id = client.publish()
    controls = client.stand_in.controls
    submission_id = controls.reserve(study_id, controls.add_participant())

    addresses = {controls.open_again(submission_id) for _ in range(3)}

    (address,) = addresses
    assert f"session={submission_id}" in address
    assert f"study={study_id}" in address
    assert f"pid={client.participant_of(submission_id)}" in address
    assert client.status_of(submission_id) == "ACTIVE"


def test_submission_times_out_after_the_maximum_time(client: Client) -> None:
    submission_id = client.take_part(client.publish(maximum_allowed_time=30))

    client.stand_in.controls.advance(minutes=29)
    before = client.status_of(submission_id)
    client.stand_in.controls.advance(minutes=1)

    assert (before, client.status_of(submission_id)) == ("ACTIVE", "TIMED-OUT")


def test_timed_out_submission_may_still_be_finished_and_approved(client: Client) -> None:
    submission_id = client.take_part(client.publish(maximum_allowed_time=30))
    client.stand_in.controls.advance(minutes=30)

    client.stand_in.controls.finish(submission_id, APPROVED_CODE)

    assert client.status_of(submission_id) == "APPROVED"


def test_timed_out_submission_may_be_approved_by_the_researcher(client: Client) -> None:
    submission_id = client.take_part(client.publish(maximum_allowed_time=30))
    client.stand_in.controls.advance(minutes=30)

    client.decide(submission_id, "APPROVE")

    assert client.status_of(submission_id) == "APPROVED"
    assert [one["cents"] for one in client.stand_in.controls.payments()] == [100]


def test_work_that_nobody_reviews_is_approved_after_21_days(client: Client) -> None:
    submission_id = client.submit(client.publish())

    client.stand_in.controls.advance(days=20)
    before = client.status_of(submission_id)
    client.stand_in.controls.advance(days=1)

    assert (before, client.status_of(submission_id)) == ("AWAITING REVIEW", "APPROVED")


def test_approving_before_the_participant_is_back_is_refused(client: Client) -> None:
    submission_id = client.take_part(client.publish())

    told = client.decide(submission_id, "APPROVE")

    assert (told.status, client.status_of(submission_id)) == (400, "ACTIVE")
    assert client.stand_in.controls.payments() == []


def test_approving_twice_pays_once(client: Client) -> None:
    submission_id = client.submit(client.publish())

    told = [client.decide(submission_id, "APPROVE").status for _ in range(2)]

    assert told == [200, 200]
    assert [one["cents"] for one in client.stand_in.controls.payments()] == [100]


def test_returned_submission_is_never_approved(client: Client) -> None:
    submission_id = client.take_part(client.publish())
    client.stand_in.controls.return_place(submission_id)

    told = client.decide(submission_id, "APPROVE")

    assert (told.status, client.status_of(submission_id)) == (400, "RETURNED")


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("message", {"message": LONG_REASON[:99], "rejection_category": "OTHER"}),
        ("message", {"rejection_category": "OTHER"}),
        ("rejection_category", {"message": LONG_REASON, "rejection_category": "DULL"}),
        ("rejection_category", {"message": LONG_REASON}),
    ],
)
def test_rejection_needs_a_long_message_and_a_category(
    client: Client, field: str, reason: dict[str, Any]
) -> None:
    submission_id = client.submit(client.publish())

    told = client.decide(submission_id, "REJECT", **reason)

    assert (told.status, list(told.detail)) == (400, [field])
    assert client.status_of(submission_id) == "AWAITING REVIEW"


def test_rejection_is_idempotent_and_pays_nothing(client: Client) -> None:
    submission_id = client.submit(client.publish())

    told = [
        client.decide(submission_id, "REJECT", message=LONG_REASON[:100], rejection_category="NO_DATA").status
        for _ in range(2)
    ]

    assert (told, client.status_of(submission_id)) == ([200, 200], "REJECTED")
    assert client.stand_in.controls.payments() == []


def test_approved_work_is_not_rejected_any_more(client: Client) -> None:
    submission_id = client.submit(client.publish(), code=APPROVED_CODE)

    told = client.decide(submission_id, "REJECT", message=LONG_REASON, rejection_category="OTHER")

    assert (told.status, client.status_of(submission_id)) == (400, "APPROVED")


def test_rejection_can_be_undone_and_the_work_approved(client: Client) -> None:
    submission_id = client.submit(client.publish())
    client.decide(submission_id, "REJECT", message=LONG_REASON, rejection_category="OTHER")

    client.decide(submission_id, "UNREJECT")

    assert client.status_of(submission_id) == "AWAITING REVIEW"
    assert client.decide(submission_id, "APPROVE").body["status"] == "APPROVED"


def test_return_can_be_undone(client: Client) -> None:
    submission_id = client.take_part(client.publish())

    statuses = [client.decide(submission_id, one).body["status"] for one in ("RETURN", "UNRETURN")]

    assert statuses == ["RETURNED", "ACTIVE"]


def test_return_that_is_undone_gives_the_whole_time_again(client: Client) -> None:
    submission_id = client.take_part(client.publish(maximum_allowed_time=30))
    client.stand_in.controls.advance(minutes=20)
    for action in ("RETURN", "UNRETURN"):
        client.decide(submission_id, action)

    client.stand_in.controls.advance(minutes=20)
    before = client.status_of(submission_id)
    client.stand_in.controls.advance(minutes=10)

    assert (before, client.status_of(submission_id)) == ("ACTIVE", "TIMED-OUT")


def test_returned_finished_work_awaits_review_again_when_that_is_undone(client: Client) -> None:
    submission_id = client.submit(client.publish())

    statuses = [
        client.decide(submission_id, one).body["status"] for one in ("RETURN", "UNRETURN", "UNRETURN")
    ]

    assert statuses == ["RETURNED", "AWAITING REVIEW", "AWAITING REVIEW"]


def test_researcher_starts_a_reserved_place_and_screens_out(client: Client) -> None:
    controls = client.stand_in.controls
    submission_id = controls.reserve(client.publish(), controls.add_participant())

    statuses = [client.decide(submission_id, one).body["status"] for one in ("START", "START", "SCREEN_OUT")]

    assert statuses == ["ACTIVE", "ACTIVE", "SCREENED OUT"]
    assert controls.payments() == []


@pytest.mark.parametrize("action", ["START", "UNREJECT", "UNRETURN"])
def test_nothing_is_undone_that_did_not_happen(client: Client, action: str) -> None:
    submission_id = client.submit(client.publish(), code=APPROVED_CODE)

    assert (client.decide(submission_id, action).status, client.status_of(submission_id)) == (400, "APPROVED")


def test_returned_place_is_not_started_again(client: Client) -> None:
    submission_id = client.take_part(client.publish())
    client.stand_in.controls.return_place(submission_id)

    assert (client.decide(submission_id, "START").status, client.status_of(submission_id)) == (
        400,
        "RETURNED",
    )


def test_undoing_a_rejection_twice_changes_nothing(client: Client) -> None:
    submission_id = client.submit(client.publish())

    assert client.decide(submission_id, "UNREJECT").body["status"] == "AWAITING REVIEW"


def test_researcher_completes_by_a_code_of_the_researchers(client: Client) -> None:
    codes = [code(REVIEWED_CODE), code("OURS", {"action": "AUTOMATICALLY_APPROVE"}, actor="researcher")]
    submission_id = client.take_part(client.publish(completion_codes=codes))

    refused = client.decide(submission_id, "COMPLETE", completion_code=REVIEWED_CODE)
    told = client.decide(submission_id, "COMPLETE", completion_code="OURS")

    assert (refused.status, told.body["status"]) == (400, "APPROVED")


def test_researchers_code_does_nothing_until_the_researcher_enters_it(client: Client) -> None:
    codes = [code(REVIEWED_CODE), code("OURS", {"action": "AUTOMATICALLY_APPROVE"}, actor="researcher")]
    submission_id = client.submit(client.publish(completion_codes=codes), code="OURS")

    before = client.status_of(submission_id)
    told = [client.decide(submission_id, "COMPLETE", completion_code="OURS").body["status"] for _ in range(2)]

    assert (before, told) == ("AWAITING REVIEW", ["APPROVED", "APPROVED"])
    assert len(client.stand_in.controls.payments()) == 1


def test_dynamic_payment_pays_a_part_once(client: Client) -> None:
    codes = [code(REVIEWED_CODE), code("PART", {"action": "DYNAMIC_PAYMENT"}, actor="researcher")]
    submission_id = client.take_part(client.publish(completion_codes=codes))
    body = {"completion_code": "PART", "completion_code_data": {"percentage_of_reward": 40}}

    refused = client.decide(
        submission_id, "COMPLETE", **{**body, "completion_code_data": {"percentage_of_reward": 7}}
    )
    told = [client.decide(submission_id, "COMPLETE", **body).body["status"] for _ in range(2)]

    assert (refused.status, told) == (400, ["PARTIALLY APPROVED"] * 2)
    assert [one["cents"] for one in client.stand_in.controls.payments()] == [40]


def test_screening_out_pays_from_its_slots_and_pauses_when_they_are_used_up(client: Client) -> None:
    action = {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 20, "slots": 1}
    study_id = client.publish(completion_codes=[code(REVIEWED_CODE), code("OUT", action)])

    submission_id = client.submit(study_id, code="OUT")

    assert client.status_of(submission_id) == "SCREENED OUT"
    assert [one["cents"] for one in client.stand_in.controls.payments()] == [20]
    assert client.study_status(study_id) == "PAUSED"
    more = [code(REVIEWED_CODE), code("OUT", {**action, "slots": 2})]
    client.patch(f"/studies/{study_id}/", completion_codes=more)
    assert client.transition(study_id, "START").body["status"] == "ACTIVE"


def test_code_puts_the_participant_into_a_group_and_takes_out_of_another(client: Client) -> None:
    controls = client.stand_in.controls
    participant_id = controls.add_participant()
    new = client.post("/participant-groups/", name="new", participant_ids=[participant_id]).body["id"]
    done = client.post("/participant-groups/", name="done").body["id"]
    moving = code(
        "MOVE",
        {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": done},
        {"action": "REMOVE_FROM_PARTICIPANT_GROUP", "participant_group": new},
    )

    controls.finish(controls.take_part(client.publish(completion_codes=[moving]), participant_id), "MOVE")

    assert controls.truth()["groups"] == {new: [], done: [participant_id]}


def test_request_to_return_is_a_message_and_changes_no_status(client: Client) -> None:
    submission_id = client.submit(client.publish())

    told = client.post(
        f"/submissions/{submission_id}/request-return/", request_return_reasons=["Withdrew consent."]
    )

    assert told.body["return_requested"] == ["Withdrew consent."]
    assert told.body["status"] == "AWAITING REVIEW"


def test_finished_work_may_be_processing_for_a_while(client: Client) -> None:
    client.control("habits", processing_s=60)
    submission_id = client.submit(client.publish(), code=APPROVED_CODE)

    before = client.status_of(submission_id)
    refused = client.decide(submission_id, "APPROVE")
    client.stand_in.controls.advance(minutes=1)

    assert (before, refused.status, client.status_of(submission_id)) == ("PROCESSING", 400, "APPROVED")
    assert len(client.stand_in.controls.payments()) == 1


def test_unknown_code_awaits_review_as_it_was_entered(client: Client) -> None:
    submission_id = client.submit(client.publish(), code="GUESSED")

    told = client.get(f"/submissions/{submission_id}/").body

    assert (told["status"], told["entered_code"]) == ("AWAITING REVIEW", "GUESSED")


def test_finish_without_a_code_is_nocode_and_still_reviewable(client: Client) -> None:
    submission_id = client.submit(client.publish(), code="")

    assert client.get(f"/submissions/{submission_id}/").body["entered_code"] == "NOCODE"
    assert client.decide(submission_id, "APPROVE").body["status"] == "APPROVED"
