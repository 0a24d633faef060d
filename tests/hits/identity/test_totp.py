"""Codes of a second factor, against the vectors that RFC 6238 prints for SHA-1."""

from base64 import b32decode, b32encode
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from hits.identity.domain.totp import SECRET_BYTES, code_at, find_step, make_secret, setup_address, step_of
from tests.factories import NOW

pytestmark = pytest.mark.pure
SECRET = b32encode(b"12345678901234567890").decode()
# The RFC prints eight digits; programs show the last six of them.
VECTORS = {
    59: "94287082",
    1111111109: "07081804",
    1111111111: "14050471",
    1234567890: "89005924",
    2000000000: "69279037",
    20000000000: "65353130",
}


@pytest.mark.parametrize(("seconds", "code"), VECTORS.items())
def test_the_codes_are_those_of_the_rfc(seconds: int, code: str) -> None:
    assert code_at(SECRET, step_of(datetime.fromtimestamp(seconds, tz=UTC))) == code[-6:]


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_a_clock_may_be_one_step_wrong(steps: int) -> None:
    code = code_at(SECRET, step_of(NOW) + steps)

    assert find_step(secret=SECRET, code=code, now=NOW) == step_of(NOW) + steps


@pytest.mark.parametrize("seconds", [-60, 60])
def test_a_clock_may_not_be_two_steps_wrong(seconds: int) -> None:
    code = code_at(SECRET, step_of(NOW + timedelta(seconds=seconds)))

    assert find_step(secret=SECRET, code=code, now=NOW) is None


@pytest.mark.parametrize("code", ["", "12345", "１２３４５６", "\ud800", "000000 "])
def test_what_is_no_code_is_refused(code: str) -> None:
    assert find_step(secret=SECRET, code=code, now=NOW) is None


def test_a_secret_is_as_long_as_the_rfc_wants_and_never_the_same() -> None:
    first, second = make_secret(), make_secret()

    assert first != second
    assert len(b32decode(first)) == SECRET_BYTES


def test_the_address_for_programs_names_the_person_and_the_site() -> None:
    address = urlsplit(setup_address(secret=SECRET, name="ann b", issuer="Crowd, lab.example.org"))

    assert (address.scheme, address.netloc) == ("otpauth", "totp")
    assert address.path == "/Crowd%2C%20lab.example.org%3Aann%20b"
    assert parse_qs(address.query) == {"secret": [SECRET], "issuer": ["Crowd, lab.example.org"]}
