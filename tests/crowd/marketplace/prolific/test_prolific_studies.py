from datetime import timedelta
from typing import Any

import pytest

from tests.crowd.marketplace.prolific.prolific_calls import (
    APPROVED_CODE,
    ENTRY,
    REVIEWED_CODE,
    Client,
    code,
    study_fields,
)

pytestmark = pytest.mark.pure


def test_new_study_is_a_draft_with_what_was_left_out_filled_in(client: Client) -> None:
    told = client.post("/studies/", **study_fields())

    assert (told.status, told.body["status"], told.body["maximum_allowed_time"]) == (201, "UNPUBLISHED", 1439)
    assert told.body["submissions_config"]["max_submissions_per_participant"] == 1


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("external_study_url", {"external_study_url": "https://study.localhost/?pid={{%PROLIFIC_PID%}}"}),
        ("external_study_url", {"external_study_url": None}),
        ("maximum_allowed_time", {"maximum_allowed_time": 16}),
        ("maximum_allowed_time", {"maximum_allowed_time": 1440}),
        ("completion_codes", {"completion_codes": []}),
        ("completion_codes", {"completion_codes": [code("SAME"), code("SAME")]}),
        (
            "completion_codes",
            {
                "completion_codes": [
                    code("BOTH", {"action": "AUTOMATICALLY_APPROVE"}, {"action": "MANUALLY_REVIEW"})
                ]
            },
        ),
        ("completion_codes", {"completion_codes": [code("GROUP", {"action": "ADD_TO_PARTICIPANT_GROUP"})]}),
        ("completion_codes", {"completion_codes": [code("RETURN", {"action": "REQUEST_RETURN"})]}),
        (
            "completion_codes",
            {
                "completion_codes": [
                    code(
                        "OUT",
                        {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 100, "slots": 1},
                    )
                ]
            },
        ),
        ("completion_codes", {"completion_codes": [code("PART", {"action": "DYNAMIC_PAYMENT"})]}),
        (
            "completion_codes",
            {
                "completion_codes": [
                    code(
                        "BOTH",
                        {"action": "AUTOMATICALLY_APPROVE"},
                        {"action": "DYNAMIC_PAYMENT"},
                        actor="researcher",
                    )
                ]
            },
        ),
        ("filters", {"filters": [{"filter_id": "shoe_size", "selected_values": ["1"]}]}),
        (
            "filters",
            {"filters": [{"filter_id": "participant_group_allowlist", "selected_values": ["nobody"]}]},
        ),
        ("eligibility_requirements", {"eligibility_requirements": []}),
        ("reward", {"reward": 1.5}),
        ("project", {"project": "nowhere"}),
        ("filter_set_id", {"filter_set_id": "none"}),
    ],
)
def test_field_that_breaks_a_rule_is_named_and_nothing_is_made(
    client: Client, field: str, changes: dict[str, Any]
) -> None:
    told = client.post("/studies/", **study_fields(**changes))

    assert (told.status, list(told.detail)) == (400, [field])
    assert client.get("/studies/").body["results"] == []


def test_maximum_time_may_be_the_least_that_the_rule_allows(client: Client) -> None:
    assert client.post("/studies/", **study_fields(maximum_allowed_time=17)).status == 201


def test_draft_may_change_in_everything(client: Client) -> None:
    study_id = client.create_study()

    told = client.patch(f"/studies/{study_id}/", name="Other", reward=200, total_available_places=1)

    assert (told.body["name"], told.body["reward"], told.body["total_available_places"]) == ("Other", 200, 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Other"},
        {"reward": 200},
        {"total_available_places": 1},
        {"completion_codes": [code("OTHER")]},
    ],
)
def test_published_study_refuses_what_only_a_draft_may(client: Client, changes: dict[str, Any]) -> None:
    study_id = client.publish()
    before = client.get(f"/studies/{study_id}/").body

    told = client.patch(f"/studies/{study_id}/", **changes)

    assert (told.status, list(told.detail)) == (400, list(changes))
    assert client.get(f"/studies/{study_id}/").body == before


def test_published_study_takes_more_places_and_another_internal_name(client: Client) -> None:
    study_id = client.publish()

    told = client.patch(
        f"/studies/{study_id}/",
        internal_name="second",
        total_available_places=5,
        submissions_config={"max_concurrent_submissions": 3},
    )

    assert (told.body["internal_name"], told.body["total_available_places"]) == ("second", 5)
    assert told.body["submissions_config"] == {
        "max_submissions_per_participant": 1,
        "max_concurrent_submissions": 3,
        "auto_rejection_categories": [],
    }


