import json
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from hits.core.errors import CrowdError
from qualifications.models import SwowList
from qualifications.services.list_imports import Source, import_swow

EXAMPLES = """
  manage.py import_swow strength.SWOW-EN.R123.csv.gz --name swow-en
  manage.py import_swow counts.csv --language de --licence "CC BY 4.0"
"""


class Command(BaseCommand):
    help = (
        "Reads a strength file of Small World of Words (tab-separated, as distributed), or a CSV of cue, "
        "response and count, packed by gzip or not. Bring the file yourself: it may not be passed on. "
        "Killed in the middle, it goes on when it is started again." + EXAMPLES
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", default="", help="what the list is called (default: as the file is)")
        parser.add_argument("--language", default="en", help="of the words, as a code (default: en)")
        parser.add_argument(
            "--licence", help="what the file comes under (default: that of the published ones)"
        )
        parser.add_argument(
            "--again", action="store_true", help="another list of a file that is here already"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object at the end, for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        began, started_at = time.monotonic(), timezone.now()
        path: Path = options["file"]
        source = Source(
            path=path,
            name=options["name"] or path.name.removesuffix(".gz").rpartition(".")[0] or path.name,
            language=options["language"],
            licence=options["licence"],
        )
        shows = self.stdout.isatty() and not options["json"]
        size = path.stat().st_size if path.is_file() else 0

        def tell(swow: SwowList, read: int) -> None:
            if shows:
                share = 100 * read // max(size, 1)
                self.stdout.write(f"\r{share:3} %  {swow.rows:,} rows, {swow.bad_lines:,} bad", ending="")

        try:
            swow = import_swow(source=source, again=options["again"], clock=timezone.now, tell=tell)
        except CrowdError as error:
            raise CommandError(str(error)) from error
        if shows:
            self.stdout.write("")
        was_here = bool(swow.imported_at and swow.imported_at < started_at)
        report = _report(swow, was_here=was_here, seconds=time.monotonic() - began)
        self.stdout.write(json.dumps(report) if options["json"] else _in_words(swow, was_here=was_here))
        if swow.status == SwowList.Status.FAILED:
            raise CommandError(swow.problem)


def _report(swow: SwowList, *, was_here: bool, seconds: float) -> dict[str, Any]:
    return {
        "name": swow.name,
        "kind": swow.kind,
        "language": swow.language,
        "licence": swow.licence,
        "sha256": swow.sha256,
        "status": swow.status,
        "already_imported": was_here,
        "rows": swow.rows,
        "bad_lines": swow.bad_lines,
        "problems": swow.problems,
        "words": swow.words_count,
        "cues": swow.cues_count,
        "associations": swow.edges_count,
        "seconds": round(seconds, 2),
    }


def _in_words(swow: SwowList, *, was_here: bool) -> str:
    counts = (
        f"{swow.rows:,} rows, {swow.words_count:,} words, {swow.cues_count:,} cues, "
        f"{swow.edges_count:,} associations"
    )
    if was_here:
        return f"Already imported as {swow.name}: {counts}. With --again it becomes another list."
    lines = [f"{swow.name} ({swow.get_status_display()}): {counts}."]
    if swow.bad_lines:
        lines.append(f"{swow.bad_lines:,} lines could not be counted. The first of them:")
        lines += [f"  {problem}" for problem in swow.problems]
    return "\n".join(lines)
