from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from django.conf import LazySettings
from django.test import Client

from crowd.pictures.models import Picture
from crowd.pictures.services.preparation import prepare_pictures
from tests.crowd.pictures.images import make_raster
from tests.factories import NOW, make_picture

pytestmark = pytest.mark.django_db
FOR_EVER = "public, max-age=31536000, immutable"


def test_picture_is_served_for_ever_and_runs_nothing(client: Client) -> None:
    picture = make_picture(content=b"<svg/>")

    answer = client.get(f"/pictures/{picture.key}/")

    assert b"".join(answer) == b"<svg/>"
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Cache-Control"] == FOR_EVER
    assert answer["Content-Security-Policy"].endswith("sandbox")


@pytest.mark.parametrize(("size", "kept"), [("", "pictures/"), ("160/", "thumbnails/")])
def test_server_in_front_sends_the_file_and_all_that_is_said_of_it_stays(
    client: Client, settings: LazySettings, size: str, kept: str
) -> None:
    picture = make_raster()
    prepare_pictures(now=NOW)
    Picture.objects.update(status="fit")
    address = f"/pictures/{picture.key}/{size}"
    plain = client.get(address)
    settings.MEDIA_BY_PROXY = "/kept-media/"

    answer = client.get(address)

    assert answer.content == b""
    location = unquote(answer["X-Accel-Redirect"])
    assert location.startswith(f"/kept-media/{kept}")
    assert Path(settings.MEDIA_ROOT, location.removeprefix("/kept-media/")).read_bytes() == b"".join(plain)
    for name in ("Content-Type", "Cache-Control", "Content-Security-Policy"):
        assert answer[name] == plain[name]


@pytest.mark.parametrize("status", ["waiting", "unfit", "removed", "fit"])
def test_server_in_front_sends_nothing_that_may_not_be_shown(
    client: Client, settings: LazySettings, status: str
) -> None:
    picture = make_picture()
    changes: dict[str, dict[str, Any]] = {
        "unfit": {"unfit_reason": "words"},
        "removed": {"former_status": "fit", "removed_at": NOW},
    }
    Picture.objects.update(status=status, **changes.get(status, {}))
    if status == "fit":
        Path(picture.file.path).unlink()
    settings.MEDIA_BY_PROXY = "/kept-media/"

    answer = client.get(f"/pictures/{picture.key}/")

    assert answer.status_code == (410 if status == "removed" else 404)
    assert "X-Accel-Redirect" not in answer


@pytest.mark.parametrize("key", ["nowhere", "%00", "..%2F..%2Fkeys.json", "a b"])
def test_picture_that_is_none_is_not_found(client: Client, key: str) -> None:
    make_picture()

    assert client.get(f"/pictures/{key}/").status_code == 404


def test_picture_whose_file_is_gone_is_not_found_and_nothing_remembers(client: Client) -> None:
    picture = make_picture()
    Path(picture.file.path).unlink()

    answer = client.get(f"/pictures/{picture.key}/")

    assert (answer.status_code, answer["Cache-Control"]) == (404, "no-store")


@pytest.mark.parametrize("size", ["", "160/", "480/"])
@pytest.mark.parametrize("status", ["waiting", "unfit", "removed"])
def test_only_fit_pictures_are_shown(client: Client, status: str, size: str) -> None:
    picture = make_raster()
    changes: dict[str, dict[str, Any]] = {
        "waiting": {},
        "unfit": {"unfit_reason": "words"},
        "removed": {"former_status": "fit", "removed_at": NOW},
    }
    Picture.objects.update(status=status, **changes[status])

    answer = client.get(f"/pictures/{picture.key}/{size}")

    assert answer.status_code == (410 if status == "removed" else 404)
    assert answer["Cache-Control"] == "no-store"
    assert not answer.streaming


def test_thumbnail_is_served_for_ever_once_it_is_made(client: Client) -> None:
    picture = make_raster()
    address = f"/pictures/{picture.key}/160/"

    before = client.get(address)
    original = b"".join(before)
    prepare_pictures(now=NOW)
    after = client.get(address)
    thumbnail = b"".join(after)

    assert (before["Cache-Control"], before["Content-Type"]) == ("public, max-age=60", "image/png")
    assert (after["Cache-Control"], after["Content-Type"]) == (FOR_EVER, "image/webp")
    assert original.startswith(b"\x89PNG")
    assert thumbnail.startswith(b"RIFF")


def test_thumbnail_that_was_lost_is_stood_in_for(client: Client) -> None:
    picture = make_raster()
    prepare_pictures(now=NOW)
    for one in Path(picture.file.path).parent.parent.glob("thumbnails/*"):
        one.unlink()

    answer = client.get(f"/pictures/{picture.key}/480/")

    assert b"".join(answer).startswith(b"\x89PNG")
    assert answer["Cache-Control"] == "public, max-age=60"


def test_drawing_is_its_own_thumbnail(client: Client) -> None:
    picture = make_picture(content=b"<svg/>")

    answer = client.get(f"/pictures/{picture.key}/160/")

    assert (b"".join(answer), answer["Cache-Control"]) == (b"<svg/>", FOR_EVER)


def test_other_sizes_are_none(client: Client) -> None:
    assert client.get(f"/pictures/{make_raster().key}/161/").status_code == 404


def test_add_picture_twice_keeps_one() -> None:
    first, second = make_picture(content=b"<svg>1</svg>"), make_picture(content=b"<svg>1</svg>")

    assert first == second
    assert Picture.objects.count() == 1


@pytest.mark.parametrize("size", ["", "160/", "480/"])
def test_nothing_that_is_sent_names_what_is_shown(client: Client, size: str) -> None:
    picture = make_raster(concept="volcano", source="https://example.org/volcano.png")
    prepare_pictures(now=NOW)

    answer = client.get(f"/pictures/{picture.key}/{size}")

    assert b"volcano" not in b"".join(answer)
    assert "volcano" not in f"{picture.key} {picture.file.name} {dict(answer.items())}"


@pytest.mark.parametrize("size", ["", "160/"])
def test_serving_asks_the_database_once(
    client: Client, size: str, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    picture = make_raster()

    with django_assert_num_queries(1):  # type: ignore[operator]
        answer = client.get(f"/pictures/{picture.key}/{size}")

    assert b"".join(answer)
