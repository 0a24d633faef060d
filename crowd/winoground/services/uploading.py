"""A model's scores from a file: whole, or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

import structlog
from django.db import transaction

from crowd.winoground.domain import PLACES
from crowd.winoground.domain.scores import Four
from crowd.winoground.models import ModelScore, ModelScores, Pairing, Project
from crowd.winoground.queries.scoring import SCORED
from crowd.winoground.services.score_files import Known, read_scores
from hits.errors import RuleBroken
from hits.models import User

AT_ONCE = 2_000
# What tables call others.
TAKEN = ("people", "chance", "all")
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Upload:
    """`missing`: examples that could be scored, and that the file does not name."""

    model: ModelScores
    examples: int
    missing: int


@transaction.atomic
def add_model(*, project: Project, name: str, about: str, file: BinaryIO, by: User, now: datetime) -> Upload:
    """Under a new name. Raises RuleBroken of the name, and InvalidItems of the file."""
    _lock(project)
    name = " ".join(name.split())
    if not name or name.casefold() in TAKEN:
        raise RuleBroken("bad_name", "Give the model a name of its own.")
    if ModelScores.objects.filter(project=project, name__iexact=name).exists():
        raise RuleBroken(
            "known_name", f"There are scores of {name} already. Replace those, or take another name."
        )
    fours = read_scores(file, known=_known(project))
    model = ModelScores.objects.create(project=project, name=name, about=about, added_by=by, added_at=now)
    return _record(model, fours)


@transaction.atomic
def replace_model(*, model: ModelScores, about: str, file: BinaryIO, by: User, now: datetime) -> Upload:
    """What was there is gone, once the new file is whole."""
    _lock(model.project)
    if not ModelScores.objects.filter(pk=model.pk).exists():
        raise RuleBroken("gone", "These scores were removed meanwhile. Upload them as new ones.")
    fours = read_scores(file, known=_known(model.project))
    model.rows.all().delete()
    model.about, model.added_by, model.added_at = about, by, now
    model.save(update_fields=["about", "added_by", "added_at"])
    return _record(model, fours)


@transaction.atomic
def remove_model(*, model: ModelScores) -> None:
    """Gone already, it stays gone."""
    _lock(model.project)
    ModelScores.objects.filter(pk=model.pk).delete()
    log.info("winoground.scores_removed", project=model.project_id, model=model.name)


def _lock(project: Project) -> None:
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _known(project: Project) -> Known:
    known, others = {}, {}
    for example in project.examples.only("number", "public_id", "state"):
        names = (str(example.number), str(example.public_id))
        if example.state == SCORED:
            known.update(dict.fromkeys(names, example.pk))
        else:
            others.update(dict.fromkeys(names, example.get_state_display().lower()))
    return Known(examples=known, others=others)


def _record(model: ModelScores, fours: Mapping[int, Four]) -> Upload:
    pairings = _pairings(model.project)
    ModelScore.objects.bulk_create(
        (
            ModelScore(scores=model, pairing_id=pairings[example, *place], value=float(value))
            for example, four in fours.items()
            for place, value in zip(PLACES, four, strict=True)
        ),
        batch_size=AT_ONCE,
    )
    log.info("winoground.scores_added", project=model.project_id, model=model.name, examples=len(fours))
    scorable = len(pairings) // len(PLACES)
    return Upload(model=model, examples=len(fours), missing=scorable - len(fours))


def _pairings(project: Project) -> dict[tuple[int, int, int], int]:
    rows = Pairing.objects.filter(example__project=project, example__state=SCORED)
    return {
        (example, caption, image): pairing
        for pairing, example, caption, image in rows.values_list("pk", "example", "caption", "image")
    }
