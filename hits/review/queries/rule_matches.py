"""Works of a batch that wait for a decision and meet a rule about their scores and times."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Exists, OuterRef, Q, QuerySet

from hits.batches.queries.work_times import EFFECTIVE_S
from hits.identity.models.users import User
from hits.review.queries.review_queue import QueueFilter, review_queue
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note

# The most works that one confirmation decides on, and that are compared with a rule for it, oldest first.
MOST_AT_ONCE = 500
MOST_COMPARED = 2000

Means = Mapping[str, Fraction]
# A reader of works' mean scores by measure. Scores are recorded by a room above.
MeansOf = Callable[[Collection[int]], Mapping[int, Means]]


@dataclass(frozen=True, kw_only=True)
class WorkRule:
    """Bounds that a work has to keep, each inclusive. Without a measure, every score of a work has to."""

    batch: int
    measure: str = ""
    least_score: Fraction | None = None
    most_score: Fraction | None = None
    least_s: int | None = None
    most_s: int | None = None
    leaves_out_flagged: bool = True

    def allows(self, means: Means) -> bool:
        """Whether these scores are within the bounds. Work without a score meets no bound of scores."""
        if self.least_score is None and self.most_score is None:
            return True
        named = [mean for measure, mean in means.items() if self.measure in ("", measure)]
        least, most = self.least_score or Fraction(0), self.most_score
        return bool(named) and all(least <= mean and (most is None or mean <= most) for mean in named)


@dataclass(frozen=True, kw_only=True)
class Match:
    work: Assignment
    seconds: int | None
    means: Means


@dataclass(frozen=True, kw_only=True)
class Matches:
    """What meets a rule, as far as it was compared."""

    found: Sequence[Match]
    waiting: int
    compared: int
    # Works that meet the bounds too and that somebody should look at; and those of them decided on before.
    left_out: int = 0
    decided_before: int = 0

    @property
    def at_once(self) -> Sequence[Match]:
        return self.found[:MOST_AT_ONCE]

    @property
    def left_for_later(self) -> int:
        return len(self.found) - len(self.at_once)


def works_by_rule(
    *, user: User, rule: WorkRule, means_of: MeansOf, among: Collection[int] | None = None
) -> Matches:
    """Return the works that meet the rule now; with `among`, no others than these."""
    waiting = review_queue(user=user, wanted=QueueFilter(batch=rule.batch))
    within = _within(waiting, rule, among=among).values_list("pk", EFFECTIVE_S)
    compared: dict[int, int | None] = dict(within[:MOST_COMPARED])
    means = means_of(compared)
    meeting = [key for key in compared if rule.allows(means.get(key, {}))]
    works = _read(meeting, batch=rule.batch)
    found = [Match(work=works[key], seconds=compared[key], means=means.get(key, {})) for key in meeting]
    left_out, decided = _left_out(waiting, rule, means_of=means_of)
    return Matches(
        found=found,
        waiting=waiting.count(),
        compared=len(compared),
        left_out=left_out,
        decided_before=decided,
    )


def _left_out(waiting: QuerySet[Assignment], rule: WorkRule, *, means_of: MeansOf) -> tuple[int, int]:
    """How many works are within the bounds and left out, and how many of them were decided on before."""
    if not rule.leaves_out_flagged:
        return 0, 0
    flagged = _bounded(waiting, rule).filter(_is_flagged()).annotate(is_decided=_is_decided())
    works = dict(flagged.values_list("pk", "is_decided")[:MOST_COMPARED])
    means = means_of(works) if works else {}
    meeting = [is_decided for key, is_decided in works.items() if rule.allows(means.get(key, {}))]
    return len(meeting), sum(meeting)


def _read(keys: Collection[int], *, batch: int) -> Mapping[int, Assignment]:
    """Read these works of one batch, which is read once for all of them."""
    if not keys:
        return {}
    of_all = Batch.objects.select_related("study", "account").get(pk=batch)
    works = Assignment.objects.select_related("worker", "hit").defer("answer").in_bulk(keys)
    for work in works.values():
        work.hit.batch = of_all
    return works


def _within(
    waiting: QuerySet[Assignment], rule: WorkRule, *, among: Collection[int] | None
) -> QuerySet[Assignment]:
    works = _bounded(waiting if among is None else waiting.filter(pk__in=among), rule)
    return works.exclude(_is_flagged()) if rule.leaves_out_flagged else works


def _bounded(waiting: QuerySet[Assignment], rule: WorkRule) -> QuerySet[Assignment]:
    """Works within the bounds of times."""
    works = waiting.annotate(seconds=EFFECTIVE_S)
    if rule.least_s is not None:
        works = works.filter(seconds__gte=rule.least_s)
    if rule.most_s is not None:
        works = works.filter(seconds__lte=rule.most_s)
    return works


def _is_flagged() -> Q:
    """Condition for works to look at: lost, refused by the provider, noted on, or decided on before."""
    noted = Exists(Note.objects.filter(assignment=OuterRef("pk")))
    return Q(answer__isnull=True) | ~Q(problem="") | Q(noted) | Q(_is_decided())


def _is_decided() -> Exists:
    return Exists(Decision.objects.filter(assignment=OuterRef("pk")))
