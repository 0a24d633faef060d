"""People who are told of an occurrence: by what they may open now, and by what they have chosen."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from django.db.models import Q, QuerySet

from hits.alerts.models import AlertChoice, AlertHook, How, Kind, Occurrence
from hits.identity.models.users import User
from hits.identity.permissions import BACKEND
from hits.payments.queries.run_list import visible_runs
from hits.studies.models import Study
from hits.work.access import SEES_ALL, may_see, studies_of


class Rights(NamedTuple):
    """The permission that opens the page of a kind, and the one whose holders are told by default."""

    opens: str
    acts: str


OF_BATCHES = Rights("hits.view_batch", "hits.steer_batch")
RIGHTS: Mapping[str, Rights] = {
    Kind.ENDED: OF_BATCHES,
    Kind.PAUSED: OF_BATCHES,
    Kind.UNFUNDED: OF_BATCHES,
    Kind.IDLE: OF_BATCHES,
    Kind.EMPTY: OF_BATCHES,
    Kind.EARLY: OF_BATCHES,
    Kind.RUN: Rights("hits.view_run", "hits.approve_run"),
    Kind.DECIDED: Rights("hits.view_run", "hits.prepare_run"),
    Kind.APPEAL: Rights("hits.view_appeal", "hits.answer_appeal"),
}
PAGES = tuple(sorted({rights.opens for rights in RIGHTS.values()}))


def kinds_for(user: User) -> list[Kind]:
    """Return the kinds whose pages this user may open: no other can be chosen, or is ever told."""
    return [Kind(kind) for kind, rights in RIGHTS.items() if user.has_perm(rights.opens)]


def default_for(user: User, kind: str, *, is_member: bool) -> How:
    """Return how who acts on a kind is told: by e-mail in their own studies, on the home page in others."""
    if not user.has_perm(RIGHTS[kind].acts):
        return How.OFF
    return How.EMAIL if is_member else How.HOME


def may_be_told(user: User, occurrence: Occurrence) -> bool:
    """Whether the user may open the page of the occurrence at this moment."""
    if not user.is_active or not user.is_staff:
        return False
    if occurrence.kind == Kind.TEST:
        return True
    if not user.has_perm(RIGHTS[occurrence.kind].opens):
        return False
    if occurrence.run_id:
        return visible_runs(user).filter(pk=occurrence.run_id).exists()
    row = occurrence.appeal or occurrence.batch
    return row is not None and may_see(row, user)


def audience_of(occurrence: Occurrence) -> Iterator[tuple[User, How]]:
    """Yield who is told of the occurrence, and how. Who did it themselves is not."""
    studies = list(studies_in(occurrence).values_list("pk", flat=True))
    for user in _candidates(occurrence):
        if may_be_told(user, occurrence):
            how = how_told(user, occurrence.kind, studies=studies)
            if how != How.OFF:
                yield user, how


def hooks_of(occurrence: Occurrence) -> list[AlertHook]:
    hooks = AlertHook.objects.filter(study__in=studies_in(occurrence), is_on=True)
    return [hook for hook in hooks.order_by("pk") if occurrence.kind in hook.kinds]


def studies_in(occurrence: Occurrence) -> QuerySet[Study]:
    """Return the study of the occurrence; of a run, all whose bonuses it holds."""
    if occurrence.run_id:
        of_run = Q(batches__hits__assignments__bonuses__rows__run=occurrence.run_id)
        return Study.objects.filter(pk__in=Study.objects.filter(of_run).values("pk"))
    return Study.objects.filter(pk=occurrence.study_id) if occurrence.study_id else Study.objects.none()


def how_told(user: User, kind: str, *, studies: Collection[int]) -> How:
    """Return the user's choice. Of several studies, the one of which most is to be told decides."""
    of_kind = AlertChoice.objects.filter(Q(study=None) | Q(study__in=studies), user=user, kind=kind)
    chosen: dict[int | None, str] = {row.study_id: row.how for row in of_kind}
    mine = _own_studies(user, studies)
    every: list[int | None] = [*studies] or [None]
    hows = [_how_in(user, kind, study, chosen=chosen, is_member=study in mine) for study in every]
    return max(hows, key=list(How).index)


def _how_in(
    user: User, kind: str, study: int | None, *, chosen: Mapping[int | None, str], is_member: bool
) -> How:
    found = chosen.get(study) or chosen.get(None)
    return How(found) if found else default_for(user, kind, is_member=is_member)


def _own_studies(user: User, studies: Iterable[int]) -> set[int]:
    """Return those that are the user's own. Who does not see all sees no others."""
    if not user.has_perm(SEES_ALL):
        return set(studies)
    return set(user.studies.filter(pk__in=list(studies)).values_list("pk", flat=True))


def _candidates(occurrence: Occurrence) -> Iterable[User]:
    opens = RIGHTS[occurrence.kind].opens
    users = User.objects.with_perm(opens, backend=BACKEND).filter(is_staff=True)
    if occurrence.kind == Kind.DECIDED and occurrence.run:
        return users.filter(pk=occurrence.run.prepared_by_id)
    return (users.exclude(pk=occurrence.by_id) if occurrence.by_id else users).order_by("pk")


def chooses_for(user: User) -> QuerySet[Study]:
    """Return the studies for which the user may choose something else than for all."""
    return studies_of(user).order_by("name")
