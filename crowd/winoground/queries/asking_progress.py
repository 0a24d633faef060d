"""How far the asking of workers is, in a fixed number of queries."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Q

from crowd.winoground.domain import ONBOARDING
from crowd.winoground.models import Example, FirstQuestion, Pairing, Project
from hits.work.models.leases import Lease

State = Example.State


@dataclass(frozen=True, kw_only=True)
class AskingProgress:
    """Numbers about the asking. `answers`: of those `wanted` now. `away`: questions without their image."""

    ready: int
    asked: int
    pairings: int
    away: int
    answers: int
    wanted: int
    workers: int


@dataclass(frozen=True, kw_only=True)
class FirstOnes:
    questions: int
    matching: int

    @property
    def are_alike(self) -> bool:
        return bool(self.questions) and self.matching in (0, self.questions)


def asking_of(project: Project) -> AskingProgress:
    states = dict(project.examples.order_by().values_list("state").annotate(Count("pk")))
    pairings = Pairing.objects.filter(example__project=project, example__state=State.ASKED).order_by()
    away = Q(item__pulled_at__isnull=False)
    counts = pairings.aggregate(asked=Count("pk", filter=~away), away=Count("pk", filter=away))
    answered = Lease.objects.filter(
        item__winoground_pairing__in=pairings, item__pulled_at=None, status=Lease.Status.ANSWERED
    )
    there = answered.aggregate(answers=Count("pk"), workers=Count("worker", distinct=True))
    return AskingProgress(
        ready=states.get(State.READY, 0),
        asked=states.get(State.ASKED, 0),
        pairings=counts["asked"],
        away=counts["away"],
        wanted=counts["asked"] * project.answers_wanted,
        **there,
    )


def first_ones_of(project: Project) -> FirstOnes:
    asked = FirstQuestion.objects.filter(
        item__study=project.study_id, item__task=ONBOARDING, item__pulled_at=None
    )
    counts = Counter(asked.values_list("is_match", flat=True))
    return FirstOnes(questions=counts.total(), matching=counts[True])
