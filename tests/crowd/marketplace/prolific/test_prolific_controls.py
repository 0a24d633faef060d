"""The controls from outside, which a test in another process and a demo have."""

import pytest

from crowd.marketplace.tools.prolific.refused import Refused
from tests.crowd.marketplace.prolific.prolific_calls import REVIEWED_CODE, Client

pytestmark = pytest.mark.pure


def test_participant_goes_the_whole_way_by_controls(client: Client) -> None:
    study_id = client.publish()
    participant_id = client.control("participants", age=30)["id"]

    reserved = client.control(
        "take-part", study_id=study_id, participant_id=participant_id, only_reserve=True
    )
    opened = client.control("open", submission_id=reserved["id"])
    finished = client.control("finish", submission_id=reserved["id"], code=REVIEWED_CODE)
    returned = client.control("return", submission_id=reserved["id"])

    statuses = [one["status"] for one in (reserved, opened, finished, returned)]
    assert statuses == ["RESERVED", "ACTIVE", "AWAITING REVIEW", "RETURNED"]
    assert f"session={reserved['id']}" in opened["url"]


def test_clock_is_moved_from_outside(client: Client) -> None:
    submission_id = client.submit(client.publish())

    client.control("clock", advance_s=21 * 24 * 3600)

    assert client.status_of(submission_id) == "APPROVED"


def test_truth_is_told_from_outside(client: Client) -> None:
    client.submit(client.publish())

    told = client.call_control("GET", "truth")

    assert told == {**client.stand_in.controls.truth(), "now": told["now"]}
    assert told["answered_amiss"] == told["asked_amiss"] == []


def test_faults_are_called_off_from_outside(client: Client) -> None:
    client.control("faults", kind="error", times=5)

    client.call_control("DELETE", "faults")

    assert client.get("/users/me/").status == 200


def test_control_that_is_none_is_404(client: Client) -> None:
    assert client.control("weather")["error"]["status"] == 404


def test_controls_in_the_process_do_the_same(client: Client) -> None:
    controls = client.stand_in.controls
    controls.top_up(client.workspace_id, 500)
    controls.write(controls.add_participant(), "Hello.")
    controls.release_hooks()

    assert client.balance()["total_balance"] == 1_000_500
    assert [one["body"] for one in controls.truth()["messages"]] == ["Hello."]
    assert "session=" in controls.preview(client.create_study())


def test_control_in_the_process_raises_what_a_participant_is_refused(client: Client) -> None:
    study_id = client.create_study()

    with pytest.raises(Refused, match="no open place"):
        client.take_part(study_id)
