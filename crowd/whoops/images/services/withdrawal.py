"""Whether anybody is asked about an image: read from its state, and from whether its picture is shown."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q

from crowd.pictures.models import Picture
from crowd.whoops import domain
from crowd.whoops.models import Image, Revision
from crowd.whoops.models.judged_items import Question
from hits.work.models.items import Item
from hits.work.services.locking import lock_items

FIT = Picture.Status.FIT


def items_of_images(images: Collection[int]) -> set[int]:
    """Items of control group, annotators and judges: a caller who changes some of them locks all of them."""
    return _items(revisions=Q(image__in=images), images=Q(pk__in=images), questions=Q(image__in=images))


def items_of_pictures(picture_ids: Collection[int]) -> set[int]:
    shown = Q(picture__in=picture_ids)
    return _items(revisions=shown, images=shown, questions=shown)


def follow_images(images: Collection[int], *, now: datetime) -> None:
    """Ask or stop asking the items of images that the caller holds, as the images' states say."""
    _pull_or_restore(items_of_images(images), now=now)


def follow_pictures(*, picture_ids: Collection[int], shown: bool, now: datetime) -> None:
    """Follow pictures that go away or come back. Called by the pool of pictures, in its transaction."""
    _pull_or_restore(items_of_pictures(picture_ids), now=now)


def follow_questions(questions: Collection[int], *, now: datetime) -> None:
    """Ask or stop asking questions, by whether they are withdrawn. The caller holds their project."""
    asked = Question.objects.filter(pk__in=questions, item__isnull=False)
    _pull_or_restore(set(asked.values_list("item_id", flat=True)), now=now)


def _items(*, revisions: Q, images: Q, questions: Q) -> set[int]:
    controlled = Revision.objects.filter(revisions).order_by().values_list("control_item", flat=True)
    annotated = Image.objects.filter(images).order_by().values_list("annotation_item", flat=True)
    judged = Question.objects.filter(questions).order_by().values_list("item", flat=True)
    return {key for key in controlled.union(annotated, judged) if key}


def _is_controlled() -> Q:
    """Match items about the revision that was sent last, while the control group is not done with it."""
    current = Revision.objects.filter(
        control_item=OuterRef("pk"),
        number=F("image__revision"),
        image__state=Image.State.CONTROL,
        picture__status=FIT,
    )
    return Q(Exists(current))


def _is_annotated() -> Q:
    accepted = Image.objects.filter(
        annotation_item=OuterRef("pk"), state=Image.State.ACCEPTED, picture__status=FIT
    )
    return Q(Exists(accepted))


def _is_judged() -> Q:
    standing = Question.objects.filter(
        item=OuterRef("pk"), withdrawn_at=None, image__state=Image.State.ACCEPTED, picture__status=FIT
    )
    return Q(Exists(standing))


def _pull_or_restore(items: Collection[int], *, now: datetime) -> None:
    lock_items(items)
    for tasks, stays in (
        ([domain.CONTROL], _is_controlled()),
        ([domain.ANNOTATE], _is_annotated()),
        (domain.JUDGED, _is_judged()),
    ):
        rows = Item.objects.filter(pk__in=items, task__in=tasks)
        rows.filter(~stays, pulled_at=None).update(pulled_at=now)
        rows.filter(stays, pulled_at__isnull=False).update(pulled_at=None)