def test_more_places_than_the_wallet_can_pay_are_refused(client: Client) -> None:
    study_id = client.publish()

    told = client.patch(f"/studies/{study_id}/", total_available_places=100_000)

    assert (told.status, client.get(f"/studies/{study_id}/").body["total_available_places"]) == (400, 2)


def test_refused_change_leaves_the_project_as_it_was(client: Client) -> None:
    workspace = client.post("/workspaces/", title="Ours", currency_code="USD").body["id"]
    project = client.post(f"/workspaces/{workspace}/projects/", title="Ours").body["id"]
    study_id = client.create_study()
    before = client.get(f"/studies/{study_id}/").body

    told = client.patch(f"/studies/{study_id}/", project=project, reward=1)

    assert (told.status, client.get(f"/studies/{study_id}/").body) == (400, before)
    assert client.patch(f"/studies/{study_id}/", project=project).body["currency_code"] == "USD"


def test_published_study_stays_in_its_project(client: Client) -> None:
    project = client.post(f"/workspaces/{client.workspace_id}/projects/", title="Other").body["id"]
    study_id = client.publish()

    told = client.patch(f"/studies/{study_id}/", project=project)

    assert (told.status, list(told.detail)) == (400, ["project"])


def test_scheduled_study_without_the_money_is_a_draft_again(client: Client) -> None:
    study_id = client.create_study(total_available_places=10_000)
    publish_at = client.stand_in.world.now() + timedelta(hours=2)
    client.transition(study_id, "SCHEDULE_PUBLISH", publish_at=publish_at.isoformat())

    client.stand_in.controls.advance(hours=2)

    assert client.study_status(study_id) == "UNPUBLISHED"


def test_drafts_alone_can_be_deleted(client: Client) -> None:
    draft, published = client.create_study(), client.publish()

    assert client.delete(f"/studies/{draft}/").status == 204
    assert client.delete(f"/studies/{published}/").status == 400
    assert client.get(f"/studies/{draft}/").status == 404
    assert client.study_status(published) == "ACTIVE"


def test_publishing_takes_a_while(client: Client) -> None:
    client.stand_in.world.habits.lag_s = 60
    study_id = client.create_study()

    told = client.transition(study_id, "PUBLISH")

    assert told.body["status"] == client.study_status(study_id) == "PUBLISHING"
    client.stand_in.controls.advance(minutes=1)
    assert client.study_status(study_id) == "ACTIVE"


def test_study_goes_through_pause_start_and_stop(client: Client) -> None:
    study_id = client.publish()

    statuses = [client.transition(study_id, one).body["status"] for one in ("PAUSE", "START", "STOP")]

    assert statuses == ["PAUSED", "ACTIVE", "COMPLETED"]


def test_stop_may_give_awaiting_review(client: Client) -> None:
    client.control("habits", stop_awaits_review=True)
    study_id = client.publish()

    assert client.transition(study_id, "STOP").body["status"] == "AWAITING REVIEW"


@pytest.mark.parametrize("action", ["PAUSE", "START", "STOP", "CANCEL_PUBLISH"])
def test_transition_that_a_draft_does_not_have_is_refused(client: Client, action: str) -> None:
    study_id = client.create_study()

    told = client.transition(study_id, action)

    assert (told.status, client.study_status(study_id)) == (400, "UNPUBLISHED")


def test_scheduled_study_is_published_when_its_time_comes(client: Client) -> None:
    study_id = client.create_study()
    publish_at = client.stand_in.world.now() + timedelta(hours=2)

    told = client.transition(study_id, "SCHEDULE_PUBLISH", publish_at=publish_at.isoformat())

    assert told.body["status"] == "SCHEDULED"
    client.stand_in.controls.advance(hours=2)
    assert client.study_status(study_id) == "ACTIVE"


def test_cancelled_schedule_leaves_a_draft(client: Client) -> None:
    study_id = client.create_study()
    publish_at = client.stand_in.world.now() + timedelta(hours=2)
    client.transition(study_id, "SCHEDULE_PUBLISH", publish_at=publish_at.isoformat())

    client.transition(study_id, "CANCEL_PUBLISH")

    client.stand_in.controls.advance(hours=3)
    assert client.study_status(study_id) == "UNPUBLISHED"


