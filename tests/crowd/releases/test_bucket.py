"""Releases in a bucket, by the real boto3 client against a service on loopback."""

from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from config import doctor
from crowd.releases.files import bucket as buckets
from crowd.releases.models import Release
from crowd.releases.services import release_states
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import RESEARCHER
from tests.crowd.releases.loopback_bucket import LoopbackBucket, serving_bucket
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW, make_user
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=2)


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "ours",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def bucket(settings: LazySettings) -> Iterator[LoopbackBucket]:
    with serving_bucket() as served:
        settings.RELEASES_BUCKET, settings.RELEASES_ENDPOINT_URL = served.name, served.url
        yield served


def go_on(release: Release, at: Any = LATER) -> Release:
    for _ in range(50):
        if release_states.write_releases(clock=lambda: at):
            break
    release.refresh_from_db()
    return release


def test_a_release_is_in_the_bucket_and_no_longer_here(bucket: LoopbackBucket) -> None:
    release = release_of(make_of("winoventi"), "winoventi")

    assert release.status == "ready"
    assert {file["bucket"] for file in release.files} == {bucket.name}
    assert list(release.folder.iterdir()) == []
    assert (release.frozen / "full.jsonl").exists()
    for file in release.files:
        content, metadata = bucket.objects[f"releases/{release.public_id}/{file['name']}"]
        assert sha256(content).hexdigest() == metadata["sha256"] == file["sha256"]
    assert bucket.keys == {"ours"}


def test_a_file_is_downloaded_through_our_pages(bucket: LoopbackBucket, client: Client) -> None:
    study = make_of("winoventi")
    release = release_of(study, "winoventi")
    sign_in(client, RESEARCHER, study)
    held = notebook("releases.view_release", "hits.export_batch", sees=[study])

    answer = client.get(reverse("admin:releases_file", args=[release.pk, "README.md"]))
    by_api = held.get(f"releases/{release.public_id}/download/?name=README.md")

    content, _ = bucket.objects[f"releases/{release.public_id}/README.md"]
    assert answer.headers["Content-Length"] == by_api.headers["Content-Length"] == str(len(content))
    assert b"".join(answer) == b"".join(by_api) == content
    assert AuditEvent.objects.filter(kind="release.taken").count() == 2


def test_large_files_are_sent_in_pieces(bucket: LoopbackBucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "LARGE", 1_000)
    monkeypatch.setattr(buckets, "PIECE", 5 * 1024 * 1024)

    release = release_of(make_of("winoventi"), "winoventi")

    content, metadata = bucket.objects[f"releases/{release.public_id}/everything.zip"]
    assert sha256(content).hexdigest() == metadata["sha256"]
    assert any(call.startswith("COMPLETE") for call in bucket.calls)
    assert bucket.uploads == {}


