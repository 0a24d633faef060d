"""A model's scores from a file: all of it, or nothing."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import structlog
from django.db import transaction

from crowd.winoground.domain import PLACES
from crowd.winoground.models import Pairing, Project
from crowd.winoground.models.caption_scores import ModelScore, ModelScores
from crowd.winoground.queries.scoring import SCORED
from crowd.winoground.services.score_files import (
    ANY_OF,
    COLUMNS,
    KnownExamples,
    check_whole,
    read_row,
    say_called,
)
from hits.data.services.model_results import ModelResults

AT_ONCE = 2_000
# Names that tables give to others.
TAKEN = ("people", "chance", "all")
log = structlog.get_logger()


@contextmanager
def _held(project: Project) -> Iterator[Project]:
    with transaction.atomic():
        yield Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _known(project: Project) -> KnownExamples:
    known, others = {}, {}
    for example in project.examples.only("number", "public_id", "state"):
        names = (str(example.number), str(example.public_id))
        if example.state == SCORED:
            known.update(dict.fromkeys(names, example.pk))
        else:
            others.update(dict.fromkeys(names, example.get_state_display().lower()))
    return KnownExamples(examples=known, others=others)


def _taken(project: Project, name: str) -> str:
    is_bad = not name or name.casefold() in TAKEN
    return "Give the model a name of its own." if is_bad else ""


def _store(model: ModelScores, found: Mapping[tuple[int, int], float]) -> int:
    pairings = _pairings(model.project)
    ModelScore.objects.bulk_create(
        (
            ModelScore(scores=model, pairing_id=pairings[example, *PLACES[place]], value=value)
            for (example, place), value in found.items()
        ),
        batch_size=AT_ONCE,
    )
    examples = len(found) // len(PLACES)
    log.info("winoground.scores_added", project=model.project_id, model=model.name, examples=examples)
    return examples


def _pairings(project: Project) -> dict[tuple[int, int, int], int]:
    rows = Pairing.objects.filter(example__project=project, example__state=SCORED)
    return {
        (example, caption, image): pairing
        for pairing, example, caption, image in rows.values_list("pk", "example", "caption", "image")
    }


SCORES = ModelResults(
    name="scores",
    of=ModelScores,
    header={"of": "project", "name": "name", "about": "about", "by": "added_by", "at": "added_at"},
    columns=COLUMNS,
    any_of=ANY_OF,
    held=_held,
    subjects=_known,
    row=read_row,
    called=say_called,
    whole=check_whole,
    store=_store,
    missing=lambda project, count: len(_pairings(project)) // len(PLACES) - count,
    taken=_taken,
)
