"""Comparing control answers with what was meant. One person leases an answer for some minutes."""

from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from crowd.questions.domain import trim
from crowd.whoops.control.services.control_state import is_with_control, settle_control
from crowd.whoops.images.services.locks import held_image
from crowd.whoops.models import Image, Project
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

LEASE = timedelta(minutes=5)
UNDO_FOR = timedelta(minutes=15)
AT_ONCE = 20
LONGEST_NOTE = 300


def claim_control_answer(*, project: Project, by: User, now: datetime) -> ControlAnswer | None:
    """Lease an answer: the one this person already holds, or the next one that nobody holds."""
    own = _undecided(project).filter(claimed_by=by, claimed_until__gt=now)
    for control_answer in own.order_by("-claimed_until", "pk")[:1]:
        return (
            control_answer
            if _claim(control_answer, by=by, now=now)
            else claim_control_answer(project=project, by=by, now=now)
        )
    while some := list(waiting_control_answers(project, now=now)[:AT_ONCE]):
        for control_answer in some:
            if _claim(control_answer, by=by, now=now):
                return control_answer
    return None


def waiting_control_answers(project: Project, *, now: datetime) -> QuerySet[ControlAnswer]:
    """Undecided answers that no person holds, image by image."""
    free = Q(claimed_until=None) | Q(claimed_until__lte=now)
    return _undecided(project).filter(free).order_by("image__number", "pk")


def undecided_control_answers(project: Project) -> QuerySet[ControlAnswer]:
    """Undecided answers of images that still wait for them, whoever holds their lease."""
    return _undecided(project)


def decide_control_answer(
    *, control_answer: ControlAnswer, seen: bool, note: str, by: User, now: datetime
) -> None:
    """Decide an answer; the last one needed moves the image. Raises RuleBroken if a colleague was faster."""
    note = trim(note)
    if len(note) > LONGEST_NOTE:
        raise RuleBroken("long_note", f"Words to the designer have at most {LONGEST_NOTE} characters.")
    with held_image(control_answer.image) as image:
        row = ControlAnswer.objects.select_for_update(no_key=True).filter(pk=control_answer.pk).first()
        if row is None:
            raise RuleBroken("taken_out", "This answer does not count any more. Here is another one.")
        if row.seen is not None:
            raise RuleBroken("decided_already", "Somebody has compared this already. Here is another one.")
        if row.claimed_by_id not in (None, by.pk) and row.claimed_until and row.claimed_until > now:
            raise RuleBroken("claimed", "A colleague has this answer now. Here is another one.")
        row.seen, row.note, row.decided_by, row.decided_at = seen, "" if seen else note, by, now
        row.claimed_by = row.claimed_until = None
        row.save()
        if row.revision == image.revision:
            settle_control(image, now=now)


def leave_control_answer(*, control_answer: ControlAnswer, by: User, now: datetime) -> None:
    """Put an answer off for another person or for later: it comes again in some minutes."""
    mine = ControlAnswer.objects.filter(pk=control_answer.pk, seen=None, claimed_by=by)
    mine.update(claimed_by=None, claimed_until=now + LEASE)


def undo_decision(*, project: Project, by: User, now: datetime) -> ControlAnswer:
    """Take back this person's last comparison, with what followed from it, and lease it to them again."""
    last = last_decided(project=project, by=by, now=now)
    if last is None:
        raise RuleBroken(
            "nothing_to_undo", "There is nothing to undo: your last comparison was too long ago."
        )
    with held_image(last.image) as image:
        row = ControlAnswer.objects.select_for_update(no_key=True).filter(pk=last.pk, decided_by=by).first()
        if row is None or row.revision != image.revision or not is_with_control(image):
            raise RuleBroken("moved_on", f"{image} has gone on since: this cannot be taken back any more.")
        row.seen, row.note, row.decided_by, row.decided_at = None, "", None, None
        row.claimed_by, row.claimed_until = by, now + LEASE
        row.save()
        settle_control(image, now=now)
    return row


def last_decided(*, project: Project, by: User, now: datetime) -> ControlAnswer | None:
    """The comparison that this person can still take back."""
    decided = ControlAnswer.objects.filter(
        decided_by=by, decided_at__gt=now - UNDO_FOR, image__project=project, revision=F("image__revision")
    )
    return decided.select_related("image").order_by("-decided_at", "-pk").first()


def _undecided(project: Project) -> QuerySet[ControlAnswer]:
    rows = ControlAnswer.objects.filter(
        seen=None,
        image__project=project,
        image__state=Image.State.CONTROL,
        revision=F("image__revision"),
    )
    return rows.select_related("image__picture", "image__category")


def _claim(control_answer: ControlAnswer, *, by: User, now: datetime) -> bool:
    """Compare and swap: two people never get the same one."""
    same = ControlAnswer.objects.filter(
        pk=control_answer.pk,
        seen=None,
        claimed_by=control_answer.claimed_by_id,
        claimed_until=control_answer.claimed_until,
    )
    if not same.update(claimed_by=by, claimed_until=now + LEASE):
        return False
    control_answer.claimed_by, control_answer.claimed_until = by, now + LEASE
    return True
