"""The demo's start: a project, reviewers, training images and a gate; later, the imported texts."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import Group
from django.utils import timezone

from crowd.demo import scenes
from crowd.demo.demo_people import Cast
from crowd.pictures.files.single_uploads import read_upload
from crowd.whoops.annotate.services.training_images import add_training_image
from crowd.whoops.design.services.invitations import want_designers
from crowd.whoops.domain import EXAMPLES
from crowd.whoops.judge.services.question_import import import_rows
from crowd.whoops.models import Image, Project
from crowd.whoops.models.judged_items import Question
from hits.admin.projects.project_page import open_project
from hits.batches.services import drafting
from hits.identity.models.users import User
from hits.identity.roles import REVIEWER
from hits.studies.models import Batch
from qualifications.models import Gate
from qualifications.presets import PRESETS
from qualifications.services.gate_setup import add_gate, switch_gate

WORLD = scenes.read_world(__file__)
# Beside the researcher.
MORE_REVIEWERS = 3
# Models whose texts people judge: one understands some of the images, one says nothing.
FLUENT, PARROT = "fluent model", "parrot"
NOTHING_SAID = "This picture is unusual because it is not what one expects."


def open_images(cast: Cast) -> Project:
    # One of three has to see it, so it fails only once all three have looked, whoever is quicker.
    project = open_project(Project, study=cast.study, control_needed=1)
    for row in WORLD["training"]:
        add_training_image(
            project=project,
            upload=read_upload(scenes.draw(row["scene"])),
            texts={name: row[name] for name in ("caption", "explanation", "underspecified")},
            by=cast.researcher.user,
            now=timezone.now(),
        )
    want_designers(project=project, places=1)
    return project


def make_reviewers(cast: Cast) -> list[User]:
    """Make reviewers for the check for harm, and return them after the researcher, who is the first."""
    made = []
    for _ in range(MORE_REVIEWERS):
        name = f"reviewer-{secrets.token_hex(3)}"
        user = User.objects.create_user(name, password=secrets.token_urlsafe(9), is_staff=True)
        user.groups.add(Group.objects.get(name=REVIEWER))
        cast.study.members.add(user)
        made.append(user)
    return [cast.researcher.user, *made]


def open_gate(cast: Cast) -> Gate:
    preset = PRESETS["whoops.annotator"]
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


def draft_test(cast: Cast, *, places: int) -> Batch:
    return draft(cast, EXAMPLES, assignments_per_hit=places, hits_wanted=1)


def draft(cast: Cast, task: str, **values: Any) -> Batch:
    """Start a draft without requirements: simulated workers have no approved work and no country."""
    return drafting.start_draft(
        study=cast.study,
        account=cast.account,
        task=task,
        by=cast.researcher.user,
        requirements=[],
        **values,
    )


def import_texts(project: Project, *, seed: int) -> None:
    """Import models' texts and questions with answers, from files such as a researcher uploads."""
    images = {row.weird_element: row for row in project.images.filter(state=Image.State.ACCEPTED)}
    rows = [(images[row["weird"]].number, row) for row in WORLD["images"]]
    files = (
        (Question.Kind.EXPLAIN, "image,explanation,source", _explanations(rows)),
        (Question.Kind.VERIFY, "image,question,answer", _answers(rows)),
        (Question.Kind.RATE, "image,variant,caption,source", _captions(rows)),
    )
    for kind, heading, lines in files:
        text = "\n".join([heading, *lines])
        import_rows(project=project, kind=kind, text=text, seed=seed, now=timezone.now())


def _explanations(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> list[str]:
    """Models' explanations: the fluent one understands every second image."""
    good = [f'{number},"So it is: {row["explanation"]}",{FLUENT}' for number, row in rows[::2]]
    lost = [f'{number},"It shows {row["normal"]}, which is odd.",{FLUENT}' for number, row in rows[1::2]]
    return [*good, *lost, *(f'{number},"{NOTHING_SAID}",{PARROT}' for number, _ in rows)]


def _answers(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> list[str]:
    return [f'{number},"{asked}","{answer}"' for number, row in rows for asked, answer in row["questions"]]


def _captions(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> list[str]:
    """Captions of a model that describes what is usual, whatever the image shows."""
    return [
        f'{number},{variant},"{row["normal_caption"]}",{FLUENT}'
        for number, row in rows
        for variant in (Question.Variant.WEIRD, Question.Variant.NORMAL)
    ]
