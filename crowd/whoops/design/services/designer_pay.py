"""Designers' pay for accepted images: a bonus on work of theirs, which then goes the usual way of payments.

Owed once: the image points at its bonus.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils import translation
from django.utils.translation import gettext as _

from crowd.whoops.models import Image, Project, Revision
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.accrual import owe_extra
from hits.work.models.assignments import Assignment

Status = Assignment.Status
NO_WORK = "No work of theirs in this study is approved yet: a bonus needs one. It is owed once there is."
LONGEST_REASON = 300
# Images that one run of the sweep looks at.
SLICE = 100
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Result of one pass over all outstanding images: how many are owed now, and why the others are not."""

    owed: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)


def owe_image(*, image: Image, by: User, now: datetime) -> Bonus | None:
    """Owe an accepted image, once. None: the designer is not paid here, or not yet; the image says why."""
    with transaction.atomic():
        return owe_on(hold_work(_lock(image)), image=image, by=by, now=now)


def hold_work(image: Image) -> Assignment | None:
    """Lock the work that the image is paid on. The caller holds the image, and none of its items yet."""
    work = _work_of(image) if image.designer.is_paid_here else None
    return work and Assignment.objects.select_for_update(no_key=True).get(pk=work.pk)


def owe_on(work: Assignment | None, *, image: Image, by: User, now: datetime) -> Bonus | None:
    """Owe the image on work that the caller has locked, as it has the image.

    A refusal undoes nothing else of the caller's transaction.
    """
    with transaction.atomic():
        held = _lock(image)
        if held.bonus_id or held.state != Image.State.ACCEPTED or not held.designer.is_paid_here:
            return held.bonus
        try:
            held.bonus, held.unowed = _owe(held, work, by=by, now=now), ""
        except RuleBroken as refusal:
            held.unowed = str(refusal)[:LONGEST_REASON]
        held.save(update_fields=["bonus", "unowed"])
    log.info("whoops.image_looked_at_for_pay", image=str(held.public_id), is_owed=held.bonus is not None)
    return held.bonus


def outstanding(project: Project | None = None) -> QuerySet[Image]:
    """Accepted images that are not owed yet, of designers who are paid as workers."""
    paid = Image.objects.filter(designer__is_paid=True, designer__worker__isnull=False)
    rows = paid.filter(state=Image.State.ACCEPTED, bonus=None)
    return rows.filter(project=project) if project else rows


def owe_outstanding(*, project: Project, by: User, now: datetime) -> Outcome:
    """Try each outstanding image again, on a person's click."""
    reasons: Counter[str] = Counter()
    owed = 0
    for image in list(outstanding(project).order_by("pk")):
        if owe_image(image=image, by=by, now=now):
            owed += 1
            continue
        image.refresh_from_db(fields=["unowed"])
        if image.unowed:
            reasons[image.unowed] += 1
    return Outcome(owed=owed, reasons=dict(reasons))


def owe_what_became_due(*, now: datetime) -> int:
    """Owe images whose designer has approved work by now, in the name of the person who accepted them."""
    done = Revision.objects.filter(image=OuterRef("pk"), number=OuterRef("revision"))
    approved = Assignment.objects.filter(
        worker=OuterRef("designer__worker"),
        hit__batch__study=OuterRef("project__study"),
        status=Status.APPROVED,
    )
    due = outstanding().filter(unowed=NO_WORK).alias(work=Subquery(approved.values("pk")[:1]))
    due = due.filter(work__isnull=False).annotate(accepted_by=Subquery(done.values("ended_by")[:1]))
    owed = 0
    for image in list(due.order_by("pk")[:SLICE]):
        by = User.objects.filter(pk=image.accepted_by).first()
        owed += bool(by and owe_image(image=image, by=by, now=now))
    return owed


def _lock(image: Image) -> Image:
    """Lock the image before its designer is read: who they are paid as may change until then."""
    rows = Image.objects.select_related("project__study", "bonus")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=image.pk)


def _work_of(image: Image) -> Assignment | None:
    """The designer's newest approved work in this study, or else the newest rejected one."""
    rows = Assignment.objects.filter(
        worker=image.designer.worker_id,
        hit__batch__study=image.project.study_id,
        status__in=(Status.APPROVED, Status.REJECTED),
    )
    return rows.order_by("status", F("submitted_at").desc(nulls_last=True), "-pk").first()


def _owe(image: Image, work: Assignment | None, *, by: User, now: datetime) -> Bonus:
    if work is None:
        raise RuleBroken("no_work", NO_WORK)
    with translation.override(image.project.study.language):
        reason = _("For your image %(number)d, which was accepted.") % {"number": image.number}
    return owe_extra(
        assignment=work,
        rule=f"accepted image {image.number}",
        amount=image.project.image_pay,
        reason=reason,
        why=f"Image {image.number} was accepted.",
        by=by,
        now=now,
        figures={"image": str(image.public_id), "number": image.number},
        revision=0,
    )
