"""The project's rules. After a change, decisions are made again, from what is known already."""

from datetime import datetime
from typing import Any

import structlog
from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.winoventi.challenge.services.choices import choose_anew
from crowd.winoventi.models import Alternative, FilterScore, Premise, Project, Prompt
from crowd.winoventi.services.locks import AT_ONCE, items_of_alternatives
from crowd.winoventi.services.pair_states import settle_alternatives
from crowd.winoventi.validation.services.validations import judge_anew
from hits.common.sweep_parts import in_parts
from hits.work.services.locking import held, lock_items

# Rules that states are read by, and that tell how many answers are asked for.
RULES = ("filter_model_id", "way", "answers_wanted", "fails_by", "fails_at", "judges", "choices_wanted")
log = structlog.get_logger()


def change_rules(*, project: Project, **changes: Any) -> Project:
    """Change fields of the project by name. `settle_anew` follows, unless no decision is affected."""
    with held(project) as locked:
        before = _rules_of(locked)
        for name, value in changes.items():
            setattr(locked, name, value)
        locked.is_stale = locked.is_stale or _rules_of(locked) != before
        locked.save()
    return locked


def settle_anew(*, now: datetime) -> int:
    """Settle the projects whose rules have changed."""
    stale = Project.objects.filter(is_stale=True)
    return in_parts(stale, lambda project: _settle_project(project, now=now))


def pass_alternatives(*, now: datetime) -> int:
    """Let exceptions that the project's model has scored since through the filter, or stop them."""
    given = Alternative.objects.filter(state=Alternative.State.GIVEN).filter(Exists(_scores()))
    projects = Project.objects.filter(Exists(given.filter(project=OuterRef("pk"))))
    return in_parts(projects.order_by("pk"), lambda project: _pass_of(project, given, now=now))


def _pass_of(project: Project, given: QuerySet[Alternative], *, now: datetime) -> int:
    passed, last = 0, 0
    while True:
        with held(project) as locked:
            rows = given.filter(project=locked, pk__gt=last).order_by("pk")
            some = list(rows.values_list("pk", flat=True)[:AT_ONCE])
            if not some:
                return passed
            _settle_alternatives(locked, some, now=now)
        passed, last = passed + len(some), some[-1]


def _scores() -> QuerySet[FilterScore]:
    """Scores of the outer query's alternative by which its project filters."""
    of_the_model = Q(rival=OuterRef("project__filter_model")) | Q(
        rival=None, alternative__project__filter_model=None
    )
    return FilterScore.objects.filter(of_the_model, alternative=OuterRef("pk"), way=OuterRef("project__way"))


def _settle_project(project: Project, *, now: datetime) -> int:
    """Settle all rows. A crash or a change of rules meanwhile leaves the project stale, for another run."""
    rules = _rules_of(project)
    for found, settle in (
        (Alternative.objects.filter(project=project), _settle_alternatives),
        (Premise.objects.filter(project=project), _settle_premises),
        (Prompt.objects.filter(premise__project=project), _settle_prompts),
    ):
        last = 0
        while True:
            with held(project) as locked:
                rows: QuerySet[Any] = found.filter(pk__gt=last).order_by("pk")
                some = list(rows.values_list("pk", flat=True)[:AT_ONCE])
                settle(locked, some, now=now)
            if not some:
                break
            last = some[-1]
    with held(project) as locked:
        Project.objects.filter(pk=locked.pk).update(is_stale=_rules_of(locked) != rules)
    log.info("winoventi.settled_anew", study=str(project.study.public_id))
    return 1


def _settle_alternatives(project: Project, keys: list[int], *, now: datetime) -> None:
    rows = Alternative.objects.filter(pk__in=keys)
    lock_items(items_of_alternatives(keys))
    settle_alternatives(project=project, alternatives=rows, now=now)


def _settle_premises(project: Project, keys: list[int], *, now: datetime) -> None:
    rows = Premise.objects.filter(pk__in=keys).order_by("pk")
    judge_anew(project=project, rows=list(rows), now=now)


def _settle_prompts(project: Project, keys: list[int], *, now: datetime) -> None:
    rows = Prompt.objects.filter(pk__in=keys, item__isnull=False).order_by("pk")
    related = rows.select_related("premise__alternative__generic")
    choose_anew(project=project, rows=list(related), now=now)


def _rules_of(project: Project) -> tuple[Any, ...]:
    return tuple(getattr(project, name) for name in RULES)
