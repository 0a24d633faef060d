"""Queries about a worker's part in a pair, at any of its steps."""

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from crowd.winoventi.models import Choice, Judgement, Premise, Project, Prompt
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease


def strangers_to(items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
    """Items of human performance whose pair this worker has never worked on, nor seen."""
    known = Prompt.objects.filter(premise__in=_pairs_known_to(worker_id), item__isnull=False)
    return items.exclude(pk__in=known.values("item"))


def judges_of(items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
    """Items of validation that the project's current rule leaves to this worker."""
    own = Q(worker=worker_id, project__judges=Project.Judges.OTHERS)
    made = Premise.objects.filter(
        own | (_made_by(worker_id) & Q(project__judges=Project.Judges.STRANGERS)), item__isnull=False
    )
    return items.exclude(pk__in=made.values("item"))


def answers_of(*, worker_id: int, study_id: int, task: str) -> int:
    """Number of this worker's leases of one step that were not released, and of items about to be leased."""
    leases = Lease.objects.filter(worker=worker_id, item__study=study_id, item__task=task)
    begun = Assignment.objects.filter(
        worker=worker_id,
        hit__batch__study=study_id,
        hit__batch__task=task,
        status=Assignment.Status.OPENED,
        leases=None,
    )
    coming = begun.aggregate(sum=Sum("hit__batch__items_per_assignment"))["sum"] or 0
    return leases.exclude(status=Lease.Status.RELEASED).count() + coming


def one_of_each_pair(items: QuerySet[Item]) -> QuerySet[Item]:
    """Items without two prompts of one pair: of two that are free, the one that was posted first."""
    other = Prompt.objects.filter(
        premise=OuterRef("prompt__premise"),
        item__lt=OuterRef("pk"),
        item__wanted__gt=0,
        item__pulled_at=None,
    )
    return items.filter(~Exists(other))


def _made_by(worker_id: int) -> Q:
    """Condition on premises: this worker made the exception or the sentence, or held a lease for either."""
    seen = Lease.objects.filter(worker=worker_id)
    return (
        Q(worker=worker_id)
        | Q(alternative__worker=worker_id)
        | Q(alternative__item__in=seen.values("item"))
        | Q(alternative__generic__item__in=seen.values("item"))
    )


def _pairs_known_to(worker_id: int) -> QuerySet[Premise]:
    """Premises that this worker made, judged or completed, here or in a recording, or held a lease for."""
    seen = Lease.objects.filter(worker=worker_id).values("item")
    return Premise.objects.filter(
        _made_by(worker_id)
        | Q(item__in=seen)
        | Q(pk__in=Judgement.objects.filter(worker=worker_id).values("premise"))
        | Q(pk__in=Prompt.objects.filter(item__in=seen).values("premise"))
        | Q(pk__in=Choice.objects.filter(worker=worker_id).values("prompt__premise"))
    )
