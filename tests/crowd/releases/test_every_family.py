"""A release of each family: what its files have, loaded by the library that people load them with."""

import csv
import json
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from PIL import Image

from crowd.releases.models import Release
from crowd.releases.services import release_states
from crowd.releases.services.release_files import files_of
from hits.studies.models import Study
from tests.crowd.releases.studies import CLOSED, MAIN, OPEN, STUDIES, make_of, release_of
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db
SHOWN = [name for name in STUDIES if name != "winoventi"]


@pytest.fixture(params=list(STUDIES))
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def lines(release: Release, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (release.folder / name).read_text().splitlines()]


def pictures(release: Release) -> list[dict[str, str]]:
    with (release.folder / "pictures.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loads a configuration of a release's folder, offline, with nothing but its own files."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")

    def load(release: Release, name: str) -> Any:
        return datasets.load_dataset(
            str(release.folder), name, cache_dir=str(tmp_path / "cache"), split="train"
        )

    return load


def test_a_release_is_whole(family: str) -> None:
    release = release_of(make_of(family), family)

    assert release.status == "ready", release.problem
    assert [file["name"] for file in release.files] == list(files_of(release))
    main = MAIN[family]
    rows = lines(release, f"{main}.jsonl")
    assert len(rows) == (12 if family == "winoventi" else 6)
    with (release.folder / f"{main}.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(rows)
    with ZipFile(release.folder / "everything.zip") as whole:
        assert whole.testzip() is None
        names = set(whole.namelist())
    assert {file["name"] for file in release.files} - names == {"everything.zip"}
    told = [one for one in pictures(release) if one["contained"] == "true"]
    assert {f"pictures/{one['file']}" for one in told} == {name for name in names if "/" in name}


def test_rows_are_loaded_by_the_library_without_a_script(family: str, loaded: Any) -> None:
    release = release_of(make_of(family), family)

    rows = loaded(release, MAIN[family])

    told = lines(release, f"{MAIN[family]}.jsonl")
    assert [row[next(iter(told[0]))] for row in rows] == [row[next(iter(told[0]))] for row in told]
    assert set(told[0]) <= set(rows.features)


@pytest.mark.parametrize("shown", SHOWN)
def test_pictures_are_loaded_as_images(shown: str, loaded: Any) -> None:
    release = release_of(make_of(shown), shown)

    found = loaded(release, "pictures")

    assert len(found) == release.counts["pictures_contained"] > 0
    for row in found:
        assert row["image"].size == (24, 16)
        assert row["licence"] == OPEN


@pytest.mark.parametrize(
    ("shown", "column"),
    [("winoground", "image_1_image"), ("whoops", "weird_image"), ("plain", "photo_image")],
)
def test_images_stand_in_the_rows_of_few(shown: str, column: str, loaded: Any) -> None:
    release = release_of(make_of(shown), shown)

    rows = loaded(release, MAIN[shown])

    digests = [
        row[f"{column.removesuffix('_image')}_sha256"] for row in lines(release, f"{MAIN[shown]}.jsonl")
    ]
    for row, digest in zip(rows, digests, strict=True):
        told = next(one for one in pictures(release) if one["sha256"] == digest)
        assert (row[column] is None) == (told["contained"] == "false")
        assert row[column] is None or row[column].size == (24, 16)


def test_pictures_whose_license_was_not_chosen_are_listed_with_why() -> None:
    release = release_of(make_of("winoground"), "winoground")

    (left,) = [one for one in pictures(release) if one["contained"] == "false"]

    assert (left["licence"], left["file"]) == (CLOSED, "")
    assert left["left_out"] == "its license was not chosen for the release"
    with ZipFile(release.folder / "everything.zip") as whole:
        assert not [name for name in whole.namelist() if left["sha256"] in name]
    assert "| its license was not chosen for the release | 1 |" in (release.folder / "README.md").read_text()


def test_a_contained_picture_is_the_very_file(family: str) -> None:
    if family not in SHOWN:
        pytest.skip("there are no pictures in it")
    release = release_of(make_of(family), family)

    with ZipFile(release.folder / "everything.zip") as whole:
        for told in pictures(release):
            if told["file"]:
                content = whole.read(f"pictures/{told['file']}")
                Image.open(BytesIO(content)).verify()
                assert sha256(content).hexdigest() == told["sha256"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the validator's own
def test_the_description_is_valid(family: str) -> None:
    mlc = pytest.importorskip("mlcroissant")
    release = release_of(make_of(family), family, split_seed=1)

    described = mlc.Dataset(jsonld=str(release.folder / "croissant.json"))

    assert list(described.metadata.ctx.issues.errors) == []
    assert {one.name for one in described.metadata.record_sets} >= {MAIN[family]}
    first = next(iter(described.records(MAIN[family])))
    assert first


def test_the_card_has_the_standards_header(family: str) -> None:
    yaml = pytest.importorskip("yaml")
    release = release_of(make_of(family), family, notes="Made in spring.")

    text = (release.folder / "README.md").read_text()

    front = yaml.safe_load(text.split("---\n")[1])
    assert front["license"] == "cc-by-4.0"
    assert front["size_categories"] == ["n<1K"]
    assert front["annotations_creators"] == ["crowdsourced"]
    assert front["language"] == ["en"]
    assert front["configs"][0]["config_name"] == MAIN[family]
    assert "## People" in text
    assert "no worker's id" in text
    assert not any(marks in text for marks in ("{{", "{%", "None", "&amp;", "&lt;"))


def test_it_comes_out_the_same_after_each_step_was_lost(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_of(family)
    whole = release_of(study, family, linkable=True, split_seed=3)

    broken = _asked(study, family)
    for _ in range(200):
        broken.refresh_from_db()
        if broken.is_complete:
            break
        _die_before_noting(broken, monkeypatch)
        release_states.write_some(broken, clock=lambda: broken.made_at)

    names = [file["name"] for file in whole.files]
    assert [file["name"] for file in broken.files] == names
    for name in names:
        if name not in ("README.md", "croissant.json", "SHA256SUMS", "everything.zip"):
            assert (broken.folder / name).read_bytes() == (whole.folder / name).read_bytes(), name


def _asked(study: Study, family: str) -> Release:
    sources = {"sources": ["worker"]} if family == "winogavil" else {}
    return release_states.make_release(
        study=study, family=family, title="Data", version="2.0", licence=OPEN, picture_licences=[OPEN],
        linkable=True, split_seed=3, by=make_user(), now=NOW, **sources,
    )  # fmt: skip


class Killed(Exception):
    pass


def _die_before_noting(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write one step to the disk, and die before its row says so."""

    def dies(self: Release, *_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Release, "save", dies)
        with suppress(Killed):
            release_states.write_some(release, clock=lambda: release.made_at, stretch=timedelta())
