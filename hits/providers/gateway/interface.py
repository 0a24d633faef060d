"""What we ask of any provider. Each passes one contract suite (tests/hits/providers/gateway)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol
from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class HITSpec:
    title: str
    description: str
    keywords: str
    reward: Decimal
    question_url: str
    max_assignments: int
    duration_s: int
    lifetime_s: int
    auto_approval_s: int
    annotation: str
    requirements: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, kw_only=True)
class ProviderHIT:
    external_id: str
    annotation: str
    status: str
    max_assignments: int
    available: int
    pending: int
    completed: int
    hit_type_id: str = ""
    expires_at: datetime | None = None
    question: str = ""

    @property
    def counters(self) -> str:
        """The same as long as nothing was submitted or reviewed."""
        places = f"{self.available}/{self.pending}/{self.completed}/{self.max_assignments}"
        return f"{self.status} {places}"

    @property
    def handed_in(self) -> int:
        """Assignments that somebody has finished, decided on or not."""
        return self.max_assignments - self.available - self.pending

    @property
    def is_over(self) -> bool:
        """Nobody works on it any more, and nobody can start."""
        return self.status in ("Reviewable", "Reviewing", "Disposed")


@dataclass(frozen=True, kw_only=True)
class ProviderAssignment:
    external_id: str
    hit_external_id: str
    worker_external_id: str
    status: str
    accepted_at: datetime
    submitted_at: datetime
    answers: Mapping[str, str] = field(default_factory=dict)
    auto_approves_at: datetime | None = None
    approved_at: datetime | None = None
    rejected_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class ProviderBonus:
    assignment_external_id: str
    worker_external_id: str
    amount: Decimal
    reason: str
    granted_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class NotDelivered:
    """A worker whom a message did not reach, and why."""

    worker_external_id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ProviderTest:
    """A test that the provider itself shows and marks: its questions and its key, in the API's XML."""

    question_form: str
    answer_key: str
    duration_s: int


@dataclass(frozen=True, kw_only=True)
class QualifiedWorker:
    """A worker who holds a qualification."""

    worker_external_id: str
    value: int


@dataclass(frozen=True, kw_only=True)
class QualificationRequest:
    """A worker who asks for one."""

    external_id: str
    worker_external_id: str


class Provider(Protocol):
    """Every call raises ProviderRefused (stop) or ProviderUnavailable (outcome unknown: look first)."""

    def get_balance(self) -> Decimal: ...

    def create_hit(self, spec: HITSpec, *, token: UUID) -> ProviderHIT:
        """Asked twice with one token it makes one HIT, and returns that one both times."""

    def get_hit(self, external_id: str) -> ProviderHIT: ...

    def expire_hit(self, external_id: str) -> None:
        """Nobody starts any more. Asked twice it changes nothing more."""

    def extend_hit(self, external_id: str, *, expires_at: datetime) -> None:
        """Starting ends at that instant; a HIT that was expired is open again."""

    def add_places(self, external_id: str, *, places: int, token: UUID) -> None:
        """More assignments. After ProviderUnavailable, or a refusal of the token, look at get_hit."""

    def list_reviewable(self) -> Iterator[str]:
        """The ids of HITs that are over and were not yet marked as seen, all pages."""

    def mark_seen(self, external_id: str) -> None:
        """Takes a HIT that is over off list_reviewable. Asked twice it changes nothing more."""

    def list_hits(self) -> Iterator[ProviderHIT]:
        """All of them, all pages."""

    def list_assignments(self, hit_external_id: str) -> Iterator[ProviderAssignment]:
        """Whatever was submitted, reviewed or not, all pages."""

    def get_assignment(self, external_id: str) -> ProviderAssignment:
        """Refused unless it was submitted."""

    def approve_assignment(self, external_id: str, *, feedback: str = "", override: bool = False) -> None:
        """Asked twice it approves once, and both calls succeed. `override` takes a rejection back."""

    def reject_assignment(self, external_id: str, *, feedback: str) -> None:
        """Asked twice it rejects once, and both calls succeed."""

    def send_bonus(
        self,
        *,
        assignment_external_id: str,
        worker_external_id: str,
        amount: Decimal,
        reason: str,
        token: UUID,
    ) -> None:
        """Repeated, if at all, with the same token. After ProviderUnavailable, look into list_bonuses."""

    def list_bonuses(self, *, hit_external_id: str) -> Iterator[ProviderBonus]:
        """Every bonus paid for this HIT's assignments, all pages."""

    def notify_workers(
        self, *, subject: str, text: str, worker_external_ids: Sequence[str]
    ) -> list[NotDelivered]:
        """At most a hundred at once. After ProviderUnavailable nobody knows whom it reached."""

    def block_worker(self, external_id: str, *, reason: str) -> None: ...

    def unblock_worker(self, external_id: str) -> None: ...

    def notify_events(self, hit_type_id: str, *, transport: str, destination: str) -> None:
        """Events of this HIT type go there from now on. Asked twice it changes nothing more."""

    def create_qualification(
        self,
        *,
        name: str,
        description: str,
        keywords: str = "",
        retry_delay_s: int | None = None,
        test: ProviderTest | None = None,
    ) -> str:
        """Its id. Asked twice with one name it makes one, and returns that one both times.

        Nobody is given it by asking. Without a delay one may ask, or take the test, once.
        """

    def update_qualification(
        self,
        qualification_type_id: str,
        *,
        description: str,
        retry_delay_s: int | None = None,
        test: ProviderTest | None = None,
    ) -> None:
        """Asked twice it changes nothing more. A test and a delay can be changed, and not be taken away."""

    def find_qualification(self, *, mark: str) -> str | None:
        """The one of ours whose name ends with [mark], whatever else it is called."""

    def grant_qualification(
        self, qualification_type_id: str, *, worker_external_id: str, value: int = 1, notify: bool = True
    ) -> None:
        """Granted twice it is held once, with the last value."""

    def revoke_qualification(
        self, qualification_type_id: str, *, worker_external_id: str, reason: str = ""
    ) -> None:
        """The worker may read the reason. What is not held any more counts as done."""

    def list_qualified(self, qualification_type_id: str) -> Iterator[QualifiedWorker]:
        """Who holds it, with the value, all pages."""

    def list_qualification_requests(self, qualification_type_id: str) -> Iterator[QualificationRequest]:
        """Who has asked for it and waits for an answer, all pages."""

    def accept_qualification_request(self, external_id: str, *, value: int) -> None:
        """What does not wait any more counts as done."""

    def reject_qualification_request(self, external_id: str, *, reason: str) -> None:
        """The worker may read the reason. What does not wait any more counts as done."""
