import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from hits.core.errors import CrowdError
from hits.data import exports
from hits.studies.models import Study


class Command(BaseCommand):
    help = (
        "Writes a study's data into a file, under pseudonyms that are new in each export. For data to be "
        "published make a release in the admin: it is frozen, and has a card. See docs/releases.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        families = parser.add_subparsers(dest="family", required=True, metavar="FAMILY", title="families")
        for name, export in exports.registered().items():
            _add_arguments(families.add_parser(name), export)

    def handle(self, *_: Any, family: str, study: str, out: Path, **options: Any) -> None:
        try:
            export = exports.get(family)
            wanted = exports.ExportChoice(
                study=_find(study),
                format=options["format"],
                full=options["full"],
                everything=options["all"],
                sources=_check(export, options["sources"]),
                linkable=options["linkable"],
            )
            own = _options_of(export, options)
            report = export.export(wanted=wanted, folder=out, tell=self._tell, now=timezone.now(), **own)
        except CrowdError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename or out}: {error.strerror}.") from error
        self._say("")
        self.stdout.write(
            json.dumps(report) if options["json"] else f"{report['rows']} rows: {report['file']}"
        )

    def _tell(self, done: int, of: int) -> None:
        self._say(f"{done:,} of {of:,}")

    def _say(self, words: str) -> None:
        """Overwrite the status line, only if the output is a terminal."""
        if self.stderr.isatty():
            self.stderr.write(f"\r{words:<40}\r{words}", style_func=str, ending="")


def _add_arguments(parser: ArgumentParser, export: exports.Export) -> None:
    parser.add_argument("--study", required=True, metavar="NAME")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="made if it is not there")
    parser.add_argument("--format", choices=export.formats, default="csv")
    parser.add_argument("--full", action="store_true", help="also write where each row comes from")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--selected", action="store_true", help="only what people solve (the default)")
    which.add_argument("--all", action="store_true", help="everything that is final")
    parser.add_argument(
        "--sources",
        nargs="+",
        default=[],
        metavar="SOURCE",
        help="sources to export (default: all but those exported only by choice)",
    )
    parser.add_argument(
        "--linkable", action="store_true", help="use the same pseudonyms in every linkable export"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    export.add_arguments(parser)


def _options_of(export: exports.Export, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the family's own options, without those of the command."""
    parser = ArgumentParser(add_help=False)
    export.add_arguments(parser)
    return {name: options[name] for name in vars(parser.parse_args([]))}


def _find(name: str) -> Study:
    found = Study.objects.filter(name=name).first()
    if found is None:
        names = ", ".join(Study.objects.order_by("name").values_list("name", flat=True)[:20])
        raise CrowdError(f"There is no study {name!r}. There are: {names or 'none'}.")
    return found


def _check(export: exports.Export, sources: list[str]) -> list[str]:
    if unknown := sorted(set(sources) - set(export.sources)):
        known = ", ".join(export.sources)
        raise CrowdError(f"There is no source {', '.join(unknown)}. There are: {known}.")
    return sources
