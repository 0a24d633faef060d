from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.module_loading import import_string

from crowd import family as families
from hits.core.errors import CrowdError
from hits.datasets.papers import FORMS, draw_paper, papers_of
from hits.datasets.stat_table import StatTable
from hits.studies.models import Study


class Command(BaseCommand):
    help = "Draws the charts of a study's statistics as files for a paper. It needs the group figures."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("family", choices=[one.key for one in families.registered() if one.tables])
        parser.add_argument("--study", required=True, metavar="NAME")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="made if it is not there")
        parser.add_argument("--format", choices=FORMS, default="svg")

    def handle(self, *_: Any, family: str, study: str, out: Path, **options: Any) -> None:
        found = Study.objects.filter(name=study).first()
        if found is None:
            raise CommandError(f"There is no study {study!r}.")
        try:
            tables = import_string(families.get(family).tables)(study=found, now=timezone.now())
            for path in _draw(tables, out, form=options["format"]):
                self.stdout.write(str(path))
        except CrowdError as error:
            raise CommandError(str(error)) from error


def _draw(tables: list[StatTable], folder: Path, *, form: str) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        for chart in papers_of(table):
            path = folder / f"{table.name}-{chart.name}.{form}"
            path.write_bytes(draw_paper(chart, form=form))
            yield path
