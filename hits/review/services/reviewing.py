"""Decisions of people on submitted work. The row comes first, can be undone for a moment, then is sent."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError, transaction

from hits import families
from hits.core.domain.days import day_around
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.review.queries.unsent_decisions import unsent_together
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note

# A decision can be undone for this long.
UNDO_FOR = timedelta(seconds=8)
# Decisions on many works at once can be undone together for this long.
UNDO_ALL_FOR = timedelta(minutes=1)
# The provider takes a rejection back until this long after the submission.
OVERRIDE_WITHIN = timedelta(days=30)
LONGEST_REASON = 1024
LONGEST_NOTE = 2000
Kind = Decision.Kind
Status = Decision.Status
Work = Assignment.Status
# States of work that each kind applies to. Work approved by itself, and so paid, can still be kept out.
ON: dict[str, tuple[str, ...]] = {
    Kind.APPROVE: (Work.SUBMITTED,),
    Kind.KEEP_OUT: (Work.SUBMITTED, Work.APPROVED),
    Kind.REJECT: (Work.SUBMITTED,),
    Kind.OVERRIDE: (Work.REJECTED,),
}
# A provider's category for what none of its others says.
EVERYTHING_ELSE = "OTHER"
log = structlog.get_logger()


def mark_judged(*, assignment: Assignment, now: datetime) -> bool:
    """Mark the work as judged. Called in the transaction that records the scores."""
    unjudged = Assignment.objects.filter(pk=assignment.pk, judged_at=None)
    return bool(unjudged.update(judged_at=now))


def decide(
    *,
    assignment: Assignment,
    kind: str,
    reason: str = "",
    category: str = "",
    by: User,
    now: datetime,
    undo_for: timedelta = UNDO_FOR,
) -> Decision:
    """Write a decision, to be sent soon or after a second person's yes. Raises RuleBroken, with no change."""
    _check_reason(kind, reason)
    try:
        with transaction.atomic():
            # Two clicks of one person at once must not both find the last rejection of the day.
            User.objects.select_for_update(no_key=True).get(pk=by.pk)
            related = Assignment.objects.select_related("hit__batch__study", "account")
            work = related.get(pk=assignment.pk)
            _check_work(work, kind, now=now)
            category = _check_provider(work, kind, reason=reason, category=category)
            alone = kind != Kind.REJECT or rejections_left(study=work.hit.batch.study, by=by, now=now) > 0
            decision = Decision.objects.create(
                assignment=work,
                kind=kind,
                status=Status.INTENDED if alone else Status.WAITING,
                reason=reason,
                category=category,
                by=by,
                made_at=now,
                send_at=now + undo_for,
            )
    except IntegrityError as error:
        raise RuleBroken(
            "decided_already", "This work has been decided on already. Look at its history."
        ) from error
    log.info("assignment.decided", assignment=str(work.public_id), kind=kind, by=str(by.public_id))
    return decision


def decide_all(
    *, assignments: Iterable[Assignment], kind: str, reason: str = "", by: User, now: datetime
) -> Counter[str]:
    """Decide on all. Returns how many are "intended" and "waiting", and the refused ones by code.

    Their moment is the same: `undo_all` finds them by it.
    """
    _check_reason(kind, reason)
    outcomes: Counter[str] = Counter()
    for assignment in assignments:
        try:
            made = decide(
                assignment=assignment, kind=kind, reason=reason, by=by, now=now, undo_for=UNDO_ALL_FOR
            )
        except RuleBroken as broken:
            outcomes[broken.code] += 1
        else:
            outcomes[made.status] += 1
    return outcomes


def second(*, decision: Decision, by: User, agree: bool, now: datetime) -> None:
    """Record the second person's word on a rejection. Raises RuleBroken, and then nothing is changed."""
    if by.pk == decision.by_id:
        raise RuleBroken("same_person", "Another person has to look at it: this rejection is your own.")
    with transaction.atomic():
        if agree:
            work = Assignment.objects.select_related("hit__batch").get(pk=decision.assignment_id)
            _check_work(work, decision.kind, now=now)
            moved = move(
                decision,
                Status.INTENDED,
                since=[Status.WAITING],
                second_by=by,
                send_at=now + UNDO_FOR,
            )
        else:
            moved = move(decision, Status.DECLINED, second_by=by, ended_at=now)
        if not moved:
            raise RuleBroken(
                "not_waiting", "This rejection is no longer waiting. Look at the work's history."
            )
    log.info("decision.seconded", assignment=_name(decision), agree=agree, by=str(by.public_id))


