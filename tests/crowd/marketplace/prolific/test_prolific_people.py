"""Groups, filters and messages."""

from datetime import timedelta
from typing import Any

import pytest

from tests.crowd.marketplace.prolific.prolific_calls import APPROVED_CODE, Client

pytestmark = pytest.mark.pure


def sees(client: Client, study_id: str, participant_id: str) -> bool:
    """Whether this participant can take part."""
    told = client.control("take-part", study_id=study_id, participant_id=participant_id, only_reserve=True)
    return "error" not in told


def group_of(client: Client, *participant_ids: str) -> str:
    group_id: str = client.post(
        "/participant-groups/",
        name="Ours",
        workspace_id=client.workspace_id,
        participant_ids=list(participant_ids),
    ).body["id"]
    return group_id


def listed(client: Client, group_id: str) -> list[str]:
    told = client.get(f"/participant-groups/{group_id}/participants/").body["results"]
    return [one["participant_id"] for one in told]


def test_group_of_an_allowlist_acts_at_once_on_a_published_study(client: Client) -> None:
    group_id, somebody = group_of(client), client.stand_in.controls.add_participant()
    filters = [{"filter_id": "participant_group_allowlist", "selected_values": [group_id]}]
    study_id = client.publish(filters=filters)
    assert not sees(client, study_id, somebody)

    client.post(f"/participant-groups/{group_id}/participants/", participant_ids=[somebody])

    assert sees(client, study_id, somebody)


def test_group_of_a_blocklist_acts_at_once_on_a_published_study(client: Client) -> None:
    controls = client.stand_in.controls
    blocked, other = controls.add_participant(), controls.add_participant()
    group_id = group_of(client)
    filters = [{"filter_id": "participant_group_blocklist", "selected_values": [group_id]}]
    study_id = client.publish(filters=filters)

    client.post(f"/participant-groups/{group_id}/participants/", participant_ids=[blocked])

    assert (sees(client, study_id, blocked), sees(client, study_id, other)) == (False, True)


@pytest.mark.parametrize(("kind", "may"), [("allowlist", True), ("blocklist", False)])
def test_earlier_studies_let_in_or_leave_out(client: Client, kind: str, may: bool) -> None:
    earlier = client.publish()
    participant_id = client.participant_of(client.submit(earlier, code=APPROVED_CODE))
    filters = [{"filter_id": f"previous_studies_{kind}", "selected_values": [earlier]}]

    study_id = client.publish(filters=filters)

    newcomer = client.stand_in.controls.add_participant()
    assert sees(client, study_id, participant_id) is may
    assert sees(client, study_id, newcomer) is not may


@pytest.mark.parametrize(
    ("one", "answers", "may"),
    [
        ({"filter_id": "age", "selected_range": {"lower": 18, "upper": 30}}, {"age": 30}, True),
        ({"filter_id": "age", "selected_range": {"lower": 18, "upper": 30}}, {"age": 31}, False),
        ({"filter_id": "age", "selected_range": {"lower": 18}}, {}, False),
        ({"filter_id": "first-language", "selected_values": ["0"]}, {"first-language": "0"}, True),
        ({"filter_id": "fluent-languages", "selected_values": ["1"]}, {"fluent-languages": ["0", "1"]}, True),
        ({"filter_id": "first-language", "selected_values": ["0"]}, {"first-language": "2"}, False),
        (
            {
                "or": [
                    {"filter_id": "age", "selected_range": {"upper": 20}},
                    {"and": [{"filter_id": "first-language", "selected_values": ["0"]}]},
                ]
            },
            {"age": 50, "first-language": "0"},
            True,
        ),
    ],
)
def test_filters_read_the_participants_answers(
    client: Client, one: dict[str, Any], answers: dict[str, Any], may: bool
) -> None:
    study_id = client.publish(filters=[one])

    assert sees(client, study_id, client.stand_in.controls.add_participant(**answers)) is may


def test_custom_allowlist_lets_in_whom_it_names(client: Client) -> None:
    named, other = (client.stand_in.controls.add_participant() for _ in range(2))
    study_id = client.publish(filters=[{"filter_id": "custom_allowlist", "selected_values": [named]}])

    assert (sees(client, study_id, named), sees(client, study_id, other)) == (True, False)


