"""Deciding on an annotation: it counts, or it is dropped and another worker is asked.

Its worker is paid either way: work is rejected elsewhere, on the page of the assignment.
"""

from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import QuerySet

from crowd.whoops.annotate.services.collected_annotations import follow_annotations
from crowd.whoops.images.services.locks import held_image
from crowd.whoops.models import Annotation, Project
from crowd.whoops.models.annotations import TAKEN_OUT
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.services.locking import lock_items

State = Annotation.State
UNDO_FOR = timedelta(minutes=15)
LONGEST_WHY = 300
# Offered as choices; a reason in one's own words is as good.
REASONS = (
    "It does not name both things.",
    "It does not say why the image is strange.",
    "The underspecified caption still names both things.",
    "It is not about this image.",
    "It insults people.",
    "It cannot be understood.",
)
log = structlog.get_logger()


def held_back(project: Project) -> QuerySet[Annotation]:
    """Annotations that are held back, in the order of the queue."""
    rows = Annotation.objects.filter(image__project=project, state=State.HELD)
    return rows.select_related("image__picture", "worker").defer("worker__external_id").order_by("pk")


def count_annotation(*, annotation: Annotation, seen: str, by: User, now: datetime) -> None:
    """Count an annotation in the data. `seen`: the state that this person had on the page."""
    _decide(annotation, State.COUNTED, seen=seen, why="", by=by, now=now)


def drop_annotation(*, annotation: Annotation, seen: str, why: str, by: User, now: datetime) -> None:
    """Drop an annotation from the data, so that its place is free for another worker."""
    said = " ".join(why.split())
    if not said:
        raise RuleBroken("no_reason", "Say why it is dropped. Nothing was changed.")
    if len(said) > LONGEST_WHY:
        raise RuleBroken("long_reason", f"Say it in at most {LONGEST_WHY} characters. Nothing was changed.")
    if said == TAKEN_OUT:
        raise RuleBroken("no_reason", "Say in words of your own why it is dropped. Nothing was changed.")
    _decide(annotation, State.DROPPED, seen=seen, why=said, by=by, now=now)


def undo_decision(*, project: Project, by: User, now: datetime) -> Annotation:
    """Hold back again the last flagged annotation that this person decided about."""
    last = last_decided(project=project, by=by, now=now)
    if last is None:
        raise RuleBroken("nothing_to_undo", "There is nothing to undo: your last decision was too long ago.")
    _move(last, State.HELD, seen=last.state, why="", by=None, at=None)
    log.info("whoops.annotation_undone", annotation=last.pk)
    return last


def last_decided(*, project: Project, by: User, now: datetime) -> Annotation | None:
    """The flagged annotation whose decision this person can still take back."""
    rows = Annotation.objects.filter(image__project=project, decided_by=by, decided_at__gt=now - UNDO_FOR)
    flagged = rows.exclude(state=State.HELD).exclude(flags=[]).exclude(why=TAKEN_OUT)
    return flagged.select_related("image").order_by("-decided_at", "-pk").first()


def _decide(annotation: Annotation, to: str, *, seen: str, why: str, by: User, now: datetime) -> None:
    _move(annotation, to, seen=seen, why=why, by=by, at=now)
    log.info("whoops.annotation_decided", annotation=annotation.pk, to=to, by=str(by.public_id))


@transaction.atomic
def _move(
    annotation: Annotation, to: str, *, seen: str, why: str, by: User | None, at: datetime | None
) -> None:
    """Change an annotation's state. Raises RuleBroken, and changes nothing, if it is not as it was seen."""
    with held_image(annotation.image) as image:
        lock_items([image.annotation_item_id] if image.annotation_item_id else [])
        row = Annotation.objects.select_for_update(no_key=True).get(pk=annotation.pk)
        if row.state == State.DROPPED and row.why == TAKEN_OUT:
            raise RuleBroken(
                "taken_out", "The work that this came with is not part of the data. Nothing was changed."
            )
        if row.state != seen or to not in Annotation.TRANSITIONS[State(row.state)]:
            raise RuleBroken(
                "decided_already", "Somebody has decided about this already. Nothing was changed."
            )
        row.state, row.why, row.decided_by, row.decided_at = to, why, by, at
        row.save(update_fields=["state", "why", "decided_by", "decided_at"])
        follow_annotations([image], project=image.project)
    annotation.refresh_from_db(fields=["state", "why", "decided_by", "decided_at"])
