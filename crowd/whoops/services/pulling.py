"""Whether anybody is asked about an image: read from its state, and from whether its picture is shown."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from crowd.pictures.models import Picture
from crowd.whoops.models import Image, Question, Revision
from hits.models import Item

FIT = Picture.Status.FIT


def follow_images(images: Collection[int], *, now: datetime) -> None:
    """Items of the control group, of annotators and of judges are asked or not. The images are held."""
    _pull_or_restore(Item.objects.filter(whoops_revision__image__in=images), stays=_is_controlled(), now=now)
    _pull_or_restore(Item.objects.filter(whoops_annotation__in=images), stays=_is_annotated(), now=now)
    _pull_or_restore(Item.objects.filter(whoops_question__image__in=images), stays=_is_judged(), now=now)


def follow_pictures(*, picture_ids: Collection[int], shown: bool, now: datetime) -> None:
    """Called by the pool, in its transaction, when pictures go away or come back."""
    controlled = Item.objects.filter(whoops_revision__picture__in=picture_ids)
    _pull_or_restore(controlled, stays=_is_controlled(), now=now)
    annotated = Item.objects.filter(whoops_annotation__picture__in=picture_ids)
    _pull_or_restore(annotated, stays=_is_annotated(), now=now)
    judged = Item.objects.filter(whoops_question__picture__in=picture_ids)
    _pull_or_restore(judged, stays=_is_judged(), now=now)


def follow_questions(questions: Collection[int], *, now: datetime) -> None:
    """What was withdrawn is asked no more. Their project is held."""
    _pull_or_restore(Item.objects.filter(whoops_question__in=questions), stays=_is_judged(), now=now)


def _is_controlled() -> Q:
    """Of items: it is about what was sent last, and the control group has not done with it."""
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


def _pull_or_restore(items: QuerySet[Item], *, stays: Q, now: datetime) -> None:
    if keys := _lock(items):
        rows = Item.objects.filter(pk__in=keys)
        rows.filter(~stays, pulled_at=None).update(pulled_at=now)
        rows.filter(stays, pulled_at__isnull=False).update(pulled_at=None)


def _lock(items: QuerySet[Item]) -> list[int]:
    locked = items.order_by("pk").select_for_update(of=("self",), no_key=True)
    return list(locked.values_list("pk", flat=True))
