"""Plays a rehearsal's file in this process; `rehearse` starts it in an environment of its own."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from crowd.rehearsal.playing.rehearsed_runs import play_runs


class Command(BaseCommand):
    help = "Plays a rehearsal's file and prints its report. Refuses any database but one in memory."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *_: Any, **options: Any) -> None:
        spec = json.loads(options["file"].read_text())
        report = play_runs(spec, tell=self._tell)
        self.stdout.write(json.dumps(report))

    def _tell(self, run: int, done: int, goal: int) -> None:
        self.stderr.write(f"\rRun {run}: {done} of {goal} items are final", ending="")
