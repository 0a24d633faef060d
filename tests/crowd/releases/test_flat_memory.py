"""What a release looks up is in a file, and what it writes is held by nobody."""

from io import BytesIO
from tempfile import TemporaryFile
from typing import Any
from zipfile import ZipFile

import pytest

from crowd.releases.family_contents import contents_of
from crowd.releases.models import Release
from crowd.releases.services import release_files, survey, survey_file
from crowd.releases.services.release_rows import rows_in
from crowd.releases.services.survey_file import reading
from crowd.releases.services.zip_file import FlatZipFile
from tests.crowd.releases.studies import make_of, release_of

pytestmark = pytest.mark.django_db


def test_a_zip_file_of_many_members_holds_no_list_of_them() -> None:
    content = BytesIO()
    names = [f"pictures/{number:05}.png" for number in range(3_000)]

    with TemporaryFile() as entries, FlatZipFile(content, entries=entries) as whole:
        for name in names:
            whole.writestr(name, name)
        held = len(whole.NameToInfo)

    assert held == 0
    with ZipFile(content) as read:
        assert (read.namelist(), read.testzip()) == (names, None)
        assert read.read(names[7]).decode() == names[7]


def test_each_part_of_a_file_begins_where_the_one_before_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "PART", 2)
    monkeypatch.setattr(release_files, "PART", 2)
    release = release_of(make_of("whoops", items=5), "whoops", split_seed=1)

    (file, *_) = contents_of(release).files(release)
    with reading(release) as found:
        bytes_of = [found.first_byte(file.name, part) for part in range(3)]

    assert [name for name in _names(release) if name.startswith("images-")] == [
        f"images-{part:05}-of-00003.parquet" for part in range(3)
    ]
    rows = list(rows_in(release, file))
    assert [list(rows_in(release, file, byte=byte)) for byte in bytes_of] == [rows, rows[2:], rows[4:]]


def test_pictures_are_settled_in_any_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_of("winoground")
    at_once = _told(release_of(study, "winoground"))
    monkeypatch.setattr(survey_file, "AT_ONCE", 5)

    assert _told(release_of(study, "winoground", version="2.0")) == at_once


def _names(release: Release) -> list[str]:
    return [file["name"] for file in release.files]


def _told(release: Release) -> list[Any]:
    return list(survey.pictures_of(release))
