"""Decisions on an image: accept, return, refuse, reconsider. Each is recorded with its author and reason.

Lock order: the image's pictures before its project, and the work that is paid before its items.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from crowd.pictures import removal
from crowd.pictures.models import Picture
from crowd.pictures.services.picture_states import lock_pictures
from crowd.pictures.services.removing_pictures import remove_pictures
from crowd.questions.domain import trim
from crowd.whoops.control.domain.control_verdicts import LONGEST_REASON
from crowd.whoops.control.services.control_state import settle_control
from crowd.whoops.design.services.designer_pay import hold_work, owe_on
from crowd.whoops.images.services.locks import held_image
from crowd.whoops.images.services.transitions import move_image
from crowd.whoops.images.services.withdrawal import items_of_images
from crowd.whoops.judge.services.posting_questions import withdraw_outdated
from crowd.whoops.models import Image, Revision
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.services.locking import lock_items

State = Image.State
LONGEST_REMOVAL = 200


def accept_image(*, image: Image, reason: str, by: User, now: datetime) -> None:
    """Accept an image on a person's word, whatever the reviewers say. The reason is for the record."""
    reason = read_reason(reason)
    with held_image(image) as locked:
        accept_held(locked, words=f"{locked} was accepted by hand. {reason}", by=by, now=now)


def accept_held(image: Image, *, words: str, by: User, now: datetime) -> None:
    """Accept an image that the caller holds: its designer is owed the pay, and annotators are asked."""
    work = hold_work(image)
    lock_items(items_of_images([image.pk]))
    withdraw_outdated(image=image, now=now)
    move_image(image, State.ACCEPTED, by=by, now=now, accepted_at=now)
    owe_on(work, image=image, by=by, now=now)
    _note("image.accepted", words, image, by=by, now=now)


def return_image(*, image: Image, reason: str, by: User, now: datetime) -> None:
    """Return an image to its designer, who reads the reason and may send it again."""
    reason = read_reason(reason)
    with held_image(image) as locked:
        if locked.state == State.RETURNED:
            raise RuleBroken("returned_already", f"{locked} is back with its designer already.")
        move_image(locked, State.RETURNED, by=by, now=now, reason=reason)
        _note("image.returned", f"{locked} was returned. {reason}", locked, by=by, now=now)


def reword_return(*, image: Image, reason: str, by: User, now: datetime) -> None:
    """Change the reason of a return, as long as the image is back with its designer."""
    reason = read_reason(reason)
    with held_image(image) as locked:
        if locked.state != State.RETURNED:
            raise RuleBroken("not_returned", f"{locked} is not with its designer any more.")
        locked.revisions.filter(number=locked.revision).update(reason=reason)
        _note("image.return_reworded", f"{locked}: the designer reads now: {reason}", locked, by=by, now=now)


def refuse_image(*, image: Image, reason: str, by: User, now: datetime, with_pictures: bool = False) -> None:
    """Refuse an image that is under way or accepted. `with_pictures`: also take them away from everybody."""
    reason = read_reason(reason)
    with transaction.atomic():
        pictures = _pictures_of(image) if with_pictures else []
        lock_pictures([one.pk for one in pictures])
        with held_image(image) as locked:
            shown = removal.items_of_pictures([one.pk for one in pictures])
            lock_items({*items_of_images([locked.pk]), *shown})
            move_image(locked, State.REFUSED, by=by, now=now, reason=reason)
            _note("image.refused", f"{locked} was refused. {reason}", locked, by=by, now=now)
            if pictures:
                remove_pictures(pictures=pictures, reason=reason[:LONGEST_REMOVAL], by=by, now=now)


def reconsider_image(*, image: Image, reason: str, by: User, now: datetime) -> None:
    """Take back a person's refusal or return: the image is again where the control group has put it."""
    reason = read_reason(reason)
    with held_image(image) as locked:
        if not may_reconsider(locked):
            raise RuleBroken("nothing_to_reconsider", f"{locked} was neither refused nor returned by hand.")
        move_image(locked, State.REVIEW, by=by, now=now)
        settle_control(locked, now=now)
        _note("image.reconsidered", f"{locked} is reconsidered. {reason}", locked, by=by, now=now)


def may_reconsider(image: Image) -> bool:
    by_hand = image.revisions.filter(
        number=image.revision, outcome=Revision.Outcome.RETURNED, ended_by__isnull=False
    )
    return image.state == State.REFUSED or (image.state == State.RETURNED and by_hand.exists())


def read_reason(text: str) -> str:
    reason = trim(text)
    if not reason:
        raise RuleBroken("no_reason", "Give a reason: it is kept on record, and a designer reads why not.")
    if len(reason) > LONGEST_REASON:
        raise RuleBroken("long_reason", f"A reason has at most {LONGEST_REASON} characters.")
    return reason


def _pictures_of(image: Image) -> list[Picture]:
    """Pictures of the image in all its revisions. Its normal partners stay: they hurt nobody."""
    sent = Revision.objects.filter(image=image).values("picture")
    return list(Picture.objects.filter(Q(pk=image.picture_id) | Q(pk__in=sent)).order_by("pk"))


def _note(kind: str, words: str, image: Image, *, by: User, now: datetime) -> None:
    note(kind, words, by=by, now=now, study=image.project.study)
