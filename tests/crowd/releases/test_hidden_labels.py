"""Labels of a hidden split never leave: not in a file, not on a page, not in an answer of the API."""

import json
from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

import pyarrow.parquet as pq
import pytest
from django.test import Client
from django.urls import reverse

from crowd.releases.family_contents import contents_of
from crowd.releases.models import Release
from crowd.releases.services.survey import frozen_rows
from crowd.releases.splits import TEST, split_of
from crowd.winoground.models import Example
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER
from tests.crowd.releases.studies import MAIN, STUDIES, make_of, release_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
SEED = 2


@pytest.fixture(params=list(STUDIES))
def release(request: pytest.FixtureRequest) -> Release:
    family = str(request.param)
    return release_of(make_of(family, items=40), family, split_seed=SEED, hides_test=True, linkable=True)


def lines(release: Release, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (release.folder / name).read_text().splitlines()]


def is_hidden(release: Release, item: object) -> bool:
    return split_of(str(item), seed=SEED) == TEST


def told(value: Any) -> Iterator[str]:
    """Every text of a value that could tell an answer; short ones are in too many places."""
    if isinstance(value, str) and len(value) > 6:
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from told(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from told(inner)


def test_rows_of_the_hidden_split_have_no_labels(release: Release) -> None:
    for file in contents_of(release).files(release):
        rows = lines(release, f"{file.name}.jsonl")
        known = {one["split"] for one in rows}
        assert not rows or ("test" in known) != file.tells
        for row in rows:
            if row["split"] == "test":
                for name in file.labels:
                    outer, _, inner = name.partition("/")
                    if outer not in row:
                        continue
                    assert row[outer] is None or (inner and {one[inner] for one in row[outer]} == {None}), (
                        name
                    )


def test_rows_of_the_open_split_keep_theirs(release: Release) -> None:
    main = contents_of(release).files(release)[0]

    kept = [row for row in lines(release, f"{main.name}.jsonl") if row["split"] == "train"]

    assert kept
    assert any(row[name] is not None for row in kept for name in main.labels if "/" not in name)


def test_parquet_and_csv_have_no_more(release: Release) -> None:
    main = contents_of(release).files(release)[0]
    hidden = [row for row in lines(release, f"{main.name}.jsonl") if row["split"] == "test"]
    parquet = pq.read_table(release.folder / f"{main.name}.parquet").to_pylist()

    labels = [name for name in main.labels if "/" not in name]
    assert len(hidden) == sum(row["split"] == "test" for row in parquet) > 0
    assert {row[name] for row in parquet if row["split"] == "test" for name in labels} == {None}


def test_texts_that_only_hidden_rows_have_are_in_no_file(release: Release) -> None:
    """Look for each label of a hidden row, as it was frozen, in the bytes of every file."""
    files = contents_of(release).files(release)
    secret, known = set[str](), set[str]()
    for file in files:
        for row in frozen_rows(release, file.part):
            hidden = is_hidden(release, row[file.item])
            for name, value in row.items():
                is_label = any(name == one.partition("/")[0] for one in file.labels)
                (secret if hidden and is_label and "/" not in name else known).update(told(value))
    secret -= known
    everything = {path.name: path.read_bytes() for path in release.folder.iterdir() if path.suffix != ".zip"}
    with ZipFile(release.folder / "everything.zip") as whole:
        everything |= {f"zip/{name}": whole.read(name) for name in whole.namelist()}

    found = [
        (name, text) for text in secret for name, content in everything.items() if text.encode() in content
    ]

    assert found == []


def test_pages_and_the_api_have_no_rows(client: Client, release: Release) -> None:
    sign_in(client, RESEARCHER, release.study)

    page = client.get(reverse("admin:releases_release_change", args=[release.pk])).content.decode()
    answer = client.get(f"/api/releases/{release.public_id}/").content.decode()

    main = contents_of(release).files(release)[0]
    for row in frozen_rows(release, main.part):
        assert str(row[main.item]) not in page + answer or len(str(row[main.item])) < 6
    assert "frozen" not in page + answer
    for name in (release.frozen.name, "survey.sqlite3", "full-frozen"):
        assert client.get(reverse("admin:releases_file", args=[release.pk, name])).status_code == 404


def test_images_of_hidden_examples_stand_in_any_order() -> None:
    release = release_of(make_of("winoground", items=100), "winoground", split_seed=SEED, hides_test=True)
    first = {
        str(one.public_id): getattr(one.image_0, "sha256", "")
        for one in Example.objects.select_related("image_0")
    }

    rows = lines(release, "examples.jsonl")

    def swapped(split: str) -> list[bool]:
        return [row["image_0_sha256"] != first[row["example"]] for row in rows if row["split"] == split]

    assert not any(swapped("train"))
    assert any(swapped("test"))
    assert not all(swapped("test"))


def test_hidden_prompts_do_not_tell_which_of_their_pair_they_are() -> None:
    release = release_of(make_of("winoventi", items=30), "winoventi", split_seed=SEED, hides_test=True)
    rows = [row for row in lines(release, "challenge.jsonl") if row["split"] == "test"]
    kinds = {row["masked_prompt"] for row in rows}

    assert rows
    assert len({row["prompt"] for row in rows}) == len(rows)
    assert all(row["prompt"].startswith("p-") for row in rows)
    firsts = [row["masked_prompt"].startswith("She made a face") for row in rows[::2]]
    assert any(firsts)
    assert not all(firsts)
    assert len(kinds) > 1


@pytest.mark.parametrize("family", ["winogavil", "winoventi"])
def test_nothing_is_hidden_without_a_split(family: str) -> None:
    study = make_of(family)

    with pytest.raises(RuleBroken, match="only where there are splits"):
        release_of(study, family, hides_test=True)


def test_main_files_are_those_that_the_tests_name() -> None:
    for family, name in MAIN.items():
        release = release_of(make_of(family), family)
        assert contents_of(release).files(release)[0].name == name
