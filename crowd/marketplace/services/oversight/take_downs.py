"""HITs that operators take down, and what workers who have begun them are told."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import HIT, Assignment, PolicyOutcome
from crowd.marketplace.models.parties import AuditEntry
from crowd.marketplace.services import hit_creation, hit_endings, messages, work
from crowd.marketplace.services.review_policies import TAKEN_DOWN_BECAUSE

# What the audit log calls them; the note is the HIT's id, a dash and the reason.
TAKEN_DOWN = "HIT taken down"
WORK_ENDED = "begun work ended"
ACTS = (TAKEN_DOWN, WORK_ENDED)
DASH = " – "
MOST_LISTED = 1000


@dataclass(frozen=True, kw_only=True)
class Act:
    """What an operator did to a HIT: took it down, or ended the work that was begun."""

    is_take_down: bool
    at: datetime
    by: str
    reason: str


def take_down(
    *, hit: HIT, reason: str, tells_workers: bool, tells_requester: bool, ends_work: bool, now: datetime
) -> int:
    """Take a HIT down and tell workers who have begun it; return their number. Begun work may end too.

    The HIT stays locked meanwhile: work is neither accepted nor submitted in between. Raises RuleBroken if
    it is not on offer.
    """
    with atomic():
        if not _lock_and_see_offer(hit, now=now):
            raise RuleBroken("This HIT is no longer on offer: nobody can accept it. Nothing was changed.")
        hit_endings.expire_hit(hit=hit, now=now)
        _tell_requester(hit, reason=reason if tells_requester else "", now=now)
        return _tell_workers(hit, told_reason=reason if tells_workers else "", ends_work=ends_work, now=now)


def end_work(*, hit: HIT, reason: str, tells_workers: bool, now: datetime) -> int:
    """End the work that was begun on a HIT which is over; return how much. Raises RuleBroken without any."""
    with atomic():
        if _lock_and_see_offer(hit, now=now):
            raise RuleBroken("This HIT is on offer again. Take it down, and end the work with that.")
        told = _tell_workers(hit, told_reason=reason if tells_workers else "", ends_work=True, now=now)
        if not told:
            raise RuleBroken("Nobody works on this HIT any more. Nothing was changed.")
    return told


def list_acts(hit: HIT) -> Sequence[Act]:
    """List what operators did to the HIT in its order, from the latest take-down on."""
    about, of = hit.requester.external_id, f"{hit.external_id}{DASH}"
    entries = AuditEntry.objects.filter(what__in=ACTS, about=about, note__startswith=of)
    acts: list[Act] = []
    for entry in entries.select_related("operator").order_by("-id"):
        is_take_down, reason = entry.what == TAKEN_DOWN, entry.note.removeprefix(of)
        acts.insert(
            0, Act(is_take_down=is_take_down, at=entry.done_at, by=str(entry.operator), reason=reason)
        )
        if is_take_down:
            break
    return acts


def latest_taken_down() -> Sequence[str]:
    """The ids of the HITs that were taken down last."""
    entries = AuditEntry.objects.filter(what=TAKEN_DOWN).order_by("-id")
    return [note.partition(DASH)[0] for note in entries.values_list("note", flat=True)[:MOST_LISTED]]


def _lock_and_see_offer(hit: HIT, *, now: datetime) -> bool:
    locked = hit_creation.lock_hit(hit.pk)
    return not locked.closed_at and locked.expires_at > now


def _tell_workers(hit: HIT, *, told_reason: str, ends_work: bool, now: datetime) -> int:
    """Write to the workers who have begun it; return their number. Ended work counts as returned."""
    open_work = Assignment.objects.filter(hit=hit, status=Assignment.Status.ACCEPTED, deadline_at__gt=now)
    begun = list(open_work.select_related("worker").order_by("pk"))
    if ends_work:
        begun = [one for one in begun if work.return_assignment(assignment=one, now=now)]
    messages.write_from_the_desk(
        workers=[one.worker for one in begun],
        subject=_("Taken down: %(title)s") % {"title": hit.hit_type.title},
        text=_write_text(hit, told_reason=told_reason, ends_work=ends_work),
        now=now,
    )
    return len(begun)


def _tell_requester(hit: HIT, *, reason: str, now: datetime) -> None:
    """Keep the reason where the requester's programs find it, in place of that of an earlier take-down."""
    told = PolicyOutcome.objects.filter(hit=hit, key=TAKEN_DOWN_BECAUSE)
    told.delete()
    if reason:
        told.create(
            hit=hit,
            level=PolicyOutcome.Level.HIT,
            subject_id=hit.external_id,
            subject_type="HIT",
            key=TAKEN_DOWN_BECAUSE,
            value=reason,
            created_at=now,
        )


def _write_text(hit: HIT, *, told_reason: str, ends_work: bool) -> str:
    parts = [_("“%(title)s” was taken down, and nobody can accept it.") % {"title": hit.hit_type.title}]
    if told_reason:
        parts.append(_("The reason: %(reason)s") % {"reason": told_reason})
    if ends_work:
        parts.append(
            _("Your work on it has ended. No reward is paid for it, and nothing counts against you.")
        )
    else:
        parts.append(
            _("You need not finish it: return it, or let its time pass. Nothing counts against you.")
        )
        parts.append(_("If you submit it by its deadline, the requester reviews it as always."))
    return "\n\n".join(parts)
