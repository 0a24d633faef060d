import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crowd.pictures.bringing.import_lines import ConceptFrom, Reading
from crowd.pictures.bringing.sources import Source
from crowd.pictures.queries.wanted_concepts import ready_lists
from crowd.pictures.services.picture_imports import Rights, about_wanted, bring_lines, open_path
from hits.core.errors import InvalidItems
from qualifications.models import SwowList
from qualifications.queries.association_graph import ready_list


class Command(BaseCommand):
    help = (
        "Brings pictures into the pool from a folder, a ZIP archive, or a CSV list (concept, file or url, "
        "source, licence, credit, caption) with its files beside it. Prints a summary as JSON."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument(
            "--concept-from",
            choices=[*ConceptFrom],
            default=ConceptFrom.FILE,
            help="without a list: what names the concept, the file itself or its folder",
        )
        parser.add_argument("--source", default="", help="where a line does not say it")
        parser.add_argument("--licence", default="", help="where a line does not say it")
        parser.add_argument("--credit", default="", help="where a line does not say it")
        parser.add_argument(
            "--checked", action="store_true", help="every picture has been looked at already: no manual check"
        )

        parser.add_argument(
            "--for-list",
            default="",
            metavar="NAME",
            help="only concepts of this list that still need a picture; lines without one are left out",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        began = monotonic()
        concept_from = ConceptFrom(options["concept_from"])
        swow = self._list(options["for_list"])
        opened = open_path(options["path"], concept_from=concept_from, is_partial=swow is not None)
        try:
            with opened as (source, read):
                reading = read if swow is None else about_wanted(read, swow=swow)
                counts, problems = self._bring(source, reading, options)
        except InvalidItems as invalid:
            raise CommandError("\n".join(invalid.problems)) from invalid
        for problem in problems:
            self.stderr.write(problem)
        self.stdout.write(json.dumps({**counts, "seconds": round(monotonic() - began, 1)}))
        if problems:
            words = "1 line is wrong" if len(problems) == 1 else f"{len(problems)} lines are wrong"
            raise CommandError(f"{words}, as named above. The others are in the pool.")

    def _list(self, name: str) -> SwowList | None:
        """The list of this name; None for no name. Raises CommandError for one that is not there."""
        if not name:
            return None
        if found := ready_list(name):
            return found
        known = ", ".join(ready_lists().values_list("name", flat=True)) or "none"
        raise CommandError(f"There is no association list {name} that is ready. There are: {known}.")

    def _bring(
        self, source: Source, reading: Reading, options: Mapping[str, Any]
    ) -> tuple[dict[str, int], list[str]]:
        rights = Rights(**{name: options[name] for name in ("source", "licence", "credit")})
        counts, problems = {"added": 0, "duplicates": 0}, list(reading.problems)
        outcomes = bring_lines(reading.lines, source=source, rights=rights, is_checked=options["checked"])
        for done, outcome in enumerate(outcomes, start=1):
            if outcome.entered is None:
                problems.append(outcome.problem)
            else:
                counts["added" if outcome.entered.is_new else "duplicates"] += 1
            self._show_progress(done, len(reading.lines))
        left_out = {"unwanted": reading.unwanted, "empty": reading.empty} if options["for_list"] else {}
        return {**counts, **left_out, "failed": len(problems)}, problems

    def _show_progress(self, done: int, total: int) -> None:
        """Show one line that counts up, if a person watches a terminal."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{done} of {total}" + ("\n" if done == total else ""))
            sys.stderr.flush()