def test_a_file_whose_copy_was_not_noted_is_not_sent_again(
    bucket: LoopbackBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.patience = 8  # a look and a copy for each of four files
    release = release_of(make_of("winoventi"), "winoventi")
    sent = bucket.sent()
    files = [{name: value for name, value in file.items() if name != "bucket"} for file in release.files]
    Release.objects.update(files=files)
    bucket.patience = None

    go_on(release)

    assert release.status == "ready"
    assert sorted(bucket.sent()) == sorted({*sent, *(file["name"] for file in release.files)})


def test_a_bucket_that_refuses_is_told_and_tried_again(bucket: LoopbackBucket, client: Client) -> None:
    study = make_of("winoventi")
    bucket.patience = 5
    release = release_of(study, "winoventi")
    sign_in(client, RESEARCHER, study)
    page = text_of(client.get(reverse("admin:releases_release_change", args=[release.pk])))

    assert release.status == "writing"
    assert f"The bucket {bucket.name} refused" in release.problem
    assert "Copying to the bucket." in page
    assert release.problem in page
    assert "goes on by itself" in page
    assert 0 < release.files_copied < len(release.files)
    assert all((release.folder / file["name"]).exists() for file in release.files)
    bucket.patience = None
    assert go_on(release, at=NOW + timedelta(seconds=30)).status == "writing"
    assert release_states.next_release(now=NOW) == NOW + release_states.WAIT_FOR_BUCKET
    assert go_on(release).status == "ready"
    assert release.problem == ""


def test_a_bucket_that_is_away_is_told(settings: LazySettings) -> None:
    with serving_bucket() as gone:
        settings.RELEASES_BUCKET, settings.RELEASES_ENDPOINT_URL = gone.name, gone.url

    release = release_of(make_of("winoventi"), "winoventi")

    assert release.status == "writing"
    assert "cannot be reached" in release.problem


def test_a_download_while_the_bucket_is_away_says_so(bucket: LoopbackBucket, client: Client) -> None:
    study = make_of("winoventi")
    release = release_of(study, "winoventi")
    sign_in(client, RESEARCHER, study)
    held = notebook("releases.view_release", "hits.export_batch", sees=[study])
    bucket.patience = 0

    page = client.get(reverse("admin:releases_file", args=[release.pk, "README.md"]), follow=True)
    by_api = held.get(f"releases/{release.public_id}/download/?name=README.md")

    assert f"The bucket {bucket.name} refused" in text_of(page)
    assert (by_api.status_code, by_api.json()["code"]) == (409, "bucket_away")
    assert not AuditEvent.objects.filter(kind="release.taken").exists()


def test_deleting_a_release_deletes_its_objects(bucket: LoopbackBucket) -> None:
    kept = release_of(make_of("winoventi"), "winoventi")
    release = release_of(make_of("plain"), "plain")

    release_states.delete_release(release=release, by=make_user(), now=NOW)

    assert not Release.objects.filter(pk=release.pk).exists()
    assert {name.split("/")[1] for name in bucket.objects} == {str(kept.public_id)}


def test_a_release_whose_bucket_is_away_is_deleted_later(bucket: LoopbackBucket) -> None:
    release = release_of(make_of("winoventi"), "winoventi")
    bucket.patience = 0

    with pytest.raises(RuleBroken, match="refused"):
        release_states.delete_release(release=release, by=make_user(), now=NOW)

    release.refresh_from_db()
    assert (release.status, len(bucket.objects)) == ("failed", len(release.files))
    with pytest.raises(RuleBroken, match="Only a release that is ready"):
        release_states.publish_release(release=release, by=make_user(), now=NOW)
    bucket.patience = None
    release_states.delete_release(release=release, by=make_user(), now=NOW)
    assert (Release.objects.count(), bucket.objects) == (0, {})


def test_a_published_release_stays_in_its_bucket(bucket: LoopbackBucket) -> None:
    release = release_of(make_of("winoventi"), "winoventi")
    release_states.publish_release(release=release, by=make_user(), now=NOW)

    with pytest.raises(RuleBroken, match="never deleted"):
        release_states.delete_release(release=release, by=make_user(), now=NOW)

    assert len(bucket.objects) == len(release.files)


def test_a_release_is_found_where_it_was_put(
    bucket: LoopbackBucket, settings: LazySettings, client: Client
) -> None:
    study = make_of("winoventi")
    there = release_of(study, "winoventi")
    settings.RELEASES_BUCKET = ""
    here = release_of(study, "winoventi", version="2.0")
    sign_in(client, RESEARCHER, study)

    for release in (there, here):
        answer = client.get(reverse("admin:releases_file", args=[release.pk, "README.md"]))
        assert str(release.public_id) in b"".join(answer).decode()
    assert (here.folder / "README.md").exists()


def test_doctor_says_whether_the_bucket_can_be_reached(
    bucket: LoopbackBucket, settings: LazySettings
) -> None:
    well = doctor.check_releases()
    bucket.patience = 0
    refused = doctor.check_releases()
    settings.RELEASES_BUCKET = ""

    assert (well.ok, well.saw) == (True, f"bucket {bucket.name}")
    assert (refused.ok, "refused" in refused.saw) == (False, True)
    assert "CROWD_RELEASES_BUCKET" in refused.advice
    assert doctor.check_releases().saw == "folder of files"
