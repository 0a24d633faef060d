"""Factories of weird images on their way into the data, and of the people who check them."""

from collections.abc import Mapping
from typing import Any

from crowd.whoops import domain
from crowd.whoops.control.services.control_answers import take_control_answers
from crowd.whoops.control.services.posting_control import post_control
from crowd.whoops.models import Designer, Image, Project, Revision
from crowd.whoops.models.control_and_review import ControlAnswer
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

SAW = {"text": "A fish rides a bicycle.", "nothing": ""}
SAW_NOTHING = {"text": "", "nothing": "yes"}
TEXTS: Mapping[str, str] = {
    "prompt": "a fish on a bicycle",
    "tool": "A drawing machine",
    "normal_element": "a child",
    "weird_element": "a fish",
    "shared_element": "a bicycle",
    "explanation": "Fish have no legs to pedal with.",
}


def make_project(*, study: Study | None = None, **rules: Any) -> Project:
    return Project.objects.create(study=study or make_study(), **rules)


def make_designer(project: Project, **changes: Any) -> Designer:
    values: dict[str, Any] = {"name": f"Designer {project.designers.count() + 1}", "invited_at": NOW}
    return Designer.objects.create(project=project, **{**values, **changes})


def make_image(project: Project, *, designer: Designer | None = None, **changes: Any) -> Image:
    """Make an image with its first revision, as it was sent."""
    values: dict[str, Any] = {
        "number": project.images.count() + 1,
        "designer": designer or project.designers.first() or make_designer(project),
        "picture": changes.pop("picture", None) or make_picture(),
        "sent_at": NOW,
        "changed_at": NOW,
        **TEXTS,
    }
    if changes.get("state") == Image.State.ACCEPTED:
        values["accepted_at"] = NOW
    image = Image.objects.create(project=project, **{**values, **changes})
    make_revision(image)
    return image


def make_revision(image: Image, **changes: Any) -> Revision:
    values: dict[str, Any] = {
        "number": image.revision,
        "picture": image.picture,
        "texts": {name: getattr(image, name) for name in TEXTS},
        "sent_at": NOW,
    }
    return Revision.objects.create(image=image, **{**values, **changes})


def send_again(image: Image) -> None:
    """Send the image again as its designer would, without the pages."""
    image.refresh_from_db()
    image.state, image.revision = Image.State.CONTROL, image.revision + 1
    image.save()
    make_revision(image)


class ControlGroup:
    """People who look at the images of one project, and the sweeps of the background."""

    def __init__(self, **rules: Any) -> None:
        self.project = make_project(**rules)
        self.account: Account = make_account()
        self.batch: Batch = make_batch(
            study=self.project.study, account=self.account, task=domain.CONTROL, status="open"
        )

    def post(self, **changes: Any) -> Image:
        image = make_image(self.project, **changes)
        self.sweep()
        image.refresh_from_db()
        return image

    def sweep(self) -> None:
        """Run one round of the background work: post items, then collect control answers."""
        post_control(now=NOW)
        take_control_answers(now=NOW)

    def worker(self) -> Worker:
        return make_worker(account=self.account)

    def open(self, worker: Worker | None = None) -> tuple[Assignment, list[Item]]:
        assignment = make_assignment(hit=make_hit(batch=self.batch), worker=worker or self.worker())
        return assignment, lease_items(assignment=assignment, now=NOW)

    def hand_in(self, assignment: Assignment, raw: Mapping[str, str] = SAW) -> None:
        answer = {str(item.public_id): dict(raw) for item in items_of(assignment)}
        save_answer(assignment=assignment, answer=answer, now=NOW)
        assert move(assignment, Assignment.Status.SUBMITTED, submitted_at=NOW)
        self.sweep()

    def look(self, raw: Mapping[str, str] = SAW, worker: Worker | None = None) -> Assignment:
        assignment, items = self.open(worker)
        assert items, "nothing is left for this worker"
        self.hand_in(assignment, raw)
        return assignment


def control_answers(image: Image) -> list[tuple[str, bool | None]]:
    rows = ControlAnswer.objects.filter(image=image).order_by("pk")
    return list(rows.values_list("text", "seen"))


def state(image: Image) -> str:
    image.refresh_from_db()
    return image.state
