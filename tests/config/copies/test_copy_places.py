"""Places of copies: a folder, and a bucket by the real client against a service on loopback."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError

from config.copies import bucket_place
from config.copies.copy_places import Place, find_place
from tests.crowd.releases.loopback_bucket import LoopbackBucket, serving_bucket

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "ours",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "NO_PROXY": "127.0.0.1",
}


@pytest.fixture
def bucket(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackBucket]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with serving_bucket("safe") as served:
        settings.BACKUP_ENDPOINT_URL = served.url
        yield served


@pytest.fixture(params=["folder", "bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path, bucket: LoopbackBucket) -> Place:
    address = f"s3://{bucket.name}/lab" if request.param == "bucket" else str(tmp_path)
    found, name = find_place(address)
    assert name == ""
    return found


def write(place: Place, name: str, *contents: bytes) -> None:
    with place.writing(name) as file:
        for content in contents:
            file.write(content)


def test_a_place_keeps_lists_and_removes_files(place: Place, tmp_path: Path) -> None:
    (fetched := tmp_path / "fetched").mkdir()
    write(place, "a.tar", b"a ", b"copy")
    write(place, "pictures/ab/abc", b"a picture")

    assert place.names() == {"a.tar"}
    assert place.names("pictures/") == {"pictures/ab/abc"}
    assert place.local("pictures/ab/abc", folder=fetched).read_bytes() == b"a picture"
    place.remove("a.tar")
    assert place.names() == set()
    with pytest.raises(CommandError, match=r"There is no file .*a\.tar"):
        place.local("a.tar", folder=fetched)


def test_a_file_that_is_not_finished_never_appears(place: Place) -> None:
    def break_off() -> None:
        with place.writing("a.tar") as file:
            file.write(b"half a copy")
            raise InterruptedError

    with pytest.raises(InterruptedError):
        break_off()

    assert place.names() == set()


def test_a_large_file_is_sent_and_fetched_in_parts_and_appears_last(
    bucket: LoopbackBucket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bucket_place, "PIECE", 10)
    monkeypatch.setattr(bucket_place, "GROWS_EVERY", 2)
    place, name = find_place(f"s3://{bucket.name}/lab/a.tar")
    content = bytes(range(65))

    with place.writing(name) as file:
        for start in range(0, 65, 5):
            file.write(content[start : start + 5])
            assert bucket.objects == {}

    assert [call.partition(" ")[0] for call in bucket.calls] == ["CREATE", *["PART"] * 5, "COMPLETE"]
    assert bucket.objects["lab/a.tar"][0] == content
    assert place.local(name, folder=tmp_path).read_bytes() == content


def test_parts_of_a_file_that_is_not_finished_are_removed(
    bucket: LoopbackBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket_place, "PIECE", 10)
    place, name = find_place(f"s3://{bucket.name}/a.tar.age")

    def break_off() -> None:
        with place.writing(name) as file:
            file.write(bytes(30))
            raise InterruptedError

    with pytest.raises(InterruptedError):
        break_off()

    assert (bucket.objects, bucket.uploads) == ({}, {})


def test_a_bucket_that_refuses_or_is_away_is_said_in_words(
    bucket: LoopbackBucket, settings: LazySettings
) -> None:
    bucket.patience = 0
    refused, _ = find_place(f"s3://{bucket.name}")
    with pytest.raises(CommandError, match=r"The bucket safe refused: .*AccessDenied"):
        refused.names()
    settings.BACKUP_ENDPOINT_URL = "http://127.0.0.1:9"
    away, _ = find_place("s3://safe")
    with pytest.raises(CommandError, match="The bucket safe cannot be reached"):
        away.names()


def test_a_folder_that_is_missing_is_not_made(tmp_path: Path) -> None:
    place, name = find_place(str(tmp_path / "unmounted" / "a.tar"))

    with pytest.raises(CommandError, match="There is no folder"):
        write(place, name, b"")

    assert list(tmp_path.iterdir()) == []