def undo(*, decision: Decision, by: User, now: datetime) -> None:
    """Undo a decision of one's own before it is sent. Raises RuleBroken, and then nothing is changed."""
    if by.pk not in (decision.by_id, decision.second_by_id):
        raise RuleBroken("not_yours", "Only a person who decided this can undo it.")
    unsent = Decision.objects.filter(
        pk=decision.pk, status__in=(Status.WAITING, Status.INTENDED), claimed_at=None
    )
    if not unsent.update(status=Status.UNDONE, ended_at=now):
        raise RuleBroken(
            "sent_already",
            "It has been sent already. Approved work can still be kept out of the data, and a rejection "
            "can be taken back within 30 days.",
        )
    decision.refresh_from_db()
    log.info("decision.undone", assignment=_name(decision), by=str(by.public_id))


def undo_all(*, made_at: datetime, by: User, now: datetime) -> int:
    """Undo what the person decided in one go, as far as it is unsent. Raises RuleBroken if nothing is."""
    count = unsent_together(by=by, made_at=made_at).update(status=Status.UNDONE, ended_at=now)
    if not count:
        raise RuleBroken("sent_already", "All of it has been sent or undone already. Nothing was changed.")
    log.info("decisions.undone", count=count, by=str(by.public_id))
    return count


def add_note(*, assignment: Assignment, text: str, by: User, now: datetime) -> Note:
    text = text.strip()
    if not 1 <= len(text) <= LONGEST_NOTE:
        raise RuleBroken("bad_note", f"A note has 1 to {LONGEST_NOTE} characters.")
    return Note.objects.create(assignment=assignment, text=text, by=by, at=now)


def rejections_left(*, study: Study, by: User, now: datetime) -> int:
    """How many the person may still reject alone today, in the study's zone."""
    start, end = day_around(now, zone=study.time_zone)
    alone = Decision.objects.filter(
        kind=Kind.REJECT,
        made_at__gte=start,
        made_at__lt=end,
        by=by,
        second_by=None,
        status__in=(Status.INTENDED, Status.DONE),
        assignment__hit__batch__study=study,
    )
    return max(0, study.rejections_a_day - alone.count())


def _check_reason(kind: str, reason: str) -> None:
    if kind not in ON:
        raise RuleBroken("unknown_kind", f"A decision is one of {', '.join(ON)}.")
    if kind == Kind.REJECT and not reason.strip():
        raise RuleBroken("no_reason", "Say why: the worker reads it, and is not paid.")
    if len(reason) > LONGEST_REASON:
        raise RuleBroken("bad_reason", f"A reason has at most {LONGEST_REASON} characters; shorten it.")
    if any(unicodedata.category(character) == "Cc" for character in reason):
        raise RuleBroken("bad_reason", "A reason is one line: take line breaks and control characters out.")


def _check_work(work: Assignment, kind: str, *, now: datetime) -> None:
    if work.submitted_at is None or work.status == Work.GONE:
        raise RuleBroken("not_submitted", "This work has not been submitted at the provider.")
    if work.status not in ON[kind] or (kind == Kind.KEEP_OUT and work.kept_out):
        state = "kept out of the data" if work.kept_out else work.get_status_display().lower()
        raise RuleBroken("decided_already", f"Nothing was changed: this work is {state} already.")
    if kind in (Kind.REJECT, Kind.KEEP_OUT) and not families.is_offered(work.hit.batch.task):
        raise RuleBroken("pays_a_bonus", "This work only pays a bonus that two people approved: approve it.")
    if kind == Kind.OVERRIDE and now > work.submitted_at + OVERRIDE_WITHIN:
        raise RuleBroken(
            "override_too_late", "A rejection can be taken back only within 30 days of the work's submission."
        )


def _check_provider(work: Assignment, kind: str, *, reason: str, category: str) -> str:
    """Check what the work's provider asks of such a decision, and return the category to tell it.

    Where a person chose none, it is the one for everything else.
    """
    can = work.account.can
    if kind == Kind.OVERRIDE and not can.overrides:
        raise RuleBroken(
            "no_override",
            "This provider takes no rejection back from a program. Do it in its own pages: it shows "
            "here then.",
        )
    if kind != Kind.REJECT:
        return ""
    rules = can.rejection
    if len(reason.strip()) < rules.shortest:
        raise RuleBroken(
            "short_reason",
            f"Say why in at least {rules.shortest} characters: this provider asks for that. These are "
            f"{len(reason.strip())}.",
        )
    if category and category not in rules.categories:
        raise RuleBroken("bad_category", "Choose one of the provider's own words for why it is rejected.")
    return category or (EVERYTHING_ELSE if rules.categories else "")


def _name(decision: Decision) -> str:
    return str(decision.assignment.public_id)
