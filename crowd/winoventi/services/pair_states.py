"""States of alternatives and premises, read from facts: whose work counts, and what filter and judges say.

The caller changed a fact, in a transaction that holds the project and all items that depend on it.
Items of rows that no longer count are pulled, and come back with them: nobody is asked about such rows.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.winoventi.domain.outcomes import why_failed
from crowd.winoventi.domain.premises import ABSENT, find_fault
from crowd.winoventi.models import Alternative, FilterScore, Premise, Project
from hits.work.models.items import Item
from hits.work.services.locking import lock_items

Alternatives = QuerySet[Alternative]
Premises = QuerySet[Premise]
REPEATED = "The same words were given before."
NOT_FAVORED = "The model does not find the generic likelier ({generic:.6g} against {exception:.6g})."
ALTERNATIVE_AWAY = "alternative_away"


def settle_alternatives(*, project: Project, alternatives: Alternatives, now: datetime) -> None:
    """Settle alternatives that are not withdrawn; of several with the same words, the first counts."""
    rows = list(alternatives.exclude(state=Alternative.State.WITHDRAWN).order_by("pk"))
    scores = _scores_of(rows, project=project)
    taken = _first_of_each(rows, project=project)
    changed = []
    for row in rows:
        before = (row.state, row.reason)
        is_first = taken.setdefault(row.key, row.pk) == row.pk
        row.state, row.reason = _state_of(scores.get(row.pk)) if is_first else _repeated()
        if before != (row.state, row.reason):
            changed.append(row)
    Alternative.objects.bulk_update(changed, ("state", "reason"))
    follow_alternatives(project=project, alternatives=[row.pk for row in changed], now=now)


def withdraw_alternatives(*, project: Project, alternatives: Alternatives, now: datetime) -> None:
    """Withdraw alternatives whose answer no longer counts; a later worker's same words replace them."""
    rows = dict(alternatives.exclude(state=Alternative.State.WITHDRAWN).values_list("pk", "key"))
    if not rows:
        return
    Alternative.objects.filter(pk__in=rows).update(state=Alternative.State.WITHDRAWN, reason="")
    follow_alternatives(project=project, alternatives=rows, now=now)
    repeated = Alternative.objects.filter(
        project=project, key__in=set(rows.values()), state=Alternative.State.REPEATED
    )
    settle_alternatives(project=project, alternatives=repeated, now=now)


def follow_alternatives(*, project: Project, alternatives: Collection[int], now: datetime) -> None:
    away = Exists(Alternative.objects.filter(item=OuterRef("pk")).exclude(state=Alternative.State.PASSED))
    _pull_or_restore(Item.objects.filter(alternative__in=alternatives), away=Q(away), now=now)
    settle_premises(project=project, premises=Premise.objects.filter(alternative__in=alternatives), now=now)


def settle_premises(*, project: Project, premises: Premises, now: datetime) -> None:
    """Settle premises whose author's answer counts, by their form and by the judgements that are there."""
    rows = premises.filter(is_kept=True).select_related("alternative").prefetch_related("judgements")
    changed = []
    for row in rows.order_by("pk"):
        before = (row.state, row.reason)
        row.state, row.reason = _verdict_on(row, project=project)
        if before != (row.state, row.reason):
            row.settled_at = now if row.state in (Premise.State.VALID, Premise.State.FAILED) else None
            changed.append(row)
    Premise.objects.bulk_update(changed, ("state", "reason", "settled_at"))
    follow_premises([row.pk for row in changed], now=now)


def withdraw_premises(premises: Premises, *, now: datetime) -> None:
    """Withdraw premises whose author's answer no longer counts: their triplets need other ones."""
    rows = list(premises.filter(is_kept=True).values_list("pk", "alternative"))
    if not rows:
        return
    Premise.objects.filter(pk__in=[pk for pk, _ in rows]).update(
        is_kept=False, state=Premise.State.WITHDRAWN, reason="", settled_at=None
    )
    Alternative.objects.filter(pk__in=[alternative for _, alternative in rows]).update(has_premise=False)
    follow_premises([pk for pk, _ in rows], now=now)


def follow_premises(premises: Collection[int], *, now: datetime) -> None:
    malformed = Exists(Premise.objects.filter(item=OuterRef("pk")).exclude(state__in=Premise.WELL_FORMED))
    not_valid = Exists(
        Premise.objects.filter(prompts__item=OuterRef("pk")).exclude(state=Premise.State.VALID)
    )
    _pull_or_restore(Item.objects.filter(premise__in=premises), away=Q(malformed), now=now)
    _pull_or_restore(Item.objects.filter(prompt__premise__in=premises), away=Q(not_valid), now=now)


def _scores_of(rows: Sequence[Alternative], *, project: Project) -> dict[int, FilterScore]:
    """Scores of the filter model, in the project's way. A project without a model reads what was recorded."""
    found = FilterScore.objects.filter(alternative__in=[row.pk for row in rows], way=project.way)
    return {score.alternative_id: score for score in found.filter(rival=project.filter_model_id)}


def _first_of_each(rows: Sequence[Alternative], *, project: Project) -> dict[str, int]:
    """Alternatives that represent the words of these rows already, by the words' key."""
    standing = Alternative.objects.filter(
        project=project, key__in={row.key for row in rows}, state__in=Alternative.STANDING
    )
    return dict(standing.values_list("key", "pk"))


def _state_of(score: FilterScore | None) -> tuple[str, str]:
    if score is None:
        return Alternative.State.GIVEN, ""
    if score.passes:
        return Alternative.State.PASSED, ""
    words = NOT_FAVORED.format(generic=score.p_generic, exception=score.p_exception)
    return Alternative.State.FILTERED, words


def _repeated() -> tuple[str, str]:
    return Alternative.State.REPEATED, REPEATED


def _verdict_on(premise: Premise, *, project: Project) -> tuple[str, str]:
    if premise.alternative.state != Alternative.State.PASSED:
        return Premise.State.WITHDRAWN, ALTERNATIVE_AWAY
    fault = find_fault(premise.text)
    if fault and (fault in ABSENT or not premise.was_posted):
        return Premise.State.MALFORMED, fault
    judgements = list(premise.judgements.all())
    if len(judgements) < project.answers_wanted:
        return Premise.State.WAITING, ""
    reasons = why_failed([one.objections for one in judgements], by=project.fails_by, at=project.fails_at)
    return (Premise.State.FAILED, ",".join(reasons)) if reasons else (Premise.State.VALID, "")


def _pull_or_restore(items: QuerySet[Item], *, away: Q, now: datetime) -> None:
    if keys := [item.pk for item in lock_items(items)]:
        rows = Item.objects.filter(pk__in=keys)
        rows.filter(away, pulled_at=None).update(pulled_at=now)
        rows.filter(~away, pulled_at__isnull=False).update(pulled_at=None)
