"""How a study knows a session: its ids can be forged, so it asks the API or reads the token."""

from http.client import HTTPConnection
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest

from crowd.marketplace.tools.prolific import StandIn
from tests.crowd.marketplace.prolific.prolific_calls import Client

pytestmark = pytest.mark.pure


def keys_of(stand_in: StandIn) -> jwt.PyJWKSet:
    """The keys as anybody may read them, without a token."""
    url = urlsplit(stand_in.world.base_url)
    connection = HTTPConnection(url.hostname or "", url.port, timeout=10)
    connection.request("GET", "/.well-known/study/jwks.json")
    keys = jwt.PyJWKSet.from_json(connection.getresponse().read().decode())
    connection.close()
    return keys


def token_of(client: Client, submission_id: str) -> str:
    address = client.stand_in.controls.address_of(submission_id)
    (token,) = parse_qs(urlsplit(address).query)["prolific_token"]
    return token


def test_secure_address_carries_a_token_whose_subject_is_the_session(client: Client) -> None:
    submission_id = client.take_part(client.publish(is_external_study_url_secure=True))

    token = token_of(client, submission_id)

    claims = jwt.decode(token, keys_of(client.stand_in).keys[0], algorithms=["RS256"])
    assert (claims["sub"], claims["exp"] - claims["iat"]) == (submission_id, 120)


def test_plain_address_carries_no_token(client: Client) -> None:
    submission_id = client.take_part(client.publish())

    assert "prolific_token" not in client.stand_in.controls.address_of(submission_id)


def test_sessions_of_a_preview_are_unknown_to_the_api(client: Client) -> None:
    address = client.control("preview", study_id=client.create_study())["url"]

    (session_id,) = parse_qs(urlsplit(address).query)["session"]
    assert client.get(f"/submissions/{session_id}/").status == 404


def test_session_can_be_checked_by_its_participant_study_and_status(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.take_part(study_id)

    told = client.get(f"/submissions/{submission_id}/").body

    assert (told["participant"], told["study_id"], told["status"]) == (
        client.participant_of(submission_id),
        study_id,
        "ACTIVE",
    )
