"""The schema file: it covers every route, and nothing passes that does not fit."""

from typing import Any

import pytest

from crowd.marketplace.tools.prolific import serving
from crowd.marketplace.tools.prolific.api import message_routes
from crowd.marketplace.tools.prolific.api.routing import known_routes
from crowd.marketplace.tools.prolific.contract import answer_misfits, read_schema
from crowd.marketplace.tools.prolific.json_shapes import misfits, unknown_keywords
from tests.crowd.marketplace.prolific.prolific_calls import Client, study_fields

pytestmark = pytest.mark.pure


def test_schema_has_every_route_and_no_other() -> None:
    assert set(read_schema()["routes"]) == known_routes()


def test_schema_uses_only_what_is_checked() -> None:
    rules = read_schema()["routes"].values()
    schemas = [
        *read_schema()["definitions"].values(),
        read_schema()["error"],
        *(answer for one in rules for answer in one["answers"].values()),
        *(one["request"] for one in rules if "request" in one),
    ]

    assert [word for schema in schemas for word in unknown_keywords(schema)] == []


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer"}, 1, True),
        ({"type": ["string", "null"]}, None, 1),
        ({"enum": ["a"]}, "a", "b"),
        ({"type": "string", "minLength": 1}, "a", ""),
        ({"type": "string", "pattern": "@"}, "a@b", "ab"),
        ({"type": "array", "minItems": 1, "maxItems": 2}, [1], [1, 2, 3]),
        ({"type": "number", "minimum": 0, "maximum": 1}, 0.5, 2),
        ({"type": "array", "items": {"type": "boolean"}}, [True], [1]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None, 1),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"a": 1}, {"b": 1}),
        ({"properties": {}, "additionalProperties": {"type": "string"}}, {"b": "1"}, {"b": 1}),
        ({"type": "object", "required": ["a"]}, {"a": 1}, {}),
        ({"$ref": "own"}, "a", 1),
    ],
)
def test_each_keyword_lets_the_good_pass_and_finds_the_bad(schema: Any, good: Any, bad: Any) -> None:
    definitions = {"own": {"type": "string"}}

    assert list(misfits(good, schema, definitions=definitions)) == []
    assert len(list(misfits(bad, schema, definitions=definitions))) == 1


def test_request_that_does_not_fit_is_400_by_field_and_remembered(client: Client) -> None:
    told = client.post("/studies/", **study_fields(reward="1.00"), shoe_size=40)

    assert (told.status, sorted(told.detail)) == (400, ["reward", "shoe_size"])
    assert client.stand_in.world.studies == {}
    (amiss,) = client.stand_in.world.asked_amiss
    assert amiss.startswith("POST /studies/")


def test_unknown_parameter_of_a_query_is_400(client: Client) -> None:
    assert client.get("/submissions/", studyid="1").detail == {"studyid": ["This parameter is not known."]}


def test_body_that_is_no_json_is_400(client: Client) -> None:
    assert client.call("POST", "/studies/", None).status == 400
    assert client.call("POST", "/studies/", "text").status == 400


def test_answer_that_does_not_fit_is_a_loud_500_and_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as server:
        client = Client(stand_in=server)
        participant_id = server.controls.add_participant()
        client.post("/messages/", recipient_id=participant_id, body="Thank you.")
        monkeypatch.setattr(message_routes, "message_document", lambda _: {"id": 1})

        told = client.get("/messages/", user_id=participant_id)

        assert told.status == 500
        assert server.world.answered_amiss == told.detail != []


def test_status_that_a_route_does_not_have_is_amiss() -> None:
    assert answer_misfits("GET /users/me/", status=202, body={}) == ["GET /users/me/ has no answer 202"]


def test_error_of_our_own_is_remembered(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving() as server:
        monkeypatch.setattr(server.world, "messages", None)

        with pytest.raises(OSError, match="closed connection"):
            Client(stand_in=server).get("/messages/unread/")

        assert [one.partition(":")[0] for one in server.world.answered_amiss] == ["TypeError"]
    assert "TypeError" in capfd.readouterr().err
