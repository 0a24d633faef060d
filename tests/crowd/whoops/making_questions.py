"""Factories of questions about weird images, and of the people who judge them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from django.http import QueryDict

from crowd.pictures.models import Picture
from crowd.questions.family import AskTask
from crowd.whoops.judge.services.question_import import import_rows
from crowd.whoops.models import Annotation, Image, Partner, Project
from crowd.whoops.models.judged_items import Question
from hits import families
from hits.core.states import move
from hits.families import TaskPage
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_of, lease_items, save_answer
from scoring.models import Score
from scoring.services.score_recording import judge_submitted
from tests.crowd.whoops.making_images import make_image, make_project
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_picture,
    make_worker,
)

ANSWERS = """image,question,answer,source
1,What is in the bowl?,A candle,machine
1,Is there water?,yes,machine
2,What is on the road?,A whale,machine
3,What is in the sky?,A piano,machine
"""
CAPTIONS = """image,variant,caption,source
1,weird,A candle burns under water.,machine
1,normal,A fish swims in a bowl.,machine
2,,A whale on a road.,other
"""
EXPLANATIONS = """image,explanation,source
1,Candles need air.,machine
1,It is odd.,other
2,Whales live in the sea.,machine
"""


def make_accepted(project: Project, *, partner: bool = True, **changes: Any) -> Image:
    """An image that is in the data, with its normal partner unless `partner` is false."""
    image = make_image(project, state=Image.State.ACCEPTED, **changes)
    if partner:
        make_partner(image)
    return image


def make_partner(image: Image, *, kind: str = Partner.Kind.NORMAL) -> Partner:
    return Partner.objects.create(image=image, kind=kind, picture=make_picture(), added_at=NOW)


def make_annotation(image: Image, explanation: str, **changes: Any) -> Annotation:
    assignment = changes.pop("assignment", None) or make_assignment(status="submitted")
    values = {"caption": "A caption.", "underspecified": "A scene.", "worker": assignment.worker, **changes}
    return Annotation.objects.create(image=image, assignment=assignment, explanation=explanation, **values)


def make_data(*, images: int = 3, **rules: Any) -> Project:
    """A project with accepted images, numbered from 1."""
    project = make_project(**rules)
    for _ in range(images):
        make_accepted(project)
    return project


def bring_in(project: Project, kind: str, text: str, *, seed: int = 1) -> int:
    return import_rows(project=project, kind=kind, text=text, seed=seed, now=NOW)


def questions(project: Project, kind: str) -> list[Question]:
    rows = Question.objects.filter(project=project, kind=kind).order_by("pk")
    return list(rows.select_related("image", "item").prefetch_related("options"))


def take_away(picture: Picture) -> None:
    Picture.objects.filter(pk=picture.pk).update(
        status=Picture.Status.REMOVED, former_status="fit", removed_at=NOW
    )


class Judges:
    def __init__(self, project: Project, task: str, *, items: int = 1) -> None:
        self.task = task
        self.family = cast("AskTask[Any]", families.get(task))
        self.account: Account = make_account()
        self.batch: Batch = make_batch(
            study=project.study, account=self.account, task=task, status="open", items_per_assignment=items
        )

    def worker(self) -> Worker:
        return make_worker(account=self.account)

    def open(self, worker: Worker | None = None) -> tuple[Assignment, list[Item]]:
        hit = make_hit(batch=self.batch)
        assignment = make_assignment(hit=hit, worker=worker or self.worker())
        return assignment, lease_items(assignment=assignment, now=NOW)

    def page(self, assignment: Assignment) -> TaskPage:
        return self.family.work_page(assignment=assignment, items=items_of(assignment))

    def hand_in(self, assignment: Assignment, answer: Mapping[str, Mapping[str, str]]) -> None:
        save_answer(assignment=assignment, answer=answer, now=NOW)
        assert move(assignment, Assignment.Status.SUBMITTED, submitted_at=NOW)
        judge_submitted(now=NOW)

    def answer(self, texts: Mapping[str, str], worker: Worker | None = None) -> list[Item]:
        """Submit a page on which every question has the same answer; return its items."""
        assignment, items = self.open(worker)
        assert items, "nothing is left for this worker"
        self.hand_in(assignment, {str(item.public_id): texts for item in items})
        return items


def form_of(items: Iterable[Item], sent: Mapping[str, Sequence[str]]) -> QueryDict:
    """Form that a browser sends when every question of a page is answered alike."""
    form = QueryDict(mutable=True)
    for item in items:
        for entry, values in sent.items():
            form.setlist(f"{item.public_id}-{entry}", list(values))
    return form


def votes(item: Item) -> dict[str, list[int]]:
    """Values of an item's scores by measure, in the order in which they came."""
    found: dict[str, list[int]] = {}
    for score in Score.objects.filter(item=item).order_by("pk"):
        found.setdefault(score.measure, []).append(int(score.value))
    return found
