"""Sent images become items for the control group, one for each image as it was sent last."""

from collections.abc import Sequence
from datetime import datetime

import structlog
from django.db.models import Exists, F, OuterRef, QuerySet

from crowd.whoops import domain
from crowd.whoops.images.services.locks import AT_ONCE, lock_images
from crowd.whoops.images.services.withdrawal import follow_images, items_of_images
from crowd.whoops.models import Image, Project, Revision
from hits.common.sweep_parts import in_parts
from hits.work.models.items import Item
from hits.work.services.answers_needed import ask_about, new_item
from hits.work.services.locking import held, lock_items

log = structlog.get_logger()


def post_control(*, now: datetime) -> int:
    """Ask about all images that are due, and return how many. Idempotent, and safe to kill at any moment."""
    unposted = _with(_unposted().filter(image__project=OuterRef("pk")))
    posted = in_parts(unposted, lambda project: _post(project, now=now))
    outdated = _outdated().filter(study=OuterRef("study"))
    for project in Project.objects.filter(Exists(outdated)).order_by("pk"):
        _pull_outdated(project, now=now)
    if posted:
        log.info("whoops.control_posted", count=posted)
    return posted


def _with(rows: QuerySet[Revision]) -> QuerySet[Project]:
    return Project.objects.filter(Exists(rows)).order_by("pk")


def _unposted() -> QuerySet[Revision]:
    return Revision.objects.filter(
        image__state=Image.State.CONTROL, number=F("image__revision"), control_item=None
    )


def _outdated() -> QuerySet[Item]:
    """Items that are still asked, of images that have gone on or were sent again since."""
    current = Revision.objects.filter(
        control_item=OuterRef("pk"), image__state=Image.State.CONTROL, number=F("image__revision")
    )
    asked = Item.objects.filter(task=domain.CONTROL, wanted__gt=0, pulled_at=None, batch=None)
    return asked.filter(~Exists(current))


def _post(project: Project, *, now: datetime) -> int:
    posted = 0
    while True:
        with held(project) as locked:
            rows = list(_unposted().filter(image__project=locked).order_by("image__number")[:AT_ONCE])
            if not rows:
                return posted
            _give_items(rows, project=locked, now=now)
        posted += len(rows)


def _give_items(rows: Sequence[Revision], *, project: Project, now: datetime) -> None:
    """Make the items, with the designer as author: the database itself refuses a lease on one's own image."""
    images = lock_images([row.image_id for row in rows])
    designed = Image.objects.filter(pk__in=[image.pk for image in images])
    authors = dict(designed.values_list("pk", "designer__worker"))

    def item_of(row: Revision) -> Item:
        return new_item(
            study_id=project.study_id,
            task=domain.CONTROL,
            answers_needed=project.control_wanted,
            author_id=authors[row.image_id],
        )

    lock_items(items_of_images(authors))
    ask_about(rows, item_of, field="control_item")
    asked = {row.image_id: row.control_item for row in rows}
    for image in images:
        image.control_item = asked[image.pk]
    Image.objects.bulk_update(images, ("control_item",))
    follow_images([image.pk for image in images], now=now)


def _pull_outdated(project: Project, *, now: datetime) -> None:
    with held(project) as locked:
        rows = Revision.objects.filter(control_item__in=_outdated().filter(study=locked.study_id))
        follow_images(list(rows.values_list("image_id", flat=True).distinct()), now=now)
