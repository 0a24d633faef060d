"""Accepted images become items for annotators, one for each."""

from collections.abc import Sequence
from datetime import datetime

import structlog
from django.db.models import Exists, OuterRef

from crowd.whoops import domain
from crowd.whoops.annotate.queries.annotators import images_to_post
from crowd.whoops.images.services.locks import AT_ONCE, lock_images
from crowd.whoops.images.services.withdrawal import follow_images, items_of_images
from crowd.whoops.models import Annotation, Image, Project
from crowd.whoops.models.annotations import TAKEN_OUT
from hits.common.sweep_parts import in_parts
from hits.work.models.items import Item
from hits.work.services.answers_needed import ask_about, new_item
from hits.work.services.locking import held, lock_items

log = structlog.get_logger()


def post_annotations(*, now: datetime) -> int:
    """Ask about all images that are due, and return how many. Idempotent, and safe to kill at any moment."""
    waiting = Exists(images_to_post().filter(project=OuterRef("pk")))
    posted = in_parts(Project.objects.filter(waiting).order_by("pk"), lambda project: _post(project, now=now))
    if posted:
        log.info("whoops.annotations_posted", count=posted)
    return posted


def _post(project: Project, *, now: datetime) -> int:
    posted = 0
    while True:
        with held(project) as locked:
            keys = images_to_post().filter(project=locked).order_by("number")[:AT_ONCE]
            images = lock_images(list(keys.values_list("pk", flat=True)))
            if not images:
                return posted
            lock_items(items_of_images([image.pk for image in images]))
            outdated = [image for image in images if image.annotation_item_id]
            unasked = [image for image in images if not image.annotation_item_id]
            _forget(outdated, now=now)
            _give_items(unasked, project=locked, now=now)
        posted += len(unasked)


def _give_items(images: Sequence[Image], *, project: Project, now: datetime) -> None:
    """Make the items, with the designer as author: the database itself refuses a lease on one's own image."""
    authors = dict(
        Image.objects.filter(pk__in=[image.pk for image in images]).values_list("pk", "designer__worker")
    )

    def item_of(image: Image) -> Item:
        return new_item(
            study_id=project.study_id,
            task=domain.ANNOTATE,
            answers_needed=project.annotations_wanted,
            author_id=authors[image.pk],
        )

    ask_about(images, item_of, field="annotation_item")
    follow_images([image.pk for image in images], now=now)


def _forget(images: Sequence[Image], *, now: datetime) -> None:
    """Stop counting annotations of images that were sent again since; the texts are kept."""
    items = [image.annotation_item_id for image in images if image.annotation_item_id]
    Item.objects.filter(pk__in=items, pulled_at=None).update(pulled_at=now)
    written = Annotation.objects.filter(image__in=images).exclude(state=Annotation.State.DROPPED)
    written.update(state=Annotation.State.DROPPED, why=TAKEN_OUT)
    for image in images:
        image.annotation_item, image.annotated = None, 0
    Image.objects.bulk_update(images, ("annotation_item", "annotated"))
