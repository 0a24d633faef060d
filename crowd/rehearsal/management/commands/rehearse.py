"""Rehearses a draft by command line: `manage.py rehearse BATCH --assume workers=50`."""

import json
import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crowd.rehearsal.domain.assumptions import read_assumptions
from crowd.rehearsal.playing.child_process import Progress, play_apart
from crowd.rehearsal.playing.specs import write_spec
from crowd.rehearsal.services.rehearsal_jobs import MOST_SEED, usual_assumptions
from hits.core.errors import CrowdError
from hits.studies.models import Batch


class Command(BaseCommand):
    help = "Plays a draft with simulated workers on a private copy, and prints the report as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", help="public id of the draft")
        parser.add_argument(
            "--assume", action="append", default=[], metavar="NAME=NUMBER", help="zones=-5,5.5 names several"
        )
        parser.add_argument("--seed", type=int, help="the same seed plays the same rehearsal")

    def handle(self, *_: Any, **options: Any) -> None:
        batch = Batch.objects.filter(public_id=options["batch"], status=Batch.Status.DRAFT).first()
        if batch is None:
            raise CommandError("There is no draft with this public id.")
        try:
            pairs = (one.partition("=") for one in options["assume"])
            typed = {name: _read_value(name, value) for name, _, value in pairs}
            assumed = read_assumptions({**usual_assumptions(batch).as_data(), **typed})
        except ValueError as problem:
            raise CommandError(str(problem)) from problem
        seed = secrets.randbelow(MOST_SEED) if options["seed"] is None else options["seed"]
        try:
            spec = write_spec(batch, assumed=assumed, seed=seed, now=timezone.now())
        except CrowdError as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(json.dumps(play_apart(spec, tell=self._tell), indent=2))

    def _tell(self, at: Progress) -> None:
        self.stderr.write(f"\rRun {at.run}: {at.done} of {at.goal} items are final", ending="")


def _read_value(name: str, value: str) -> Any:
    """Read what was typed; what is no number is refused where assumptions are read."""
    return [float(one) for one in value.split(",")] if name == "zones" else int(value)
