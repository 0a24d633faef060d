"""The pairs of the onboarding: written, changed, taken away and put back.

A question that a worker was asked never changes: it is taken away, and a new one takes its place.
Lock order: picture, project, item.
"""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from crowd.pictures.models import Picture
from crowd.pictures.services.picture_states import lock_pictures
from crowd.questions.domain import trim
from crowd.winoground.domain import ANYBODY, ONBOARDING
from crowd.winoground.models import Example, FirstQuestion, Project
from hits.core.errors import RuleBroken
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.answers_needed import make_item
from hits.work.services.locking import held, lock_items

# Makes the picture in this transaction, and holds it.
Picturing = Callable[[], Picture]


def add_question(*, project: Project, picturing: Picturing, caption: str, is_match: bool) -> FirstQuestion:
    """Add a question; sent twice, it is there once. Raises RuleBroken, and then nothing is kept."""
    with transaction.atomic():
        picture = picturing()
        with held(project) as locked:
            words = trim(caption)
            if known := _same(locked, picture, words):
                if known.is_match == is_match:
                    return known
                raise RuleBroken(
                    "other_answer",
                    "This image is asked about with this caption already, and with the other answer. "
                    "Change that question instead.",
                )
            _refuse_data(locked, picture)
            return _make(locked, picture=picture, caption=words, is_match=is_match)


def change_question(
    *,
    question: FirstQuestion,
    project: Project,
    picturing: Picturing | None,
    caption: str,
    is_match: bool,
    now: datetime,
) -> FirstQuestion:
    """Change a question; one that a worker has been asked is replaced. Returns the question now asked."""
    with transaction.atomic():
        picture = picturing() if picturing else lock_pictures([question.picture_id])[0]
        with held(project) as locked:
            row = FirstQuestion.objects.select_related("item").get(pk=question.pk)
            if row.item.pulled_at or row.picture_id != question.picture_id:
                raise RuleBroken(
                    "stale",
                    "This question was changed or taken away meanwhile. Look at the first questions as they "
                    "are now.",
                )
            words = trim(caption)
            if (row.picture_id, row.caption, row.is_match) == (picture.pk, words, is_match):
                return row
            same = _same(locked, picture, words)
            if same and same.pk != row.pk:
                raise RuleBroken("there_already", "Another question asks about this image with this caption.")
            _refuse_data(locked, picture)
            lock_items([row.item_id])
            if _was_asked(row):
                Item.objects.filter(pk=row.item_id, pulled_at=None).update(pulled_at=now)
                return _make(locked, picture=picture, caption=words, is_match=is_match)
            row.picture, row.caption, row.is_match = picture, words, is_match
            row.save(update_fields=["picture", "caption", "is_match"])
            return row


def take_away(*, question: FirstQuestion, project: Project, now: datetime) -> None:
    """Ask no new worker; a worker who has the question already answers it as it was."""
    with held(project):
        lock_items([question.item_id])
        Item.objects.filter(pk=question.item_id, pulled_at=None).update(pulled_at=now)


def put_back(*, question: FirstQuestion, project: Project) -> None:
    with transaction.atomic():
        picture = lock_pictures([question.picture_id])[0]
        if picture.status != Picture.Status.FIT:
            raise RuleBroken(
                "picture_away", "Its image was taken away. Write the question with another image."
            )
        with held(project) as locked:
            same = _same(locked, picture, question.caption)
            if same and same.pk != question.pk:
                raise RuleBroken("there_already", "Another question asks about this image with this caption.")
            _refuse_data(locked, picture)
            lock_items([question.item_id])
            Item.objects.filter(pk=question.item_id).update(pulled_at=None)


def _make(project: Project, *, picture: Picture, caption: str, is_match: bool) -> FirstQuestion:
    item = make_item(study_id=project.study_id, task=ONBOARDING, answers_needed=ANYBODY)
    return FirstQuestion.objects.create(item=item, picture=picture, caption=caption, is_match=is_match)


def _same(project: Project, picture: Picture, caption: str) -> FirstQuestion | None:
    """A question that is asked about this picture with this caption."""
    asked = FirstQuestion.objects.filter(item__study=project.study_id, item__pulled_at=None)
    return asked.filter(picture=picture, caption__iexact=caption).first()


def _was_asked(question: FirstQuestion) -> bool:
    return Lease.objects.filter(item=question.item_id).exists()


def _refuse_data(project: Project, picture: Picture) -> None:
    """Refuse a picture of the data: a worker who has met it in the test must not meet it there."""
    shown = Example.objects.filter(Q(image_0=picture) | Q(image_1=picture), project=project)
    if example := shown.exclude(state=Example.State.WITHDRAWN).first():
        raise RuleBroken(
            "in_the_data",
            f"This image is in {example}. First questions need images that are in none: choose another.",
        )
