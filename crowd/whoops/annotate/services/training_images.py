"""The images of the annotators' test: added, changed, and taken out without being lost."""

from collections.abc import Mapping
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet

from crowd.pictures.files.single_uploads import Upload
from crowd.pictures.models import Picture
from crowd.pictures.services.item_pictures import upload_picture
from crowd.whoops import domain
from crowd.whoops.annotate.domain.annotation_texts import TEXTS
from crowd.whoops.models import Image, Project, Revision, TrainingImage
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.models.items import Item
from hits.work.services.answers_needed import make_item
from hits.work.services.locking import held, lock_items

# A test is asked of every worker who comes, and never runs out.
ANYBODY = 30_000
log = structlog.get_logger()


def training_images(project: Project) -> QuerySet[TrainingImage]:
    """The images of the test: those that are asked first, then those that were taken out."""
    rows = TrainingImage.objects.filter(item__study=project.study_id, item__task=domain.EXAMPLES)
    return rows.select_related("item", "picture").order_by("-item__pulled_at", "pk")


def asked_images(project: Project) -> QuerySet[TrainingImage]:
    return training_images(project).filter(item__pulled_at=None)


def add_training_image(
    *, project: Project, upload: Upload, texts: Mapping[str, str], by: User, now: datetime
) -> TrainingImage:
    """Add an image to the test. Raises RuleBroken, and then nothing is added."""
    with transaction.atomic():
        picture = upload_picture(upload=upload, concept="training image", by=by, now=now)
        with held(project) as locked:
            _refuse_known(picture, project=locked)
            item = make_item(study_id=locked.study_id, task=domain.EXAMPLES, answers_needed=ANYBODY)
            row = TrainingImage.objects.create(
                item=item, picture=picture, **{entry: texts[entry] for entry in TEXTS}
            )
    log.info("whoops.training_image_added", item=str(item.public_id))
    return row


def mend_training_image(*, row: TrainingImage, texts: Mapping[str, str]) -> None:
    """Change the texts that graders read. The picture stays: a worker may have written about it."""
    for entry in TEXTS:
        setattr(row, entry, texts[entry])
    row.save(update_fields=[*TEXTS])


def ask_training_image(*, row: TrainingImage, is_asked: bool, now: datetime) -> None:
    """Put an image into the test or take it out: then only a worker who already has it can submit."""
    with transaction.atomic():
        (item,) = lock_items(Item.objects.filter(pk=row.item_id))
        if is_asked != (item.pulled_at is None):
            item.pulled_at = None if is_asked else now
            item.save(update_fields=["pulled_at"])


def _refuse_known(picture: Picture, *, project: Project) -> None:
    if training_images(project).filter(picture=picture).exists():
        raise RuleBroken("in_test", "This picture is in the test already. Choose another one.")
    images = Image.objects.filter(project=project)
    sent = Revision.objects.filter(image__in=images.values("pk"), picture=picture)
    if images.filter(Q(picture=picture) | Q(partners__picture=picture)).exists() or sent.exists():
        raise RuleBroken(
            "in_data", "This picture is part of the data, so the test must not show it. Choose another one."
        )
