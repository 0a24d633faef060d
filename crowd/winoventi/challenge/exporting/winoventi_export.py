"""Export of the challenge set, by `manage.py export winoventi` and by the download in the admin."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from crowd.winoventi.challenge.exporting.columns import FULL, PUBLISHED, SPLIT
from crowd.winoventi.challenge.queries.prompt_rows import read_prompts, settled_pairs
from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.evaluation import Split, split_full, split_half
from crowd.winoventi.domain.prompts import prompt_id
from crowd.winoventi.models import Project
from hits.core.errors import CrowdError
from hits.data.exports import DataFile, ExportChoice, Tell
from hits.data.project_exports import ProjectExport
from hits.datasets.columns import Row, rows_of
from hits.datasets.file_writer import FORMATS, write_rows

SPLITS = {"half": split_half, "full": split_full}
CHALLENGE = DataFile(
    words="As the paper published it: nine columns, two prompts a pair",
    columns=PUBLISHED,
    read=read_prompts,
)
FILES = {
    "challenge": CHALLENGE,
    # The same file under the name that the admin's form uses.
    "published": CHALLENGE,
    "full": DataFile(
        words="In full: with where each part comes from",
        columns=FULL,
        read=partial(read_prompts, in_full=True),
    ),
}


class WinoventiExport(ProjectExport):
    family: ClassVar[str] = "winoventi"
    sources: ClassVar[tuple[str, ...]] = ()
    formats: ClassVar[tuple[str, ...]] = (*FORMATS, "tsv")
    projects = Project
    about = "exception procedure"
    files = FILES
    published = ("challenge",)
    full = ("full",)
    recorded = "challenge_set.taken"
    stem = "challenge"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--splits",
            type=int,
            metavar="SEED",
            help="also write splits to train and test models: half of the pairs, and four fifths of the "
            "exceptions; the same seed makes the same splits",
        )

    def export(
        self, *, wanted: ExportChoice, folder: Path, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        if wanted.full and wanted.format == "tsv":
            raise CrowdError("The full form has rows within rows; write it as csv, jsonl or parquet.")
        report = super().export(wanted=wanted, folder=folder, tell=tell, now=now)
        if (seed := options.get("splits")) is not None:
            project = self.source_in(wanted.study)
            report["splits"] = write_splits(project, folder=folder, seed=seed, form=wanted.format)
        return report

    def count(self, project: Project, *, everything: bool) -> int:
        return settled_pairs(project, everything=everything).count() * len(KINDS)


def write_splits(project: Project, *, folder: Path, seed: int, form: str) -> list[dict[str, Any]]:
    """Write one file for each part of both splits."""
    pairs = settled_pairs(project, everything=False)
    keys = [str(pk) for pk in pairs.order_by("pk").values_list("pk", flat=True)]
    return [
        write_rows(folder / f"{name}-{part}-{seed}.{form}", SPLIT, _rows_of(prompts, project), form=form)
        for name, make in SPLITS.items()
        for part, prompts in _parts(make(keys, seed=seed)).items()
    ]


def _parts(split: Split) -> Mapping[str, Sequence[tuple[str, str]]]:
    tests = {f"test-{name.replace(' ', '-')}": prompts for name, prompts in split.tests.items()}
    return {"train": split.train, **tests}


def _rows_of(prompts: Sequence[tuple[str, str]], project: Project) -> Iterator[Row]:
    """Rows in the order of the challenge set, whatever order the split drew them in."""
    wanted = {prompt_id(int(pair), kind) for pair, kind in prompts}
    told = read_prompts(project, everything=False)
    return rows_of(SPLIT, (one for one in told if one.prompt in wanted))