@pytest.mark.parametrize("publish_at", ["2020-01-01T00:00:00Z", "soon", "2090-01-01T00:00:00", ""])
def test_schedule_without_a_time_to_come_is_refused(client: Client, publish_at: str) -> None:
    study_id = client.create_study()

    assert client.transition(study_id, "SCHEDULE_PUBLISH", publish_at=publish_at).status == 400


def test_clone_leaves_out_those_who_took_part(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id, code=APPROVED_CODE)

    clone_id = client.post(f"/studies/{study_id}/clone/").body["id"]

    client.transition(clone_id, "PUBLISH")
    told = client.control("take-part", study_id=clone_id, participant_id=client.participant_of(submission_id))
    assert told["error"]["status"] == 409
    assert client.status_of(client.submit(clone_id)) == "AWAITING REVIEW"


def test_taskflow_deals_its_addresses_and_tells_the_progress(client: Client) -> None:
    details = [
        {"external_url": f"{ENTRY}&part=1", "total_allocation": 1},
        {"external_url": f"{ENTRY}&part=2", "total_allocation": 1},
    ]
    study_id = client.publish(external_study_url=None, access_details=details)

    addresses = [client.stand_in.controls.address_of(client.take_part(study_id)) for _ in range(2)]

    assert [one[-6:] for one in addresses] == ["part=1", "part=2"]
    progress = client.get(f"/studies/{study_id}/access-details-progress/").body["access_details"]
    assert [one["places_taken"] for one in progress] == [1, 1]


def test_taskflow_addresses_are_only_added_to_a_published_study(client: Client) -> None:
    first = {"external_url": f"{ENTRY}&part=1", "total_allocation": 2}
    second = {"external_url": f"{ENTRY}&part=2", "total_allocation": 1}
    study_id = client.publish(external_study_url=None, access_details=[first])
    path = f"/studies/{study_id}/"

    dropped = client.patch(path, access_details=[{**second, "total_allocation": 2}])
    added = client.patch(path, access_details=[first, second], total_available_places=3)

    assert (dropped.status, list(dropped.detail), added.status) == (400, ["access_details"], 200)
    client.transition(study_id, "PAUSE")
    assert client.transition(study_id, "START").body["total_available_places"] == 3


def test_taskflow_allocations_sum_up_to_the_places(client: Client) -> None:
    details = [{"external_url": ENTRY, "total_allocation": 1}]

    told = client.post("/studies/", **study_fields(external_study_url=None, access_details=details))

    assert (told.status, list(told.detail)) == (400, ["access_details"])


def test_test_study_costs_nothing_and_is_for_test_participants(client: Client) -> None:
    draft = client.create_study()
    tester = client.post("/researchers/participants/", email="tester@example.com").body["participant_id"]
    before = client.balance()

    study_id = client.post(f"/studies/{draft}/test-study").body["study_id"]

    submission_id = client.stand_in.controls.take_part(study_id, tester)
    client.stand_in.controls.finish(submission_id, APPROVED_CODE)
    assert client.status_of(submission_id) == "APPROVED"
    assert client.balance() == before
    somebody = client.stand_in.controls.add_participant()
    assert client.control("take-part", study_id=study_id, participant_id=somebody)["error"]["status"] == 409


def test_published_study_is_not_tested(client: Client) -> None:
    study_id = client.publish()

    assert client.post(f"/studies/{study_id}/test-study").status == 400
    assert list(client.stand_in.world.studies) == [study_id]


def test_address_of_a_tester_is_used_once(client: Client) -> None:
    statuses = [
        client.post("/researchers/participants/", email="tester@example.com").status for _ in range(2)
    ]

    assert statuses == [201, 400]


def test_test_participants_may_be_switched_off(client: Client) -> None:
    client.stand_in.world.habits.test_participants = False

    assert client.post("/researchers/participants/", email="tester@example.com").status == 403
    assert client.post(f"/studies/{client.create_study()}/test-study").status == 403


def test_slots_for_screening_out_may_grow_on_a_published_study(client: Client) -> None:
    def codes(slots: int) -> list[dict[str, Any]]:
        action = {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 20, "slots": slots}
        return [code(REVIEWED_CODE), code("OUT", action)]

    study_id = client.publish(completion_codes=codes(1))

    assert client.patch(f"/studies/{study_id}/", completion_codes=codes(2)).status == 200
    assert client.patch(f"/studies/{study_id}/", completion_codes=codes(1)).status == 400
