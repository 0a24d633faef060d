"""A study's funnel: how many workers came, agreed, took its tests, passed and worked, and why not more.

The number of queries is fixed, whatever there is: counts over indexes, and two slices.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Min, Q, QuerySet, Sum

from hits import families
from hits.people.models import Recipient
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from qualifications.domain.gate_rules import read_finding
from qualifications.models import Attempt, Consent, ConsentText, Gate, Holding, RefusalCount
from qualifications.queries.gate_words import limit_in_words

# How many failed tests are read, the newest first.
MOST_FAILED = 1000
HANDED_IN = (
    Assignment.Status.SAVED,
    Assignment.Status.SUBMITTED,
    Assignment.Status.APPROVED,
    Assignment.Status.REJECTED,
)
Status = Attempt.Status
TESTED = (Status.WAITING, Status.PASSED, Status.FAILED)


@dataclass(frozen=True, kw_only=True)
class Step:
    """How many workers reached a step, and of how many in which step before."""

    name: str
    count: int
    of: int | None = None
    of_name: str = ""
    gate: str = ""

    @property
    def share(self) -> int | None:
        """Whole percent, rounded down. None where it would mislead: some workers got there another way."""
        if not self.of or self.count > self.of:
            return None
        return 100 * self.count // self.of


@dataclass(frozen=True, kw_only=True)
class GateRow:
    """What became of the tests of one gate, counted in workers, and since when the oldest one waits."""

    gate: Gate
    tested: int
    waiting: int
    failed: int
    given_up: int
    passed: int
    waits_since: datetime | None


@dataclass(frozen=True, kw_only=True)
class Funnel:
    steps: Sequence[Step]
    gates: Sequence[GateRow]
    refusals: Sequence[tuple[str, int]]
    missed: Sequence[tuple[str, str, int]]
    missed_of: int
    withdrew: int
    since: datetime | None
    counted_at: datetime

    @property
    def is_empty(self) -> bool:
        return not any(step.count for step in self.steps)


def funnel_of(study: Study, *, days: int | None, now: datetime) -> Funnel:
    """Funnel of the workers who opened a HIT in the last `days` (None: ever), whenever they did the rest."""
    since = None if days is None else now - timedelta(days=days)
    people = _People(study=study, since=since)
    gates = list(Gate.objects.filter(study=study).order_by("pk"))
    rows = list(_gate_rows(gates, people))
    missed, missed_of = _missed(gates, since=since)
    return Funnel(
        steps=list(_steps(people, rows)),
        gates=rows,
        refusals=_refusals(study, since=since),
        missed=missed,
        missed_of=missed_of,
        withdrew=_withdrew(study, since=since),
        since=since,
        counted_at=now,
    )


@dataclass(frozen=True, kw_only=True)
class _People:
    """The workers whom the funnel counts, as conditions on the rows of each step."""

    study: Study
    since: datetime | None

    @property
    def work(self) -> QuerySet[Assignment]:
        rows = Assignment.objects.filter(hit__batch__study=self.study).order_by()
        return rows if self.since is None else rows.filter(opened_at__gte=self.since)

    def among(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return (
            rows.order_by()
            if self.since is None
            else rows.filter(worker__in=self.work.values("worker")).order_by()
        )

    def count(self, rows: QuerySet[Any]) -> int:
        found: int = rows.aggregate(people=Count("worker", distinct=True))["people"]
        return found


def _steps(people: _People, gates: Sequence[GateRow]) -> Iterator[Step]:
    study, since = people.study, people.since
    letters = Recipient.objects.filter(message__study=study, status=Recipient.Status.SENT).order_by()
    invited = letters if since is None else letters.filter(message__made_at__gte=since)
    yield Step(name="Were written to", count=people.count(invited))
    before, before_name = people.count(people.work), "those who came"
    yield Step(name="Came: opened a HIT", count=before)
    if ConsentText.objects.filter(study=study, published_at__isnull=False).exists():
        agreed = people.among(Consent.objects.filter(text__study=study, withdrawn_at=None))
        consented = people.count(agreed)
        yield Step(name="Agreed to take part", count=consented, of=before, of_name=before_name)
        before, before_name = consented, "those who agreed"
    for row in gates:
        about = {"gate": row.gate.name}
        yield Step(name="Submitted the test", count=row.tested, of=before, of_name=before_name, **about)
        yield Step(name="Passed", count=row.passed, of=row.tested, of_name="those tested", **about)
    if gates:
        held = Holding.objects.filter(gate__study=study, value=Holding.Value.PASSED)
        before = gates[0].passed if len(gates) == 1 else people.count(people.among(held))
        before_name = "those who passed" if len(gates) == 1 else "those who passed a gate"
    tests = [key for key in families.registered() if families.is_test(key)]
    working = people.work.filter(status__in=HANDED_IN).exclude(hit__batch__task__in=tests)
    yield Step(name="Work: submitted other work", count=people.count(working), of=before, of_name=before_name)


def _gate_rows(gates: Sequence[Gate], people: _People) -> Iterator[GateRow]:
    """Rows of all gates, in two queries; none without gates."""
    if not gates:
        return
    attempts = people.among(Attempt.objects.filter(gate__in=gates)).values("gate")
    counted = {
        row["gate"]: row
        for row in attempts.annotate(
            tested=_people_in(TESTED),
            waiting=_people_in([Status.WAITING]),
            failed=_people_in([Status.FAILED]),
            given_up=_people_in([Status.GIVEN_UP]),
            waits_since=Min("handed_in_at", filter=Q(status=Status.WAITING)),
        )
    }
    held = people.among(Holding.objects.filter(gate__in=gates, value=Holding.Value.PASSED))
    passed = dict(held.values_list("gate").annotate(Count("pk")))
    for gate in gates:
        row: Mapping[str, Any] = counted.get(gate.pk, {})
        yield GateRow(
            gate=gate,
            tested=row.get("tested", 0),
            waiting=row.get("waiting", 0),
            failed=row.get("failed", 0),
            given_up=row.get("given_up", 0),
            passed=passed.get(gate.pk, 0),
            waits_since=row.get("waits_since"),
        )


def _people_in(statuses: Sequence[str]) -> Count:
    return Count("worker", filter=Q(status__in=statuses), distinct=True)


def _refusals(study: Study, *, since: datetime | None) -> list[tuple[str, int]]:
    """Refusals by code, the most frequent first. One row for each day and code, however many people."""
    rows = RefusalCount.objects.filter(study=study)
    if since is not None:
        rows = rows.filter(day__gte=since.astimezone(ZoneInfo(study.time_zone)).date())
    sums = rows.order_by().values_list("code").annotate(sum=Sum("count"))
    return sorted(sums, key=lambda row: (-row[1], row[0]))


def _missed(gates: Sequence[Gate], *, since: datetime | None) -> tuple[list[tuple[str, str, int]], int]:
    """How many of the newest failed tests missed each bound of each gate, and how many were read."""
    failed = Attempt.objects.filter(gate__in=gates, status=Status.FAILED)
    if since is not None:
        failed = failed.filter(graded_at__gte=since)
    names = {gate.pk: gate.name for gate in gates}
    read = list(failed.order_by("-pk").values_list("gate", "findings", "graded_by")[:MOST_FAILED])
    counted: Counter[tuple[str, str]] = Counter()
    for gate, findings, graded_by in read:
        found = [finding for row in findings if (finding := read_finding(row)) and not finding.holds]
        for finding in found:
            counted[names[gate], f"{finding.bound.measure}: {limit_in_words(finding.bound)}"] += 1
        if not found:
            counted[names[gate], "a person decided" if graded_by else "the provider decided"] += 1
    rows = [(gate, bound, count) for (gate, bound), count in counted.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1])), len(read)


def _withdrew(study: Study, *, since: datetime | None) -> int:
    """How many workers withdrew their consent."""
    rows = Consent.objects.filter(text__study=study, withdrawn_at__isnull=False).order_by()
    if since is not None:
        rows = rows.filter(withdrawn_at__gte=since)
    found: int = rows.aggregate(people=Count("worker", distinct=True))["people"]
    return found
