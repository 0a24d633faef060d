"""Interface of providers. Each implementation passes one contract suite (tests/hits/providers/gateway)."""

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
    # How long one assignment is expected to take, where the provider tells its workers.
    estimated_s: int = 0
    # The HIT's secret, from which completion codes are made where the provider takes them.
    secret: UUID | None = None


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
        """State of the HIT in one text, equal as long as nothing was submitted or reviewed."""
        places = f"{self.available}/{self.pending}/{self.completed}/{self.max_assignments}"
        return f"{self.status} {places}"

    @property
    def handed_in(self) -> int:
        """Number of assignments that workers have submitted, decided on or not."""
        return self.max_assignments - self.available - self.pending

    @property
    def is_over(self) -> bool:
        """Whether the HIT is over: nobody works on it any more, and nobody can start."""
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
class ProviderVisit:
    """Who is at work on what, as the provider knows it."""

    external_id: str
    hit_external_id: str
    worker_external_id: str
    accepted_at: datetime
    # Whether it goes on: neither handed in nor given back nor out of time.
    is_going_on: bool


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
    """A worker who asks for a qualification."""

    external_id: str
    worker_external_id: str


@dataclass(frozen=True, kw_only=True)
class OfferedFilter:
    """A filter by which a provider shows work only to some. Without choices, its values are ids."""

    id: str
    title: str
    is_range: bool
    low: float | None = None
    high: float | None = None
    choices: Mapping[str, str] = field(default_factory=dict)


class Provider(Protocol):
    """A provider. Calls raise ProviderRefused (stop) or ProviderUnavailable (outcome unknown: look first)."""

    def get_balance(self) -> Decimal: ...

    def cost_of(self, *, reward: Decimal, places: int) -> Decimal:
        """Return what places cost by the provider's own calculation, with fees and tax, without bonuses."""

    def list_filters(self) -> Iterator[OfferedFilter]:
        """Yield the filters that may be asked for, where there are filters."""

    def create_hit(self, spec: HITSpec, *, token: UUID) -> ProviderHIT:
        """Create a HIT. Idempotent by token: two calls with one token make one HIT, and both return it."""

    def get_hit(self, external_id: str) -> ProviderHIT: ...

    def get_end_reason(self, external_id: str) -> str:
        """Return what the provider's operator wrote when they took the HIT down; "" where nothing is known.

        Amazon has no place for it. Our marketplace tells it as a result of the HIT's review.
        """

    def expire_hit(self, external_id: str) -> None:
        """End the time to start, so that nobody starts any more. Idempotent."""

    def extend_hit(self, external_id: str, *, expires_at: datetime) -> None:
        """Let the time to start end at that instant; a HIT that was expired is open again."""

    def add_places(self, external_id: str, *, places: int, token: UUID) -> None:
        """Add assignments. After ProviderUnavailable, or a refusal of the token, look at get_hit."""

    def list_reviewable(self) -> Iterator[str]:
        """Yield the ids of HITs that are over and were not yet marked as seen, from all pages."""

    def mark_seen(self, external_id: str) -> None:
        """Take a HIT that is over off list_reviewable. Idempotent."""

    def list_hits(self) -> Iterator[ProviderHIT]:
        """Yield all HITs, from all pages."""

    def list_assignments(self, hit_external_id: str) -> Iterator[ProviderAssignment]:
        """Yield all submitted assignments, reviewed or not, from all pages."""

    def get_assignment(self, external_id: str) -> ProviderAssignment:
        """Return a submitted assignment. Refused for one that was not submitted."""

    def find_visit(self, external_id: str) -> ProviderVisit:
        """Return who works on what, where the provider verifies visits. Refused for one it does not know."""

    def approve_assignment(self, external_id: str, *, feedback: str = "", override: bool = False) -> None:
        """Approve an assignment. Idempotent: both calls succeed. `override` takes a rejection back."""

    def reject_assignment(self, external_id: str, *, feedback: str, category: str = "") -> None:
        """Reject an assignment. Idempotent: a second call succeeds too."""

    def prepare_bonus(self, *, assignment_external_id: str, amount: Decimal) -> str:
        """Set a payment up where the provider wants that first, and return its id. Nothing is paid.

        Raises NothingDone where it did not get through.
        """

    def send_bonus(
        self,
        *,
        assignment_external_id: str,
        worker_external_id: str,
        amount: Decimal,
        reason: str,
        token: UUID,
        prepared: str = "",
    ) -> None:
        """Pay a bonus. After ProviderUnavailable, look in list_bonuses; after NothingDone it was not paid.

        Repeat only with the same token, and only where the provider pays once for one token.
        """

    def list_bonuses(self, *, hit_external_id: str) -> Iterator[ProviderBonus]:
        """Yield every bonus paid for this HIT's assignments, from all pages."""

    def list_bonuses_of(self, assignment_external_id: str) -> Sequence[ProviderBonus]:
        """Return what was paid for one assignment, where no list shows reasons."""

    def notify_workers(
        self, *, subject: str, text: str, worker_external_ids: Sequence[str]
    ) -> list[NotDelivered]:
        """Write to at most a hundred workers. After ProviderUnavailable, nobody knows whom it reached."""

    def block_worker(self, external_id: str, *, reason: str) -> None: ...

    def unblock_worker(self, external_id: str) -> None: ...

    def list_blocked(self) -> Iterator[str]:
        """Yield the ids of the workers whom the account has blocked, from all pages."""

    def notify_events(self, hit_type_id: str, *, transport: str, destination: str) -> None:
        """Send events of this HIT type to the destination from now on. Idempotent."""

    def subscribe_hooks(self, *, target: str) -> str:
        """Have the account's events posted to this address; return the secret that signs them. Idempotent."""

    def create_qualification(
        self,
        *,
        name: str,
        description: str,
        keywords: str = "",
        retry_delay_s: int | None = None,
        test: ProviderTest | None = None,
    ) -> str:
        """Return a qualification type's id. Idempotent by name: two calls with one name make one type.

        No worker is given it by asking. Without a delay, a worker may ask, or take the test, only once.
        """

    def update_qualification(
        self,
        qualification_type_id: str,
        *,
        description: str,
        retry_delay_s: int | None = None,
        test: ProviderTest | None = None,
    ) -> None:
        """Change a type. Idempotent. A test and a delay can be changed, but not taken away."""

    def find_qualification(self, *, mark: str) -> str | None:
        """Return our type whose name ends with [mark], whatever else it is called, or None."""

    def grant_qualification(
        self,
        qualification_type_id: str,
        *,
        worker_external_id: str,
        value: int = 1,
        notify: bool = True,
        reason: str = "",
    ) -> None:
        """Grant a qualification. Granted twice, it is held once, with the last value.

        The worker may read the reason where the provider has a place for it: our marketplace has one.
        """

    def revoke_qualification(
        self, qualification_type_id: str, *, worker_external_id: str, reason: str = ""
    ) -> None:
        """Revoke a qualification. The worker may read the reason. One not held any more counts as done."""

    def list_qualified(self, qualification_type_id: str) -> Iterator[QualifiedWorker]:
        """Yield the holders with their values, from all pages."""

    def list_qualification_requests(self, qualification_type_id: str) -> Iterator[QualificationRequest]:
        """Yield the requests that wait for an answer, from all pages."""

    def accept_qualification_request(self, external_id: str, *, value: int) -> None:
        """Accept a request. One that does not wait any more counts as done."""

    def reject_qualification_request(self, external_id: str, *, reason: str) -> None:
        """Reject a request. The worker may read the reason. One that does not wait counts as done."""
