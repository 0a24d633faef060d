from typing import Any

import pytest

from tests.crowd.marketplace.prolific.prolific_calls import APPROVED_CODE, Client

pytestmark = pytest.mark.pure

PATH = "/submissions/bulk-approve/"


def test_bulk_approval_is_answered_first_and_applied_later(client: Client) -> None:
    study_id = client.publish()
    submissions = [client.submit(study_id) for _ in range(2)]
    client.stand_in.world.habits.lag_s = 60

    told = client.post(PATH, submission_ids=submissions)

    assert told.status == 200
    assert [client.status_of(one) for one in submissions] == ["AWAITING REVIEW"] * 2
    client.stand_in.controls.advance(minutes=1)
    assert [client.status_of(one) for one in submissions] == ["APPROVED"] * 2


def test_bulk_approval_by_participants_of_a_study(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)

    client.post(PATH, study_id=study_id, participant_ids=[client.participant_of(submission_id)])

    assert client.status_of(submission_id) == "APPROVED"


def test_bulk_approval_passes_over_what_does_not_await_review(client: Client) -> None:
    study_id = client.publish()
    active, approved = client.take_part(study_id), client.submit(study_id, code=APPROVED_CODE)

    client.post(PATH, submission_ids=[active, approved])

    assert [client.status_of(one) for one in (active, approved)] == ["ACTIVE", "APPROVED"]
    assert [one["submission_id"] for one in client.stand_in.controls.payments()] == [approved]


def test_same_bulk_approval_within_five_minutes_does_nothing(client: Client) -> None:
    """Work that came back between the two requests stays unapproved until it is asked for anew."""
    submission_id = client.take_part(client.publish())
    client.post(PATH, submission_ids=[submission_id])
    client.stand_in.controls.finish(submission_id)

    client.post(PATH, submission_ids=[submission_id])

    assert client.status_of(submission_id) == "AWAITING REVIEW"
    client.stand_in.controls.advance(minutes=5)
    client.post(PATH, submission_ids=[submission_id])
    assert client.status_of(submission_id) == "APPROVED"


@pytest.mark.parametrize(
    "body",
    [
        {"submission_ids": ["nobody"]},
        {"submission_ids": []},
        {"submission_ids": ["nobody"] * 1001},
        {"participant_ids": ["nobody"]},
        {},
    ],
)
def test_bulk_approval_of_none_unknown_or_too_many_is_refused(client: Client, body: dict[str, Any]) -> None:
    client.submit(client.publish())

    assert client.post(PATH, **body).status == 400
    assert client.stand_in.controls.payments() == []


def test_bulk_approval_lists_the_unknown_ids(client: Client) -> None:
    told = client.post(PATH, submission_ids=["nobody"])

    assert told.detail == ["There is no submission for nobody."]


def test_parallel_approvals_find_the_wallet_busy(client: Client) -> None:
    study_id = client.publish()
    first, second = client.submit(study_id), client.submit(study_id)
    client.control("habits", wallet_busy_s=5)

    statuses = [client.decide(one, "APPROVE").status for one in (first, second)]

    assert statuses == [200, 429]
    assert client.status_of(second) == "AWAITING REVIEW"
    client.stand_in.controls.advance(seconds=5)
    assert client.decide(second, "APPROVE").status == 200
