"""The check for harm: several reviewers look at an image, and none sees the others' words."""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from crowd.questions.domain import trim
from crowd.whoops.images.queries.images import with_reviews
from crowd.whoops.images.services.locks import held_image
from crowd.whoops.models import Image, Project
from crowd.whoops.models.control_and_review import Review
from crowd.whoops.review.services.image_decisions import accept_held
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

UNDO_FOR = timedelta(minutes=15)
LONGEST_NOTE = 500


def waiting_images(project: Project, *, by: User) -> QuerySet[Image]:
    """Images that still need a review and that this person has not reviewed, oldest first."""
    own = Review.objects.filter(image=OuterRef("pk"), revision=OuterRef("revision"), by=by)
    rows = with_reviews(project.images.filter(state=Image.State.REVIEW))
    wanting = rows.filter(~Exists(own), Q(reviews_given__lt=project.reviews_wanted))
    return wanting.select_related("picture", "category").order_by("number")


def give_review(
    *, image: Image, revision: int, is_harmful: bool, note: str, by: User, now: datetime
) -> Image.State:
    """Record a review, and return where the image is now. `revision`: the one its reviewer had on the page.

    Raises RuleBroken if the image has gone on meanwhile, or if this person has reviewed it already.
    """
    note = _read_note(note) if is_harmful else ""
    with held_image(image) as locked:
        given = list(locked.reviews.filter(revision=locked.revision))
        if any(one.by_id == by.pk for one in given):
            raise RuleBroken("reviewed_already", f"You have reviewed {locked} already. Here is another one.")
        wanted = locked.project.reviews_wanted
        if locked.state != Image.State.REVIEW or locked.revision != revision or len(given) >= wanted:
            raise RuleBroken("moved_on", f"{locked} needs no review any more. Nothing was recorded.")
        given.append(
            Review.objects.create(
                image=locked, revision=revision, by=by, is_harmful=is_harmful, note=note, at=now
            )
        )
        if len(given) >= wanted and not any(one.is_harmful for one in given):
            words = f"{locked} was accepted: {len(given)} reviewers found no harm in it."
            accept_held(locked, words=words, by=by, now=now)
    return Image.State(locked.state)


def undo_review(*, project: Project, by: User, now: datetime) -> Image:
    """Take back this person's last review, unless the image has gone on because of it."""
    last = last_review(project=project, by=by, now=now)
    if last is None:
        raise RuleBroken("nothing_to_undo", "There is nothing to undo: your last review was too long ago.")
    with held_image(last.image) as locked:
        if locked.state != Image.State.REVIEW or locked.revision != last.revision:
            raise RuleBroken("moved_on", f"{locked} has gone on since: this cannot be taken back any more.")
        Review.objects.filter(pk=last.pk).delete()
    return locked


def last_review(*, project: Project, by: User, now: datetime) -> Review | None:
    """The review that this person can still take back."""
    given = Review.objects.filter(
        by=by,
        at__gt=now - UNDO_FOR,
        image__project=project,
        image__state=Image.State.REVIEW,
        revision=F("image__revision"),
    )
    return given.select_related("image").order_by("-at", "-pk").first()


def _read_note(text: str) -> str:
    note = trim(text)
    if not note:
        raise RuleBroken("no_note", "Say in some words whom it could hurt, and why.")
    if len(note) > LONGEST_NOTE:
        raise RuleBroken("long_note", f"This has at most {LONGEST_NOTE} characters.")
    return note
