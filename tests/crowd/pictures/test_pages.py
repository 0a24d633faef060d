from pathlib import Path

import pytest
from django.test import Client

from crowd.pictures.models import Picture
from tests.factories import make_picture

pytestmark = pytest.mark.django_db


def test_picture_is_served_for_ever_and_runs_nothing(client: Client) -> None:
    picture = make_picture(content=b"<svg/>")

    answer = client.get(f"/pictures/{picture.key}/")

    assert b"".join(answer) == b"<svg/>"
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer["Content-Security-Policy"].endswith("sandbox")


@pytest.mark.parametrize("key", ["nowhere", "%00", "..%2F..%2Fkeys.json", "a b"])
def test_picture_that_is_none_is_not_found(client: Client, key: str) -> None:
    make_picture()

    assert client.get(f"/pictures/{key}/").status_code == 404


def test_picture_whose_file_is_gone_is_not_found(client: Client) -> None:
    picture = make_picture()
    Path(picture.file.path).unlink()

    assert client.get(f"/pictures/{picture.key}/").status_code == 404


def test_add_picture_twice_keeps_one() -> None:
    first, second = make_picture(content=b"<svg>1</svg>"), make_picture(content=b"<svg>1</svg>")

    assert first == second
    assert Picture.objects.count() == 1


def test_address_says_nothing_of_what_is_shown() -> None:
    picture = make_picture(concept="volcano")

    assert "volcano" not in f"{picture.key} {picture.file.name}"
