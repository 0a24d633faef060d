"""What `manage.py export winoventi` and the download in the admin write."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from crowd.winoventi.challenge.columns import FULL, PUBLISHED, SPLIT
from crowd.winoventi.challenge.rows import (
    Pairs,
    full_rows,
    published_rows,
    settled_pairs,
)
from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.evaluation import Split, split_full, split_half
from crowd.winoventi.models import Project
from crowd.winoventi.services.evaluating import prompt_id
from hits.datasets.columns import Row
from hits.datasets.writing import FORMATS, Counting, write_rows
from hits.errors import CrowdError
from hits.exports import Export, Naming, Tell, Wanted, salt_of
from hits.models import Study

SPLITS = {"half": split_half, "full": split_full}


class WinoventiExport(Export):
    family: ClassVar[str] = "winoventi"
    sources: ClassVar[tuple[str, ...]] = ()
    formats: ClassVar[tuple[str, ...]] = (*FORMATS, "tsv")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--splits",
            type=int,
            metavar="SEED",
            help="also what models are trained and tried on: half of the pairs, and four fifths of the "
            "exceptions; the same for the same seed",
        )

    def export(
        self, *, wanted: Wanted, folder: Path, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        if wanted.full and wanted.format == "tsv":
            raise CrowdError("The full form has rows within rows; write it as csv, jsonl or parquet.")
        project, seed = project_of(wanted.study), options.get("splits")
        pairs = settled_pairs(project, everything=wanted.everything)
        count = Counting(pairs.count() * len(KINDS), tell)
        path = folder / f"{'full' if wanted.full else 'challenge'}.{wanted.format}"
        if wanted.full:
            salt = salt_of(wanted.study, linkable=wanted.linkable)
            rows, columns = full_rows(pairs, naming=Naming(family=self.family, salt=salt)), FULL
        else:
            rows, columns = published_rows(pairs), PUBLISHED
        written = write_rows(path, columns, count.through(rows), form=wanted.format)
        report = {
            **written,
            "file": str(path),
            "rows": count.done,
            "study": wanted.study.name,
            "exported_at": now.isoformat(),
        }
        if seed is not None:
            report["splits"] = write_splits(project, folder=folder, seed=seed, form=wanted.format)
        return report


def project_of(study: Study) -> Project:
    project = Project.objects.filter(study=study).first()
    if project is None:
        raise CrowdError(f"The study “{study}” has no exception procedure.")
    return project


def write_splits(project: Project, *, folder: Path, seed: int, form: str) -> list[dict[str, Any]]:
    """One file for each part of both splits."""
    pairs = settled_pairs(project, everything=False)
    keys = [str(pk) for pk in pairs.order_by("pk").values_list("pk", flat=True)]
    return [
        write_rows(folder / f"{name}-{part}-{seed}.{form}", SPLIT, _rows_of(prompts, pairs), form=form)
        for name, make in SPLITS.items()
        for part, prompts in _parts(make(keys, seed=seed)).items()
    ]


def _parts(split: Split) -> Mapping[str, Sequence[tuple[str, str]]]:
    tests = {f"test-{name.replace(' ', '-')}": prompts for name, prompts in split.tests.items()}
    return {"train": split.train, **tests}


def _rows_of(prompts: Sequence[tuple[str, str]], pairs: Pairs) -> Iterator[Row]:
    """In the order of the set itself, whatever order they were drawn in."""
    wanted = {prompt_id(int(pair), kind) for pair, kind in prompts}
    return (row for row in published_rows(pairs) if row["prompt"] in wanted)
