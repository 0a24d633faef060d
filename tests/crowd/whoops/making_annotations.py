"""Factories of accepted weird images, and of people who annotate them as workers' pages do."""

from collections.abc import Mapping
from itertools import count
from typing import Any

from crowd.whoops import domain
from crowd.whoops.annotate.services.collected_annotations import take_annotations
from crowd.whoops.annotate.services.posting_annotations import post_annotations
from crowd.whoops.annotate.services.training_images import ANYBODY
from crowd.whoops.models import Annotation, Designer, Image, Project, Revision, TrainingImage
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_of, lease_items, save_answer
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_picture,
    make_study,
    make_worker,
)

_numbers = count(1)
GOOD = {
    "caption": "A kettle pours sand into a cup.",
    "explanation": "Kettles boil water for tea, and nobody drinks sand.",
    "underspecified": "A kettle pours something into a cup.",
}
# The first text contains a word of the coarse-word filter's list.
COARSE = {**GOOD, "caption": "A kettle pours shit into a cup."}


def make_project(*, study: Study | None = None, **rules: Any) -> Project:
    return Project.objects.create(study=study or make_study(), **rules)


def make_designer(project: Project, *, worker: Worker | None = None) -> Designer:
    return Designer.objects.create(
        project=project, name=f"Designer {next(_numbers)}", worker=worker, invited_at=NOW
    )


def make_image(project: Project, *, worker: Worker | None = None, **changes: Any) -> Image:
    """Make an image, accepted unless `state` says otherwise, designed by `worker` if given."""
    picture = changes.pop("picture", None) or make_picture()
    values: dict[str, Any] = {
        "number": project.images.count() + 1,
        "designer": changes.get("designer") or make_designer(project, worker=worker),
        "state": Image.State.ACCEPTED,
        "picture": picture,
        "prompt": "a kettle that pours sand",
        "tool": "by hand",
        "normal_element": "A kettle that pours water",
        "weird_element": "A kettle that pours sand",
        "shared_element": "a cup",
        "explanation": "Nobody drinks sand.",
        "sent_at": NOW,
        "changed_at": NOW,
        "accepted_at": NOW,
        **changes,
    }
    image = Image.objects.create(project=project, **values)
    Revision.objects.create(image=image, number=image.revision, picture=picture, sent_at=NOW)
    return image


def make_training_images(project: Project, number: int = 5, **changes: Any) -> list[TrainingImage]:
    return [
        TrainingImage.objects.create(
            item=Item.objects.create(study=project.study, task=domain.EXAMPLES, wanted=ANYBODY),
            picture=make_picture(),
            **{**GOOD, "caption": f"A kettle pours sand into cup {place}.", **changes},
        )
        for place in range(1, number + 1)
    ]


class Annotators:
    """A study with accepted images, and batches that ask workers about them."""

    def __init__(self, *, images: int = 1, **rules: Any) -> None:
        self.project = make_project(**rules)
        self.account: Account = make_account()
        self.images = [make_image(self.project) for _ in range(images)]
        self.batches: dict[str, Batch] = {}
        post_annotations(now=NOW)
        for image in self.images:
            image.refresh_from_db()

    @property
    def image(self) -> Image:
        self.images[0].refresh_from_db()
        return self.images[0]

    @property
    def wanted(self) -> int:
        """Number of answers that the first image still needs."""
        return Item.objects.get(whoops_annotation=self.images[0]).wanted

    def sweep(self) -> int:
        """Run one round of the background work: post items, then collect annotations."""
        post_annotations(now=NOW)
        return take_annotations(now=NOW)

    def worker(self) -> Worker:
        return make_worker(account=self.account)

    def batch(self, task: str = domain.ANNOTATE, **changes: Any) -> Batch:
        if task not in self.batches:
            values = {"study": self.project.study, "account": self.account, "task": task, **changes}
            self.batches[task] = make_batch(status="open", **values)
        return self.batches[task]

    def open(
        self, worker: Worker | None = None, *, task: str = domain.ANNOTATE, **changes: Any
    ) -> Assignment:
        hit = make_hit(batch=self.batch(task, **changes), max_assignments=9)
        assignment = make_assignment(hit=hit, worker=worker or self.worker())
        lease_items(assignment=assignment, now=NOW)
        return assignment

    def hand_in(self, assignment: Assignment, texts: Mapping[str, str] = GOOD) -> Assignment:
        """Save the answer and submit the assignment to the provider."""
        items = items_of(assignment)
        assert items, "nothing is left for this worker"
        answer = {str(item.public_id): dict(texts) for item in items}
        save_answer(assignment=assignment, answer=answer, now=NOW)
        assert move(assignment, Assignment.Status.SUBMITTED, submitted_at=NOW)
        return assignment

    def answer(self, texts: Mapping[str, str] = GOOD, worker: Worker | None = None) -> Assignment:
        assignment = self.hand_in(self.open(worker), texts)
        self.sweep()
        return assignment

    def states(self) -> list[str]:
        rows = Annotation.objects.filter(image__project=self.project).order_by("pk")
        return list(rows.values_list("state", flat=True))