def test_group_takes_and_drops_members_idempotently(client: Client) -> None:
    first, second = (client.stand_in.controls.add_participant() for _ in range(2))
    group_id = group_of(client, first)
    path = f"/participant-groups/{group_id}/participants/"

    for _ in range(2):
        client.post(path, participant_ids=[second])
    added = listed(client, group_id)
    for _ in range(2):
        client.delete(path, participant_ids=[first])

    assert (added, listed(client, group_id)) == ([first, second], [second])


def test_patching_a_group_overwrites_its_list(client: Client) -> None:
    first, second = (client.stand_in.controls.add_participant() for _ in range(2))
    group_id = group_of(client, first)

    client.patch(f"/participant-groups/{group_id}/", participant_ids=[second])
    client.patch(f"/participant-groups/{group_id}/", name="Others")

    assert listed(client, group_id) == [second]
    told = client.get(f"/participant-groups/{group_id}/").body
    assert (told["name"], told["participant_count"]) == ("Others", 1)


def test_deleted_group_is_gone_from_the_api_alone(client: Client) -> None:
    somebody = client.stand_in.controls.add_participant()
    group_id = group_of(client, somebody)

    assert client.delete(f"/participant-groups/{group_id}/").status == 204

    assert client.get(f"/participant-groups/{group_id}/").status == 404
    assert client.get("/participant-groups/", workspace_id=client.workspace_id).body["results"] == []
    assert client.stand_in.controls.truth()["groups"] == {group_id: [somebody]}


def test_group_of_an_unknown_participant_is_refused(client: Client) -> None:
    told = client.post("/participant-groups/", name="Ours", participant_ids=["nobody"])

    assert (told.status, told.detail) == (400, ["There is no participant nobody."])


def test_groups_are_listed_by_workspace_only(client: Client) -> None:
    assert client.get("/participant-groups/").status == 400


def test_message_reaches_the_participant_and_the_answer_is_unread(client: Client) -> None:
    study_id = client.publish()
    participant_id = client.participant_of(client.take_part(study_id))

    told = client.post("/messages/", recipient_id=participant_id, body="Thank you.", study_id=study_id)
    client.control("messages", participant_id=participant_id, body="You are welcome.")

    assert (told.status, told.body) == (204, None)
    both = client.get("/messages/", user_id=participant_id).body["results"]
    unread = client.get("/messages/unread/").body["results"]
    assert [one["body"] for one in both] == ["Thank you.", "You are welcome."]
    assert [one["body"] for one in unread] == ["You are welcome."]


def test_bulk_message_reaches_all_or_nobody(client: Client) -> None:
    people = [client.stand_in.controls.add_participant() for _ in range(2)]

    sent = client.post("/messages/bulk/", ids=people, body="Thank you.")
    refused = client.post("/messages/bulk/", ids=[*people, "nobody"], body="Again.")

    assert (sent.status, refused.status) == (204, 400)
    messages = client.stand_in.controls.truth()["messages"]
    assert [one["recipient_id"] for one in messages] == people


def test_messages_are_listed_for_thirty_days_back_only(client: Client) -> None:
    now = client.stand_in.world.now()

    recent = client.get("/messages/", created_after=(now - timedelta(days=29)).isoformat())
    older = client.get("/messages/", created_after=(now - timedelta(days=31)).isoformat())

    assert (recent.status, older.status, client.get("/messages/").status) == (200, 400, 400)


@pytest.mark.parametrize("created_after", ["yesterday", "2026-01-01T00:00:00"])
def test_time_that_is_none_is_refused(client: Client, created_after: str) -> None:
    assert list(client.get("/messages/", created_after=created_after).detail) == ["created_after"]


def test_message_about_an_unknown_study_is_404(client: Client) -> None:
    somebody = client.stand_in.controls.add_participant()

    assert client.post("/messages/", recipient_id=somebody, body="Hello.", study_id="none").status == 404
    assert client.stand_in.controls.truth()["messages"] == []
