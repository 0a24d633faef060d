"""A study's rivals compared to its people: how well each finds what an author meant."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Avg, Count, Exists, F, FloatField, Max, OuterRef, QuerySet
from django.db.models.functions import Cast

from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import PendingQuery, RegisteredRival, RivalQuery, Score, StudyRival, Verdict

JACCARD = "jaccard"


@dataclass(frozen=True, kw_only=True)
class Row:
    """Mean Jaccard index of one rival or of people, in percent, overall and by the number of pictures."""

    name: str
    rival: RegisteredRival | None = None
    is_paid: bool = False
    answered: int = 0
    waiting: int = 0
    problem: str = ""
    overall: float | None = None
    by_size: Mapping[int, float] = field(default_factory=dict)

    @property
    def asked(self) -> int:
        return self.answered + self.waiting


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """People and rivals side by side.

    Means are over queries that people have solved, the same in all rows.
    """

    rival_queries: int
    solved: int
    sizes: Sequence[int]
    people: Row
    rivals: Sequence[Row]


ItemsOf = Callable[[Study], QuerySet[Item]]
_apart: dict[str, ItemsOf] = {}


def keep_apart(name: str, items: ItemsOf) -> None:
    """Register a set of items that are compared by themselves: called once, in an AppConfig.ready."""
    _apart[name] = items


def compare(study: Study, *, paid: RegisteredRival) -> Comparison:
    """Compare the study's rivals with people, over all of its rival queries that are not kept apart."""
    rival_queries = RivalQuery.objects.filter(study=study)
    for items in _apart.values():
        rival_queries = rival_queries.exclude(item__in=items(study))
    return _compare(study, rival_queries, paid=paid)


def compare_apart(study: Study, *, paid: RegisteredRival) -> dict[str, Comparison]:
    """Compare them over each set that is kept apart, by its name; sets without rival queries are left out."""
    found = {}
    for name, items in _apart.items():
        rival_queries = RivalQuery.objects.filter(study=study, item__in=items(study))
        if rival_queries.exists():
            found[name] = _compare(study, rival_queries, paid=paid)
    return found


def _compare(study: Study, rival_queries: QuerySet[RivalQuery], *, paid: RegisteredRival) -> Comparison:
    solved = rival_queries.filter(Exists(_solving().filter(item=OuterRef("item"))))
    sizes = list(solved.order_by("size").values_list("size", flat=True).distinct())
    people = _means(
        _solving().filter(item__rival_query__in=rival_queries),
        share=_share(),
        size=F("item__rival_query__size"),
    )
    return Comparison(
        rival_queries=rival_queries.count(),
        solved=solved.count(),
        sizes=sizes,
        people=Row(name="people", overall=people.pop(0, None), by_size=people),
        rivals=_rows(study, rival_queries, solved=solved, paid=paid),
    )


def _solving() -> QuerySet[Score]:
    """People's scores that count: of work neither kept out nor rejected."""
    counting = Score.objects.filter(measure=JACCARD, assignment__kept_out=False)
    return counting.exclude(assignment__status=Assignment.Status.REJECTED)


def _share() -> Any:
    return Cast("numerator", FloatField()) / F("denominator") * 100.0


def _rows(
    study: Study,
    rival_queries: QuerySet[RivalQuery],
    *,
    solved: QuerySet[RivalQuery],
    paid: RegisteredRival,
) -> list[Row]:
    chosen = set(StudyRival.objects.filter(study=study).values_list("rival", flat=True))
    verdicts = Verdict.objects.filter(rival_query__in=rival_queries)
    answered = dict(verdicts.order_by().values_list("rival").annotate(Count("pk")))
    waiting = {
        rival: (count, problem)
        for rival, count, problem in PendingQuery.objects.filter(rival_query__in=rival_queries)
        .order_by()
        .values_list("rival")
        .annotate(Count("pk"), Max("problem"))
    }
    rivals = RegisteredRival.objects.filter(pk__in={paid.pk, *chosen, *answered, *waiting}).order_by("name")
    rows = []
    for rival in rivals:
        theirs = verdicts.filter(rival=rival, rival_query__in=solved)
        means = _means(theirs, share=Cast("model_score", FloatField()), size=F("rival_query__size"))
        count, problem = waiting.get(rival.pk, (0, ""))
        rows.append(
            Row(
                name=rival.name,
                rival=rival,
                is_paid=rival == paid,
                answered=answered.get(rival.pk, 0),
                waiting=count,
                problem=problem,
                overall=means.pop(0, None),
                by_size=means,
            )
        )
    return rows


def _means(rows: QuerySet[Any], *, share: Any, size: F) -> dict[int, float]:
    """Means by size, and the overall mean under 0; empty without rows."""
    found = rows.order_by().annotate(share=share, size=size)
    by_size = {
        row["size"]: row for row in found.values("size").annotate(mean=Avg("share"), count=Count("pk"))
    }
    count = sum(row["count"] for row in by_size.values())
    if not count:
        return {}
    overall = sum(row["mean"] * row["count"] for row in by_size.values()) / count
    return {0: overall, **{size: row["mean"] for size, row in by_size.items()}}
