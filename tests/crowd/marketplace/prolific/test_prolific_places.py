"""Places of a study: taken, given back, and open again only under conditions."""

import pytest

from tests.crowd.marketplace.prolific.prolific_calls import (
    APPROVED_CODE,
    LONG_REASON,
    Client,
)

pytestmark = pytest.mark.pure


def test_last_place_taken_flips_the_study_to_awaiting_review(client: Client) -> None:
    """No submission awaits anything yet: the status says that there is no place at the moment."""
    study_id = client.publish(total_available_places=1)

    submission_id = client.take_part(study_id)

    assert client.study_status(study_id) == "AWAITING REVIEW"
    assert client.status_of(submission_id) == "ACTIVE"


def test_place_returned_while_active_opens_by_itself(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.take_part(study_id)

    client.stand_in.controls.return_place(submission_id)

    assert client.get(f"/studies/{study_id}/").body["places_taken"] == 0
    client.take_part(study_id)
    client.take_part(study_id)
    assert client.study_status(study_id) == "AWAITING REVIEW"


def test_place_returned_while_awaiting_review_opens_by_start_alone(client: Client) -> None:
    study_id = client.publish(total_available_places=1)
    submission_id = client.take_part(study_id)

    client.stand_in.controls.return_place(submission_id)

    assert client.study_status(study_id) == "AWAITING REVIEW"
    client.transition(study_id, "START")
    assert client.study_status(study_id) == "ACTIVE"
    client.take_part(study_id)


def test_rejected_place_opens_by_start(client: Client) -> None:
    study_id = client.publish(total_available_places=1)
    submission_id = client.submit(study_id)
    client.decide(submission_id, "REJECT", message=LONG_REASON, rejection_category="LOW_EFFORT")

    client.transition(study_id, "START")

    client.take_part(study_id)
    assert client.study_status(study_id) == "AWAITING REVIEW"


def test_start_without_a_free_place_leaves_it_awaiting_review(client: Client) -> None:
    study_id = client.publish(total_available_places=1)
    client.take_part(study_id)

    assert client.transition(study_id, "START").body["status"] == "AWAITING REVIEW"


def test_study_is_completed_when_every_place_is_paid(client: Client) -> None:
    study_id = client.publish()

    client.submit(study_id, code=APPROVED_CODE)
    client.submit(study_id, code=APPROVED_CODE)

    assert client.study_status(study_id) == "COMPLETED"


def test_study_that_has_grown_is_completed_when_its_last_place_is_paid(client: Client) -> None:
    study_id = client.publish()
    submissions = [client.take_part(study_id) for _ in range(2)]
    client.patch(f"/studies/{study_id}/", total_available_places=3)
    submissions.append(client.take_part(study_id))
    for submission_id in submissions:
        client.stand_in.controls.finish(submission_id, APPROVED_CODE)

    assert client.study_status(study_id) == "COMPLETED"


def test_more_places_revive_a_completed_study(client: Client) -> None:
    study_id = client.publish(total_available_places=1)
    client.submit(study_id, code=APPROVED_CODE)

    told = client.patch(f"/studies/{study_id}/", total_available_places=2)

    assert (told.body["status"], told.body["places_taken"]) == ("ACTIVE", 1)
    client.take_part(study_id)


def test_reviving_a_study_locks_the_money_of_new_places_only(client: Client) -> None:
    study_id = client.publish(total_available_places=1)
    client.submit(study_id, code=APPROVED_CODE)
    before = client.balance()["available_balance"]

    client.patch(f"/studies/{study_id}/", total_available_places=2)

    assert before - client.balance()["available_balance"] in (139, 140)


def test_paused_study_takes_nobody_and_lets_those_finish_who_began(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.take_part(study_id)
    client.transition(study_id, "PAUSE")

    told = client.control(
        "take-part", study_id=study_id, participant_id=client.stand_in.controls.add_participant()
    )

    assert told["error"]["status"] == 409
    client.stand_in.controls.finish(submission_id, APPROVED_CODE)
    assert client.status_of(submission_id) == "APPROVED"


def test_participant_takes_part_once(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)

    told = client.control("take-part", study_id=study_id, participant_id=client.participant_of(submission_id))

    assert told["error"]["status"] == 409
    assert client.get(f"/studies/{study_id}/").body["number_of_submissions"] == 1


def test_participant_takes_part_as_often_as_the_study_allows(client: Client) -> None:
    study_id = client.publish(submissions_config={"max_submissions_per_participant": 2})
    participant_id = client.participant_of(client.submit(study_id))

    second = client.stand_in.controls.take_part(study_id, participant_id)

    assert client.status_of(second) == "ACTIVE"


def test_as_many_take_part_at_once_as_the_study_allows(client: Client) -> None:
    study_id = client.publish(submissions_config={"max_concurrent_submissions": 1})
    submission_id = client.take_part(study_id)
    other = client.stand_in.controls.add_participant()

    refused = client.control("take-part", study_id=study_id, participant_id=other)

    assert refused["error"]["status"] == 409
    client.stand_in.controls.finish(submission_id)
    client.stand_in.controls.take_part(study_id, other)


def test_counts_tell_submissions_by_status(client: Client) -> None:
    study_id = client.publish()
    client.take_part(study_id)
    client.submit(study_id)

    told = client.get(f"/studies/{study_id}/submissions/counts/").body

    assert told == {"ACTIVE": 1, "AWAITING REVIEW": 1, "TOTAL": 2}
