"""The start of the exception procedure's demo: a project, its test with a gate, and its models."""

import signal
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from crowd.demo.acts import log_path
from crowd.demo.demo_people import Cast
from crowd.winoventi.demo import world
from crowd.winoventi.domain import WALK
from crowd.winoventi.models import Project, Step
from crowd.winoventi.procedure.services.projects import add_nouns, open_project
from hits.batches.services import drafting
from hits.common.supervising import held_back, start_afresh
from hits.core.errors import CrowdError
from hits.studies.models import Batch
from qualifications.models import Gate
from qualifications.presets import PRESETS
from qualifications.services.gate_setup import add_gate, switch_gate
from scoring.models import RegisteredRival
from scoring.rivals import digest

# The limit of one worker, so that no worker makes most of the data alone.
MOST_EXCEPTIONS = 6
Kind = RegisteredRival.Kind


def open_procedure(cast: Cast) -> Project:
    """Open a project: models' steps go on by themselves, the researcher lets in what workers are asked."""
    project = open_project(study=cast.study, stop_list="\n".join(world.world()["stop_list"]))
    project.steps.filter(Q(kind=Step.Kind.GENERICS) | Q(kind=Step.Kind.FILTER)).update(by_itself=True)
    project.steps.filter(kind=Step.Kind.EXCEPTIONS).update(most_per_worker=MOST_EXCEPTIONS)
    add_nouns(project=project, words=world.nouns())
    return project


def open_gate(cast: Cast) -> Gate:
    preset = PRESETS[WALK]
    gate = Gate(
        study=cast.study,
        name=preset.name,
        description=preset.description,
        grading=preset.grading,
        test_task=preset.test_task,
        opens=list(preset.opens),
        items=preset.items,
    )
    add_gate(gate=gate, by=cast.researcher.user, now=timezone.now())
    switch_gate(gate=gate, on=True, by=cast.researcher.user, now=timezone.now())
    return gate


def draft_walk(cast: Cast, *, places: int) -> Batch:
    draft = drafting.start_draft(
        study=cast.study,
        account=cast.account,
        task=WALK,
        by=cast.researcher.user,
        items_from=Batch.ItemsFrom.FILE,
        assignments_per_hit=places,
        hits_wanted=1,
    )
    drafting.add_items(batch=draft, content=world.walk_file())
    draft.refresh_from_db()
    draft.hits_wanted = 1
    draft.save(update_fields=["hits_wanted"])
    return draft


def start_teaching(cast: Cast) -> subprocess.Popen[bytes]:
    """Start teaching the models in the background, while the servers start."""
    command = [sys.executable, "-m", "crowd.winoventi.demo.teach", str(_folder(cast))]
    with log_path().open("ab") as log, held_back(signal.SIGTERM, signal.SIGINT):
        return subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            stdout=log,
            stderr=log,
            preexec_fn=start_afresh,  # noqa: PLW1509
        )


def register_taught(cast: Cast, *, taught: subprocess.Popen[bytes]) -> dict[str, RegisteredRival]:
    """Wait until the models have learned, minutes on a busy machine, and register them by kind."""
    if code := taught.wait():
        raise CrowdError(f"The models could not be taught: that process ended with code {code}.")
    return {kind: _register(cast, kind) for kind in (Kind.MASKED, Kind.CAUSAL)}


def _register(cast: Cast, kind: str) -> RegisteredRival:
    folder = _folder(cast) / kind
    return RegisteredRival.objects.create(
        name=f"{cast.account.name}-{kind}",
        kind=kind,
        model="the demo's own, taught a few sentences",
        source="crowd/winoventi/demo/world.json",
        path=f"{cast.account.name}/{kind}",
        weights_sha256=digest(folder),
        options={"device": "cpu"},
        added_at=timezone.now(),
    )


def _folder(cast: Cast) -> Path:
    return Path(settings.WEIGHTS_DIR) / cast.account.name
