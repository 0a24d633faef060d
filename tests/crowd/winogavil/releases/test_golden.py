"""Exports of associations in every form are byte for byte what they were before."""

from pathlib import Path

import pytest
from django.conf import LazySettings

from crowd.pictures.models import Picture
from crowd.releases.models import Release
from crowd.releases.services import release_states
from crowd.winogavil.models import Association
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.exported import KEYS, check_exported, export_all, number_ids
from tests.crowd.winogavil.releases.data import add_verdict, make_final, people
from tests.factories import NOW, make_study, make_user

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def study(settings: LazySettings, tmp_path: Path) -> Study:
    settings.PSEUDONYM_KEYS, settings.RELEASES_ROOT = KEYS, tmp_path / "releases"
    study = make_study(name="Golden")
    author, *solvers = people(4)
    concepts = ["=mööse", "moose", "cup, tea", "key", "tree"]
    first = make_final(study, cue="cold", author=author, concepts=concepts, set_key="first")
    add_verdict(first)
    picks = dict.fromkeys(solvers, (2, 3))
    make_final(study, cue="@hot", source="recorded", recorded_as="A1", picks=picks, concepts=concepts,
               set_key="second", predicted=None)  # fmt: skip
    number_ids(Study, Worker, Item)
    Item.objects.update(created_at=NOW)
    for number, picture in enumerate(Picture.objects.order_by("pk")):
        Picture.objects.filter(pk=picture.pk).update(sha256=f"{number:064x}")
    return Study.objects.get(pk=study.pk)


def test_files_of_the_command_stay_as_they_were(study: Study, tmp_path: Path) -> None:
    written = export_all("winogavil", study, tmp_path)

    assert len(written) == 6
    check_exported(GOLDEN, written)


def test_files_of_a_release_stay_as_they_were(study: Study) -> None:
    sources = [str(Association.Source.WORKER), str(Association.Source.RECORDED)]
    release_states.make_release(
        family="winogavil", study=study,
        title="Golden", version="1", licence="CC0", sources=sources, by=make_user(), now=NOW,
        with_rest=True,
    )  # fmt: skip
    number_ids(Release)

    while not release_states.write_releases(clock=lambda: NOW):
        pass

    files = [
        path
        for path in Release.objects.get().folder.iterdir()
        if path.suffix in (".csv", ".jsonl", ".parquet")
    ]
    assert len(files) == 7
    check_exported(GOLDEN, {f"release-{path.name}": path.read_bytes() for path in files})
