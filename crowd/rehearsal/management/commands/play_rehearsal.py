"""Plays a rehearsal in this process; `rehearse` and the background start it in an environment of its own."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from crowd.rehearsal.playing.child_process import (
    PROBLEM,
    Progress,
    end_with_parent,
    read_spec,
    tell_progress,
    tell_report,
)
from crowd.rehearsal.playing.rehearsed_runs import play_runs
from hits.core.errors import CrowdError


class Command(BaseCommand):
    help = "Plays the rehearsal in a folder and writes its report there, in a database in memory alone."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *_: Any, **options: Any) -> None:
        folder = options["folder"]
        end_with_parent()

        def tell(run: int, done: int, goal: int) -> None:
            tell_progress(folder, Progress(run=run, done=done, goal=goal))

        try:
            report = play_runs(read_spec(folder), tell=tell)
        except CrowdError as problem:
            report = {PROBLEM: str(problem)}
        tell_report(folder, report)
