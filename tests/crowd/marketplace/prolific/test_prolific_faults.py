import time
from http.client import RemoteDisconnected
from threading import Thread
from typing import Any

import pytest

from tests.crowd.marketplace.prolific.prolific_calls import Client, study_fields

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("status", [429, 502, 500, 403])
def test_next_request_is_answered_with_an_error_and_not_done(client: Client, status: int) -> None:
    client.stand_in.controls.fail(kind="error", method="POST", route="^/studies/$", status=status)

    statuses = [client.post("/studies/", **study_fields()).status for _ in range(2)]

    assert statuses == [status, 201]
    assert len(client.stand_in.world.studies) == 1


def test_as_many_requests_fail_as_are_asked_for_and_others_do_not(client: Client) -> None:
    client.control("faults", kind="error", route="^/workspaces/", status=429, times=2)

    assert [client.get("/workspaces/").status for _ in range(3)] == [429, 429, 200]
    assert client.get("/users/me/").status == 200


def test_dropped_before_is_not_done(client: Client) -> None:
    client.stand_in.controls.fail(kind="drop_before", route="^/studies/$")

    with pytest.raises(RemoteDisconnected):
        client.post("/studies/", **study_fields())

    assert client.stand_in.world.studies == {}


def test_dropped_after_is_done(client: Client) -> None:
    client.stand_in.controls.fail(kind="drop_after", route="^/studies/$")

    with pytest.raises(RemoteDisconnected):
        client.post("/studies/", **study_fields())

    assert len(client.stand_in.world.studies) == 1


def test_payment_whose_answer_was_lost_is_paid_again_when_it_is_asked_for_again(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)
    setup_id = client.post(
        "/submissions/bonus-payments/", study_id=study_id, csv_bonuses=f"{submission_id},1.50"
    ).body["id"]
    client.stand_in.controls.fail(kind="error", route="/pay/$", status=502, after=True)

    statuses = [client.post(f"/bulk-bonus-payments/{setup_id}/pay/").status for _ in range(2)]

    assert statuses == [502, 202]
    assert client.get(f"/submissions/{submission_id}/").body["bonus_payments"] == [150, 150]


def test_slow_answer_is_the_right_one(client: Client) -> None:
    client.stand_in.controls.fail(kind="slow", route="^/users/me/$", delay_s=0.2)
    before = time.monotonic()

    told = client.get("/users/me/")

    assert (told.status, time.monotonic() - before >= 0.2) == (200, True)


def test_slow_answer_does_not_keep_others_waiting(client: Client) -> None:
    client.stand_in.controls.fail(kind="slow", route="^/workspaces/$", delay_s=1)
    slow = Thread(target=client.get, args=("/workspaces/",))
    slow.start()
    while not client.stand_in.world.requests:
        time.sleep(0.01)

    told = client.get("/users/me/")

    assert (told.status, slow.is_alive()) == (200, True)
    slow.join()


@pytest.mark.parametrize("detail", ["A text.", ["One.", "Another."], {"reward": ["Too little."]}])
@pytest.mark.parametrize("shape", ["wrapped", "bare"])
def test_detail_is_a_text_a_list_or_an_object(client: Client, detail: Any, shape: str) -> None:
    client.control("faults", kind="error", status=422, detail=detail, shape=shape)

    told = client.get("/users/me/")

    error = told.body["error"] if shape == "wrapped" else told.body
    assert (told.status, error["status"], error["detail"]) == (422, 422, detail)


def test_error_may_be_a_message_or_no_json_at_all(client: Client) -> None:
    client.control("faults", kind="error", status=502, shape="message")
    client.control("faults", kind="error", status=502, shape="text")

    first, second = client.get("/users/me/"), client.get("/users/me/")

    assert set(first.body) == {"message", "detail"}
    assert second.body.startswith(b"<html>")


def test_refusals_may_come_bare(client: Client) -> None:
    client.control("habits", bare_errors=True)

    told = client.get("/submissions/unknown/")

    assert (told.status, told.body["status"], told.body["detail"]) == (404, 404, "Not found.")


def test_fault_may_let_the_first_requests_pass(client: Client) -> None:
    client.control("faults", kind="error", route="^/users/me/$", skip=2)

    assert [client.get("/users/me/").status for _ in range(4)] == [200, 200, 502, 200]


def test_habit_that_is_none_is_refused(client: Client) -> None:
    assert client.control("habits", kindness=1)["error"]["status"] == 400


def test_faults_can_be_called_off(client: Client) -> None:
    client.stand_in.controls.fail(kind="error", times=100)

    client.stand_in.world.faults.clear()

    assert client.get("/users/me/").status == 200


@pytest.mark.parametrize("fault", [{"kind": "flood"}, {"kind": "slow", "route": "("}, {"why": "not"}])
def test_fault_that_makes_no_sense_is_refused(client: Client, fault: dict[str, Any]) -> None:
    assert client.control("faults", **fault)["error"]["status"] == 400
    assert client.stand_in.world.faults.rules == []


def test_control_needs_the_token_too(client: Client) -> None:
    stranger = Client(stand_in=client.stand_in, token="wrong")

    assert stranger.control("participants")["error"]["status"] == 401
    assert client.stand_in.world.participants == {}


def test_clock_never_runs_backward(client: Client) -> None:
    assert client.control("clock", advance_s=-1)["error"]["status"] == 400


def test_every_request_is_remembered_in_its_order(client: Client) -> None:
    client.get("/users/me/")
    client.get("/workspaces/", limit=1)

    asked = [
        (one["method"], one["path"], one["query"]) for one in client.stand_in.controls.truth()["requests"]
    ]

    assert asked == [("GET", "/users/me/", ""), ("GET", "/workspaces/", "limit=1")]
