"""The HIT that makes a worker a designer: the work is done in the workspace, in a tab of its own."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from crowd.whoops import domain
from crowd.whoops.design.services.invitations import join_by_work
from crowd.whoops.design.services.workspace_links import path_of
from crowd.whoops.models import Designer, Image, Project
from hits.core.errors import InvalidAnswer
from hits.datasets.columns import INTEGER, MOMENT, TEXT, Column, column
from hits.families import (
    Answer,
    FlattensWork,
    NarrowsItems,
    RecoversAnswers,
    Score,
    ServedWork,
    ShowsAgain,
    TaskPage,
    TaskType,
    Terms,
)
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

IMAGES = "images"
MOST_IMAGES = 1_000


FLAT = (
    column("image", INTEGER, "the image's number", of="number"),
    column("image_sha256", TEXT, "the SHA-256 of its file", of="picture.sha256"),
    column("tool", TEXT, "what it was made with"),
    column("prompt", TEXT, "what the tool was told"),
    column("normal", TEXT, "what would be normal", of="normal_pair"),
    column("weird", TEXT, "what is there instead", of="weird_pair"),
    column("explanation", TEXT, "why it is weird, as it is part of the data", of="final_explanation"),
    column(
        "category",
        TEXT,
        "the kind of common sense that it goes against",
        of=lambda one: one.category and one.category.name,
    ),
    column("revision", INTEGER, "how many times it was sent"),
    column("state", TEXT, "how far it has come"),
    column("sent_at", MOMENT, "when it was first sent"),
    column("image_accepted_at", MOMENT, "when it was accepted into the data", of="accepted_at"),
)


class DesignTask(TaskType, ShowsAgain, RecoversAnswers, NarrowsItems, FlattensWork):
    """A task with one item for a project, for all places that are wanted: each worker leases it once."""

    key = domain.DESIGN
    name = "Weird images: design"
    role = "Designers"
    terms = Terms(
        title="Design images that are weird",
        description=(
            "You make images with a tool of yours, in which one thing goes against common sense. "
            "Each image that is accepted earns a bonus."
        ),
        item_s=1800,
        duration_s=4 * 3600,
        reward=Decimal("0.50"),
        workers_per_hit=1,
        most_items=1,
    )

    def practice_page(self) -> TaskPage:
        return _page()

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        designer = join_by_work(assignment=assignment, now=timezone.now())
        return _page(designer) if designer else _page(is_closed=True)

    def page_again(
        self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item], problem: InvalidAnswer
    ) -> TaskPage | None:
        """Show the page with the problem, and with the link to the workspace still on it."""
        designer = _designer_of(assignment)
        return _page(designer, problem=problem) if designer else None

    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        designer = _designer_of(assignment)
        images = designer.images.select_related("picture").order_by("number") if designer else []
        return TaskPage(template="whoops/review/design.html", context={"images": images})

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """The images were stored when they were sent; the form adds nothing to the answer."""
        images = _images_of(assignment)
        if not images:
            raise InvalidAnswer(
                _(
                    "You have not sent an image yet. Open your workspace, send one, and come back to this "
                    "page to submit. If you would rather not, return this work."
                )
            )
        return {IMAGES: images}

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        images = answer.get(IMAGES) if isinstance(answer, Mapping) else None
        if not isinstance(images, list) or not 1 <= len(images) <= MOST_IMAGES:
            raise InvalidAnswer(_("There is no image in this answer."))
        if not all(isinstance(image, str) and len(image) == 36 for image in images):
            raise InvalidAnswer(_("One of the images of this answer was never sent."))
        return {IMAGES: list(images)}

    def recover_answer(self, *, answer: Any, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """Accept an answer only with images that this worker sent. Raises InvalidAnswer otherwise."""
        read = self.check_answer(answer=answer, items=items)
        if not set(read[IMAGES]) <= set(_images_of(assignment)):
            raise InvalidAnswer(_("One of the images of this answer was never sent."))
        return read

    def flat_columns(self, *, batch: Batch) -> Sequence[Column]:
        return FLAT

    def flatten(self, works: Sequence[ServedWork]) -> Mapping[int, Sequence[Image]]:
        """Return the images that each work names, as they are now."""
        named = {work.assignment.pk: (work.assignment.answer or {}).get(IMAGES, []) for work in works}
        keys = {key for names in named.values() for key in names}
        rows = Image.objects.filter(public_id__in=keys).select_related("picture", "category")
        images = {str(image.public_id): image for image in rows}
        return {pk: [images[key] for key in names if key in images] for pk, names in named.items()}

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """A designer whom a researcher has shut out would take the HIT in vain."""
        shut_out = Designer.objects.filter(worker=worker_id, is_active=False)
        return items.exclude(study__in=shut_out.values("project__study"))

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """No scores: images are judged one by one, long after."""
        return []


def _page(designer: Designer | None = None, **more: Any) -> TaskPage:
    """A page with a link that opens a tab: a frame has no cookies, and work in it would be gone with it."""
    sent: QuerySet[Image] = designer.images.all() if designer else Image.objects.none()
    context = {
        "workspace_url": path_of(designer) if designer else "",
        "sent": sent.count(),
        "pay": designer.project.image_pay if designer else None,
        "currency": designer.project.study.currency if designer else None,
        **more,
    }
    return TaskPage(template="whoops/design.html", context=context)


def _designer_of(assignment: Assignment) -> Designer | None:
    project = Project.objects.filter(study=assignment.hit.batch.study_id)
    rows = Designer.objects.select_related("project").filter(project__in=project)
    return rows.filter(worker=assignment.worker_id).first()


def _images_of(assignment: Assignment) -> list[str]:
    """Ids of all images that the assignment's worker has sent to this study, the first one first."""
    designer = _designer_of(assignment)
    if designer is None:
        return []
    keys = designer.images.order_by("number").values_list("public_id", flat=True)[:MOST_IMAGES]
    return [str(key) for key in keys]
