"""Rehearses a draft by command line: `manage.py rehearse BATCH --assume workers=50`."""

import json
import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crowd.rehearsal.domain.assumptions import read_assumptions
from crowd.rehearsal.playing.child_process import play_apart
from crowd.rehearsal.playing.private_copy import write_copy
from crowd.rehearsal.playing.rehearsed_runs import rehearsal_of
from hits.studies.models import Batch


class Command(BaseCommand):
    help = "Plays a draft with simulated workers on a private copy, and prints the report as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", help="public id of the draft")
        parser.add_argument("--assume", action="append", default=[], metavar="NAME=NUMBER")
        parser.add_argument("--seed", type=int, help="the same seed plays the same rehearsal")

    def handle(self, *_: Any, **options: Any) -> None:
        batch = Batch.objects.filter(public_id=options["batch"], status=Batch.Status.DRAFT).first()
        if batch is None:
            raise CommandError("There is no draft with this public id.")
        try:
            pairs = (one.partition("=") for one in options["assume"])
            assumed = read_assumptions({name: int(value) for name, _, value in pairs})
        except ValueError as problem:
            raise CommandError(str(problem)) from problem
        family = rehearsal_of(batch.task)
        spec = {
            "batch": batch.pk,
            "copy": write_copy(batch, family=family),
            "recorded": family.record(batch.study),
            "begins_at": timezone.now().isoformat(),
            "assumed": assumed.as_data(),
            "seed": secrets.randbelow(10**6) if options["seed"] is None else options["seed"],
        }
        self.stdout.write(json.dumps(play_apart(spec), indent=2))
