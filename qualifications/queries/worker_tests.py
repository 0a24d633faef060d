"""One worker's tests and consents, for staff."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.access import studies_of
from qualifications.models import Attempt, Consent, Gate, Holding
from qualifications.queries.consents import consents_of
from qualifications.queries.gate_standing import (
    FAILED,
    MAY_RETRY,
    NOT_TESTED,
    PASSED,
    REVOKED,
    STARTED,
    USED,
    WAITING,
    Stand,
    stands_at,
    telling_attempts,
)
from qualifications.queries.gate_words import findings_in_words
from qualifications.queries.gates import holdings_of

# The newest gates and consents; a worker of more than a few studies is rare.
MOST = 20
STATES: Mapping[str, str] = {
    NOT_TESTED: "Not taken",
    MAY_RETRY: "Failed, may try again",
    STARTED: "Begun",
    WAITING: "Submitted, waits for its grade",
    FAILED: "Failed",
    USED: "Used up, and not passed",
    REVOKED: "Passed, and taken back",
    PASSED: "Passed",
}


@dataclass(frozen=True, kw_only=True)
class WorkerTest:
    """A worker's state at one gate: the test, how it came out, and what the worker holds."""

    stand: Stand
    attempt: Attempt | None
    held: Holding | None

    @property
    def gate(self) -> Gate:
        return self.stand.gate

    @property
    def state(self) -> str:
        return STATES[self.stand.code]

    @property
    def at(self) -> datetime | None:
        """When it was graded, or how far it has come."""
        if self.attempt is None:
            return None
        return self.attempt.graded_at or self.attempt.handed_in_at or self.attempt.started_at

    @property
    def results(self) -> Sequence[str]:
        """The scores against the bar, or what the person who graded said."""
        if self.attempt is None:
            return []
        said = [self.attempt.words] if self.attempt.words else []
        taken_back = [self.held.reason] if self.held and self.stand.code == REVOKED else []
        return [*findings_in_words(self.attempt.findings), *said, *taken_back, *self._progress]

    @property
    def at_provider(self) -> str:
        """What the provider knows of it, which decides who is offered the work."""
        held = self.held
        if held is None or (held.value is None and held.told is None):
            return "Nothing"
        if held.problem:
            return f"Could not be told: {held.problem}"
        if not held.is_told:
            return "Is being told"
        return "Nothing" if held.told is None else Holding.Value(held.told).label

    @property
    def _progress(self) -> Sequence[str]:
        return self.stand.findings if self.stand.code == WAITING else []


def find_tests(worker: Worker, user: Any) -> list[WorkerTest]:
    """The worker's state at each gate of the user's studies that is in front of open work, or was tried."""
    gates = list(_gates_about(worker, user)[:MOST])
    held = holdings_of(worker, gates)
    attempts = telling_attempts(gates, worker=worker)
    return [
        WorkerTest(stand=stand, attempt=attempts.get(stand.gate.pk), held=held.get(stand.gate.pk))
        for stand in stands_at(gates, worker=worker, held=held)
    ]


def consents_for(worker: Worker, user: Any) -> QuerySet[Consent]:
    """The worker's newest consents in the user's studies, also withdrawn ones."""
    return consents_of(worker).filter(text__study__in=studies_of(user))[:MOST]


def _gates_about(worker: Worker, user: Any) -> QuerySet[Gate]:
    here = Q(gate=OuterRef("pk"), worker=worker)
    open_here = Batch.objects.filter(
        study=OuterRef("study"), account=worker.account_id, status=Batch.Status.OPEN
    )
    known = Exists(Attempt.objects.filter(here)) | Exists(Holding.objects.filter(here)) | Exists(open_here)
    gates = Gate.objects.filter(known, study__in=studies_of(user), is_active=True)
    return gates.select_related("study").defer("question_form", "answer_key").order_by("-pk")
