"""An export that only lists its files: what is written of it, and what is said of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hits.core.errors import CrowdError
from hits.data.exports import DataFile, ExportChoice
from hits.data.project_exports import ProjectExport
from hits.datasets.columns import INTEGER, PERSON, TEXT, column
from hits.studies.models import Batch, Study
from hits.work.models.hits import HIT
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study

pytestmark = pytest.mark.django_db


def read_hits(batch: Batch, *, everything: bool) -> Iterator[HIT]:
    hits = batch.hits.order_by("pk")
    yield from hits if everything else hits.exclude(status=HIT.Status.CLOSED)


class BatchExport(ProjectExport):
    family = "batches"
    sources = ()
    projects = Batch
    about = "batch"
    files = {
        "hits": DataFile(words="HITs", columns=(column("status", TEXT, "its state"),), read=read_hits),
        "people": DataFile(
            words="People",
            columns=(
                column("number", INTEGER, "of the HIT"),
                column("by", PERSON, "who", of=lambda hit: hit.assignments.get().worker.public_id),
            ),
            read=read_hits,
        ),
    }
    published = ("hits",)
    full = ("people", "hits")

    def count(self, source: Batch, *, everything: bool) -> int:
        return len(list(read_hits(source, everything=everything)))


def export(study: Study, folder: Path, **changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "study": study, "format": "jsonl", "full": False, "everything": False, "sources": (),
        "linkable": True, **changes,
    }  # fmt: skip
    return BatchExport().export(wanted=ExportChoice(**values), folder=folder, tell=lambda *_: None, now=NOW)


def make_hits() -> Study:
    batch = make_batch(status="open")
    make_assignment(hit=make_hit(batch=batch))
    make_assignment(hit=make_hit(batch=batch, status="closed"))
    return batch.study


def test_first_file_is_the_one_that_is_told_of(tmp_path: Path) -> None:
    study = make_hits()

    report = export(study, tmp_path)

    assert (report["rows"], report["file"]) == (1, str(tmp_path / "hits.jsonl"))
    assert (report["study"], report["exported_at"]) == (study.name, NOW.isoformat())
    assert (tmp_path / "hits.jsonl").read_text() == '{"status":"open"}\n'
    assert [path.name for path in tmp_path.iterdir()] == ["hits.jsonl"]


def test_full_form_has_every_file_and_people_under_pseudonyms(tmp_path: Path) -> None:
    report = export(make_hits(), tmp_path, full=True, everything=True)

    people = [json.loads(line)["by"] for line in (tmp_path / "people.jsonl").read_text().splitlines()]
    assert [name[:2] for name in people] == ["w-", "w-"]
    assert (report["name"], report["hits"]["name"], report["rows"]) == ("people.jsonl", "hits.jsonl", 2)


def test_study_without_a_project_is_told_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(CrowdError, match="The study “Bare” has no batch"):
        export(make_study(name="Bare"), tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_record_and_files_are_named_by_the_family() -> None:
    assert (BatchExport().recorded, BatchExport().stem) == ("batches.taken", "batches")
