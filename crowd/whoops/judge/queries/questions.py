"""How far questions are: waiting, asked, or answered by all their judges."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextChoices,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from crowd.pictures.models import Picture
from crowd.whoops.models import Image, Project
from crowd.whoops.models.judged_items import Question
from hits.work.models.leases import Lease


class Standing(TextChoices):
    WAITING = "waiting", "Not asked yet"
    ASKED = "asked", "Asked"
    JUDGED = "judged", "All judges are there"
    AWAY = "away", "Its image is away"
    WITHDRAWN = "withdrawn", "Withdrawn"


# Standings that every figure counts.
STANDING = (Standing.WAITING, Standing.ASKED, Standing.JUDGED)
AWAY = ~Q(image__state=Image.State.ACCEPTED) | ~Q(picture__status=Picture.Status.FIT)


@dataclass(frozen=True, kw_only=True)
class KindTally:
    """The number of one kind's questions in each standing."""

    of: Mapping[str, int]

    def __getitem__(self, standing: str) -> int:
        return self.of.get(standing, 0)

    @property
    def all(self) -> int:
        return sum(self[one] for one in STANDING)


def with_standing(rows: QuerySet[Question]) -> QuerySet[Question]:
    """Add `answered`, the number of judges who have answered, and `standing`."""
    answers = Lease.objects.filter(item=OuterRef("item"), status=Lease.Status.ANSWERED)
    counted = answers.order_by().values("item").annotate(count=Count("pk")).values("count")
    return rows.annotate(
        answered=Coalesce(Subquery(counted, output_field=IntegerField()), 0),
        standing=Case(
            When(withdrawn_at__isnull=False, then=Value(Standing.WITHDRAWN.value)),
            When(AWAY, then=Value(Standing.AWAY.value)),
            When(item=None, then=Value(Standing.WAITING.value)),
            When(answered__gte=F("project__judges_wanted"), then=Value(Standing.JUDGED.value)),
            default=Value(Standing.ASKED.value),
            output_field=CharField(),
        ),
    )


def count_kinds(project: Project) -> Mapping[str, KindTally]:
    """Count the project's questions of every kind, in one query."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    rows: QuerySet[Any] = with_standing(Question.objects.filter(project=project))
    for kind, standing, count in rows.order_by().values_list("kind", "standing").annotate(Count("pk")):
        found[kind][standing] = count
    return {kind: KindTally(of=found[kind]) for kind in Question.Kind.values}


def that_count(project: Project, *, kind: str, **only: Any) -> QuerySet[Question]:
    """Questions of a kind that figures count, narrowed by `only`."""
    rows: QuerySet[Any] = with_standing(Question.objects.filter(project=project, kind=kind, **only))
    return rows.filter(standing__in=STANDING)


def unexplained(project: Project) -> QuerySet[Image]:
    """Accepted images that have all annotations and no list of explanations asked."""
    asked = Question.objects.filter(project=project, kind=Question.Kind.EXPLAIN, item__isnull=False)
    images = project.images.filter(
        state=Image.State.ACCEPTED,
        picture__status=Picture.Status.FIT,
        annotated__gte=project.annotations_wanted,
    )
    return images.exclude(pk__in=asked.filter(image__isnull=False).values("image"))
