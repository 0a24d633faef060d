"""What approved work earns beyond its reward: read once from the batch's table, and again only on request.

What is owed never changes. If a score, an appeal or a wage makes it more, the rest is another obligation.
Lock order: the assignment, then its batch and its study while money is set aside.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import translation

from hits.batches.services.budgets import reserve
from hits.common.currencies import in_money
from hits.core.audit_trail import note
from hits.core.domain.bonus_rules import CENT, NOTHING, BonusRule, RuleAmount, Work, evaluate
from hits.core.domain.bonus_tables import LONGEST_NAME, MOST_BONUS
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.queries.recorded_scores import recorded_scores
from hits.payments.services.bonus_states import owe
from hits.payments.services.bonus_words import reason_of
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.work.domain import effective_seconds
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision

SLICE = 200
# Shorter than the provider's limit: its Reason carries our reference too.
LONGEST_REASON = 400
LONGEST_WHY = 500
Status = Assignment.Status


@dataclass(frozen=True, kw_only=True)
class OwedForWork:
    """What one submission is owed so far, by rule. Waived bonuses count in revisions, not in amounts."""

    amounts: dict[str, Decimal] = field(default_factory=dict)
    revisions: dict[str, int] = field(default_factory=dict)


def owe_bonuses(*, now: datetime) -> int:
    """Read the table once for every approved assignment that is judged and has no decision pending."""
    owed = 0
    while (made := _owe_slice(now=now)) is not None:
        owed += made
    return owed


def owe_again(*, assignment: Assignment, why: str, by: User, now: datetime) -> list[Bonus]:
    """Owe what today's scores add to this work by each rule; less changes nothing. Asked twice, it owes once.

    Raises RuleBroken, and writes nothing, if the remaining budget is too small.
    """
    check_why(why)
    with transaction.atomic():
        work = _lock(assignment)
        if work.status != Status.APPROVED or work.owed_at is None:
            raise RuleBroken(
                "not_read_yet",
                "The bonus table has not been read for this work yet: that happens once it is approved. "
                "Try again then.",
            )
        made = lacking([work], why=why, now=now)
        _set_aside_and_owe(work, made, kind="bonus.owed_again", by=by, now=now)
    return made


def lacking(work: Sequence[Assignment], *, why: str = "", now: datetime) -> list[Bonus]:
    """Return, unsaved, what today's scores add to what each work is owed, rule by rule."""
    owed, earned = _owed([row.pk for row in work]), _earned(work)
    found = []
    for row in work:
        known = owed.get(row.pk, OwedForWork())
        for each in earned[row.pk]:
            if each.amount > known.amounts.get(each.rule, NOTHING):
                revision = known.revisions.get(each.rule, 0)
                found.append(_bonus(row, _more(each, known), revision=revision, why=why, now=now))
    return found


def owe_extra(
    *,
    assignment: Assignment,
    rule: str,
    amount: Decimal,
    reason: str,
    why: str,
    by: User,
    now: datetime,
    figures: Mapping[str, Any] | None = None,
    revision: int | None = None,
) -> Bonus:
    """Owe one bonus that a person decided on: set the money aside, owe it and audit it, all or nothing.

    Raises RuleBroken. `reason` is for the worker to read, `why` for the staff. The same rule, amount, reason
    and why again are refused with "owed_already". `revision` is how many obligations of this rule the caller
    has seen on this work: if that has changed, another person was faster: refused with "owed_meanwhile".
    """
    _check_line(rule, "name of the rule", LONGEST_NAME)
    _check_line(reason, "reason", LONGEST_REASON)
    _check_line(why, "why", LONGEST_WHY)
    _check_amount(amount, currency=assignment.account.currency)
    with transaction.atomic():
        work = _lock(assignment)
        _check_extra(work, rule)
        earlier = list(work.bonuses.filter(rule=rule).order_by("revision"))
        seen = earlier[-1].revision + 1 if earlier else 0
        _check_first(earlier, amount=amount, reason=reason, why=why)
        if revision is not None and revision != seen:
            raise RuleBroken("owed_meanwhile", "Another person was faster. Look again at what is owed now.")
        bonus = Bonus(
            assignment=work,
            rule=rule,
            revision=seen,
            why=why,
            amount=amount,
            reason=reason,
            figures={"kind": "extra", **(figures or {}), "amount": str(amount)},
            owed_at=now,
        )
        _set_aside_and_owe(work, [bonus], kind="bonus.owed_extra", by=by, now=now)
    return bonus


def _owe_slice(*, now: datetime) -> int | None:
    """Owe the bonuses of the next SLICE works and return how many were made; None if no work was left."""
    with transaction.atomic():
        work = list(
            _due()
            .select_related("hit__batch__study", "hit__batch__account")
            .defer("answer")
            .order_by("pk")
            .select_for_update(of=("self",), no_key=True)[:SLICE]
        )
        if not work:
            return None
        Assignment.objects.filter(pk__in=[row.pk for row in work]).update(owed_at=now)
        earned = _earned(work)
        made = [_bonus(row, each, now=now) for row in work for each in earned[row.pk] if each.amount]
        # All of them in one order, before owe() marks some of them again.
        for batch_id in sorted({row.hit.batch_id for row in work}):
            mark_stale(batch_id)
        owe(made, by=None, now=now)
    return len(made)


def _due() -> QuerySet[Assignment]:
    deciding = Decision.objects.filter(
        assignment=OuterRef("pk"), status__in=(Decision.Status.WAITING, Decision.Status.INTENDED)
    )
    settled = Q(judged_at__isnull=False) | Q(answer__isnull=True) | Q(kept_out=True)
    return Assignment.objects.filter(settled, ~Exists(deciding), status=Status.APPROVED, owed_at=None)


