"""A release's files written again by the command: the same digests, or the name of what differs."""

import shutil
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from crowd.pictures.models import Picture
from crowd.releases.models import Release
from crowd.releases.services.release_states import publish_release
from crowd.releases.services.survey_file import path_of
from tests.crowd.releases.studies import STUDIES, make_of, release_of
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db


def rebuild(release: Release, *arguments: str) -> str:
    printed = StringIO()
    call_command("rebuild_release", str(release.public_id), *arguments, stdout=printed)
    return printed.getvalue()


@pytest.mark.parametrize("family", list(STUDIES))
def test_files_that_are_written_again_are_the_same(family: str, tmp_path: Path) -> None:
    release = release_of(make_of(family), family, split_seed=1)
    publish_release(release=release, by=make_user(), now=NOW)
    # What happens to pictures after the release was made changes nothing.
    Picture.objects.update(status="removed", former_status="fit", removed_at=NOW)

    printed = rebuild(release, "--out", str(tmp_path / "again"))

    assert printed.endswith(f"{len(release.files)} files, all with the same digests.\n")
    for file in release.files:
        assert (tmp_path / "again" / file["name"]).read_bytes() == (
            release.folder / file["name"]
        ).read_bytes()


def test_what_differs_is_named_and_the_release_stays_as_it_is(tmp_path: Path) -> None:
    release = release_of(make_of("winoventi"), "winoventi")
    before = {path: path.read_bytes() for path in release.folder.iterdir()}
    rows = release.frozen / "full.jsonl"
    rows.write_text(rows.read_text().replace("noun1", "noun9"))

    with pytest.raises(CommandError, match=r"Not the same: challenge.csv, .*everything.zip"):
        rebuild(release, "--out", str(tmp_path / "again"))

    assert {path: path.read_bytes() for path in release.folder.iterdir()} == before


def test_a_picture_that_is_gone_is_a_named_difference() -> None:
    release = release_of(make_of("winoground"), "winoground")
    one = Picture.objects.filter(licence="CC BY 4.0").first()
    assert one is not None
    one.file.storage.delete(str(one.file.name))

    with pytest.raises(CommandError, match="Not the same") as refused:
        rebuild(release)

    assert "examples.parquet" in str(refused.value)
    assert "examples.csv" not in str(refused.value)


def test_a_survey_that_is_lost_is_made_again() -> None:
    release = release_of(make_of("plain"), "plain")
    path_of(release).unlink()

    assert "all with the same digests" in rebuild(release)


def test_what_cannot_be_rebuilt_is_told() -> None:
    release = release_of(make_of("plain"), "plain")

    with pytest.raises(CommandError, match="the release's own folder"):
        rebuild(release, "--out", str(release.folder))
    shutil.rmtree(release.frozen)
    with pytest.raises(CommandError, match="The frozen rows of this release are not here"):
        rebuild(release)
    with pytest.raises(CommandError, match="There is no release"):
        call_command("rebuild_release", str(uuid4()))
