"""Appeals of workers and their answers. Of several people who answer at once, one is heard.

Lock order: the assignment, then the appeal, the person who answers (`reviewing.decide`), then what
hits.payments.services.accrual locks.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.utils import formats, translation
from django.utils.translation import gettext as _

from hits.common import rates
from hits.core import audit_trail
from hits.core.domain.money import round_to_cents
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual
from hits.review.models import Appeal
from hits.review.queries.granting_people import words_on_who_may_grant
from hits.review.services import reviewing
from hits.work.access import may_see
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision

ANSWER = "hits.answer_appeal"
REVIEW = "hits.review_assignment"
LONGEST = 2000
WITHIN = timedelta(days=60)
# An open appeal is overdue after this.
ANSWERED_WITHIN = timedelta(days=3)
MOST_FOR_A_WORK = 3
MOST_A_DAY = 10
DAY_S = 86_400
# Rule of the obligation that a granted appeal makes.
RULE = "appeal"
TOO_LATE = (
    "The work stays rejected: the provider takes a rejection back only within 30 days of the submission. "
    "What the worker lacks can be owed as an extra amount."
)
HANDED_IN = (Assignment.Status.SUBMITTED, Assignment.Status.APPROVED, Assignment.Status.REJECTED)
Status = Appeal.Status
Kind = Decision.Kind


@dataclass(frozen=True, kw_only=True)
class Grant:
    """What granting an appeal does to its work, in words for the staff.

    `kind` is the decision that granting makes; with a `code` it is refused.
    """

    words: str
    kind: str = ""
    code: str = ""


def make_appeal(*, assignment: Assignment, text: str, now: datetime) -> Appeal:
    """Make an appeal. Idempotent for the same text. Raises RuleBroken with words for the worker."""
    text = _clean(text)
    if not text:
        raise RuleBroken("no_text", _("Please write what you think is not right."))
    if len(text) > LONGEST:
        words = _("Please use at most %(most)d characters; this has %(length)d.")
        raise RuleBroken("too_long", words % {"most": LONGEST, "length": len(text)})
    with transaction.atomic():
        work = Assignment.objects.select_for_update(of=("self",), no_key=True).get(pk=assignment.pk)
        made = list(Appeal.objects.filter(assignment=work).order_by("-pk"))
        if made and made[0].status == Status.OPEN and made[0].text == text:
            return made[0]
        if broken := why_not(work, appeals=made, now=now):
            raise broken
        _refuse_haste(work)
        appeal = Appeal.objects.create(assignment=work, worker_id=work.worker_id, text=text, made_at=now)
        _note("appeal.made", "Appeal", appeal, by=None, now=now)
    return appeal


def why_not(assignment: Assignment, *, appeals: list[Appeal], now: datetime) -> RuleBroken | None:
    """Return why there can be no further appeal on this work, or None. `appeals` are all on it so far."""
    if assignment.status not in HANDED_IN or assignment.submitted_at is None:
        return RuleBroken("not_handed_in", _("You can ask once the platform has told us of this work."))
    if any(appeal.status == Status.OPEN for appeal in appeals):
        return RuleBroken("open_already", _("You have asked about this work already, and will be answered."))
    if len(appeals) >= MOST_FOR_A_WORK:
        return RuleBroken(
            "too_many", _("You have asked about this work several times; it stays as answered.")
        )
    if now > assignment.submitted_at + WITHIN:
        words = _("You could ask about this work for %(days)d days. That time is over.")
        return RuleBroken("too_late", words % {"days": WITHIN.days})
    return None


def withdraw_appeal(*, appeal: Appeal, now: datetime) -> None:
    """Take an appeal back. Idempotent. Raises RuleBroken if it was answered meanwhile."""
    with transaction.atomic():
        if move(appeal, Status.WITHDRAWN):
            _note("appeal.withdrawn", "Took back the appeal", appeal, by=None, now=now)
            return
        appeal.refresh_from_db()
    if appeal.status != Status.WITHDRAWN:
        raise RuleBroken("answered_already", _("This has just been answered. Nothing was taken back."))


def answer_appeal(
    *, appeal: Appeal, granted: bool, answer: str, amount: Decimal | None, by: User, now: datetime
) -> Bonus | None:
    """Answer an appeal. One that is granted approves its work, where that is possible, as `grant_of` says.

    An amount is owed from then on, and paid only by a run that two people decide. Raises RuleBroken; nothing
    is written then.
    """
    answer = _clean(answer)
    _refuse_answerer(appeal, by=by)
    _refuse_answer(answer, granted=granted, amount=amount)
    with transaction.atomic():
        work = _lock_work(appeal)
        to = Status.GRANTED if granted else Status.ANSWERED
        if not move(appeal, to, answer=answer, answered_by=by, answered_at=now):
            appeal.refresh_from_db()
            raise _answered_meanwhile(appeal)
        if granted:
            _approve(work, by=by, now=now)
        words = "Granted the appeal" if granted else "Answered the appeal"
        bonus = _owe(appeal, amount, by=by, now=now) if amount else None
        owed = f", and {bonus.in_words} more are owed" if bonus else ""
        _note("appeal.granted" if granted else "appeal.answered", words, appeal, by=by, now=now, more=owed)
    return bonus


def grant_of(work: Assignment, *, by: User, now: datetime) -> Grant:
    """Return what granting an appeal on this work does to it now, and if nothing, why."""
    sending = Decision.objects.filter(
        assignment=work, status__in=(Decision.Status.WAITING, Decision.Status.INTENDED)
    )
    deciding = sending.values_list("kind", flat=True).first()
    if deciding == Kind.REJECT:
        words = "A rejection of this work waits or is on its way. Undo it or decline it, and then grant."
        return Grant(words=words, code="being_rejected")
    if work.status == Assignment.Status.APPROVED or deciding:
        return Grant(words="The work is approved already: granting changes nothing about it.")
    is_rejected = work.status == Assignment.Status.REJECTED
    if is_rejected and work.submitted_at and now > work.submitted_at + reviewing.OVERRIDE_WITHIN:
        return Grant(words=TOO_LATE)
    if not by.has_perm(REVIEW):
        others = words_on_who_may_grant(work.hit.batch.study, needed=(ANSWER, REVIEW))
        words = f"Granting approves the work, and you may not decide on work. {others}"
        return Grant(words=words, code="may_not_approve")
    taken_back = "takes the rejection back and " if is_rejected else ""
    words = f"Granting {taken_back}approves the work: its reward is paid, and its bonuses follow as for any."
    return Grant(words=words, kind=Kind.OVERRIDE if is_rejected else Kind.APPROVE)


def _approve(work: Assignment, *, by: User, now: datetime) -> None:
    """Decide with the answer, which cannot be undone: so the provider is told at once."""
    grant = grant_of(work, by=by, now=now)
    if grant.code:
        raise RuleBroken(grant.code, grant.words)
    if grant.kind:
        reviewing.decide(assignment=work, kind=grant.kind, by=by, now=now, undo_for=timedelta(0))


def _owe(appeal: Appeal, amount: Decimal, *, by: User, now: datetime) -> Bonus:
    with translation.override(appeal.assignment.hit.batch.study.language):
        day = formats.date_format(appeal.made_at, "DATE_FORMAT")
        reason = _("You asked about this work on %(day)s, and you were right.") % {"day": day}
    return accrual.owe_extra(
        assignment=appeal.assignment,
        rule=RULE,
        amount=amount,
        reason=reason,
        why=f"Appeal {appeal.public_id} was granted.",
        by=by,
        now=now,
    )


def _lock_work(appeal: Appeal) -> Assignment:
    return Assignment.objects.select_for_update(of=("self",), no_key=True).get(pk=appeal.assignment_id)


def _refuse_answerer(appeal: Appeal, *, by: User) -> None:
    if not by.has_perm(ANSWER) or not may_see(appeal, by):
        raise RuleBroken("not_allowed", "You may not answer this appeal. Ask a member of the study who may.")


def _refuse_answer(answer: str, *, granted: bool, amount: Decimal | None) -> None:
    if not answer:
        raise RuleBroken("no_answer", "Write an answer: the worker reads it.")
    if len(answer) > LONGEST:
        raise RuleBroken("too_long", f"An answer has at most {LONGEST} characters; this has {len(answer)}.")
    if amount is None:
        return
    if not granted:
        raise RuleBroken("nothing_changes", "An amount can be owed only where the appeal is granted.")
    if not amount.is_finite() or amount <= 0 or amount != round_to_cents(amount):
        raise RuleBroken("bad_amount", "Write the amount in whole cents and above zero, such as 0.25.")


def _answered_meanwhile(appeal: Appeal) -> RuleBroken:
    if appeal.status == Status.WITHDRAWN:
        return RuleBroken("withdrawn", "The worker has just taken this back. Nothing was written or owed.")
    return RuleBroken(
        "answered_already",
        f"{appeal.answered_by} has just answered this. Your answer was not sent, and nothing was owed by it.",
    )


def _refuse_haste(work: Assignment) -> None:
    if not rates.spend("appeal", str(work.worker_id), most=MOST_A_DAY, window_s=DAY_S):
        words = _("You have asked about many works today. Please go on tomorrow: you have %(days)d days.")
        raise RuleBroken("too_often", words % {"days": WITHIN.days})


def _clean(text: str) -> str:
    """Return plain lines, without NUL characters, which no text column holds."""
    return "\n".join(text.replace("\0", "").splitlines()).strip()


def _note(kind: str, words: str, appeal: Appeal, *, by: User | None, now: datetime, more: str = "") -> None:
    work = appeal.assignment
    study = work.hit.batch.study
    audit_trail.note(
        kind,
        f"{words} of {appeal.worker.pseudonym} on work {work.public_id}{more}.",
        by=by,
        now=now,
        study=study,
        account=work.account,
    )