def _earned(work: Sequence[Assignment]) -> dict[int, list[RuleAmount]]:
    """What the recorded scores earn by each work's batch table; work kept out of the data earns nothing."""
    keys = [row.pk for row in work]
    scores, owed = recorded_scores(keys), _owed(keys)
    tables: dict[int, Sequence[BonusRule]] = {}
    found: dict[int, list[RuleAmount]] = {}
    for row in work:
        batch = row.hit.batch
        if batch.pk not in tables:
            tables[batch.pk] = batch.rules
        done = Work(
            items=scores.get(row.pk, ()),
            reward=batch.reward,
            seconds=effective_seconds(active_s=row.active_s, worked_s=row.worked_s),
            owed=owed.get(row.pk, OwedForWork()).amounts,
        )
        found[row.pk] = [] if row.kept_out else evaluate(tables[batch.pk], work=done)
    return found


def _owed(assignments: Iterable[int]) -> dict[int, OwedForWork]:
    """What is owed so far. A bonus that two people waived is owed no longer, but its revision stays taken."""
    rows = Bonus.objects.filter(assignment__in=list(assignments))
    found: dict[int, OwedForWork] = {}
    for key, rule, revision, status, amount in rows.values_list(
        "assignment_id", "rule", "revision", "status", "amount"
    ):
        owed = found.setdefault(key, OwedForWork())
        owed.revisions[rule] = max(owed.revisions.get(rule, 0), revision + 1)
        if status != Bonus.Status.WAIVED:
            owed.amounts[rule] = owed.amounts.get(rule, NOTHING) + amount
    return found


def _more(earned: RuleAmount, owed: OwedForWork) -> RuleAmount:
    """The part of the earned amount that is not owed yet, with what was owed before in its figures."""
    before = owed.amounts.get(earned.rule, NOTHING)
    if not before:
        return earned
    return RuleAmount(
        rule=earned.rule,
        amount=earned.amount - before,
        figures={**earned.figures, "owed_before": str(before)},
    )


def _bonus(work: Assignment, earned: RuleAmount, *, now: datetime, revision: int = 0, why: str = "") -> Bonus:
    with translation.override(work.hit.batch.study.language):
        reason = reason_of(earned.rule, earned.figures, currency=work.hit.batch.currency)
    return Bonus(
        assignment=work,
        rule=earned.rule,
        revision=revision,
        why=why,
        amount=earned.amount,
        reason=reason,
        figures=earned.figures,
        owed_at=now,
    )


def _lock(assignment: Assignment) -> Assignment:
    """Lock one work: of two who decide on it at once, the second sees what the first has written."""
    rows = Assignment.objects.select_related("hit__batch__study", "hit__batch__account").defer("answer")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=assignment.pk)


def _set_aside_and_owe(
    work: Assignment, bonuses: Sequence[Bonus], *, kind: str, by: User, now: datetime
) -> None:
    batch = work.hit.batch
    set_aside_and_owe(batch, bonuses, by=by, now=now)
    for bonus in bonuses:
        words = f"Owed {bonus.in_words} by “{bonus.rule}” on work {work.public_id}: {bonus.why}"
        note(kind, words, by=by, now=now, study=batch.study, account=batch.account, bonus=bonus)


def set_aside_and_owe(batch: Batch, bonuses: Sequence[Bonus], *, by: User, now: datetime) -> None:
    """Reserve money that no place had reserved, and owe the bonuses. Raises RuleBroken.

    The caller holds the transaction.
    """
    fees = batch.prices.fees
    needed = sum((bonus.amount + fees.on_bonus(bonus.amount) for bonus in bonuses), NOTHING)
    # `by` is None: setting money aside spends none. Two people approve the run that pays it.
    reserve(batch=batch, amount=needed, words="Owed beyond the places", by=None, now=now)
    try:
        with transaction.atomic():
            owe(bonuses, by=by, now=now)
    except IntegrityError as error:
        raise RuleBroken(
            "owed_meanwhile", "Another person was faster. Look again at what is owed now."
        ) from error


def check_why(why: str) -> None:
    """Raises RuleBroken unless `why` is one line of a fitting length."""
    _check_line(why, "why", LONGEST_WHY)


def _check_extra(work: Assignment, rule: str) -> None:
    if work.status not in (Status.APPROVED, Status.REJECTED):
        raise RuleBroken("not_decided", "This work is not decided on yet. Approve it or reject it first.")
    if any(known.name == rule for known in work.hit.batch.rules):
        raise RuleBroken(
            "rule_of_table", f"“{rule}” is a rule of the batch's table, which alone owes by it. Use another."
        )


def _check_first(earlier: Iterable[Bonus], *, amount: Decimal, reason: str, why: str) -> None:
    for bonus in earlier:
        same = (bonus.amount, bonus.reason, bonus.why) == (amount, reason, why)
        if same and bonus.status != Bonus.Status.WAIVED:
            raise RuleBroken(
                "owed_already",
                "Exactly this is owed already. If you mean another one, say why it is another.",
            )


def _check_amount(amount: Decimal, *, currency: str) -> None:
    if not amount.is_finite() or not CENT <= amount <= MOST_BONUS or amount != amount.quantize(CENT):
        raise RuleBroken(
            "bad_amount",
            f"An amount is whole cents, from {in_money(CENT, currency)} to {in_money(MOST_BONUS, currency)}.",
        )


def _check_line(text: str, name: str, longest: int) -> None:
    if not text.strip() or len(text) > longest:
        raise RuleBroken("bad_text", f"The {name} has 1 to {longest} characters.")
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise RuleBroken("bad_text", f"The {name} is one line: take line breaks and control characters out.")
