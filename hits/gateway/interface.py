"""What we ask of any provider. Every implementation passes one contract suite (tests/hits/gateway)."""

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


@dataclass(frozen=True, kw_only=True)
class ProviderBonus:
    assignment_external_id: str
    worker_external_id: str
    amount: Decimal
    reason: str


class Provider(Protocol):
    """Every call raises ProviderRefused (stop) or ProviderUnavailable (outcome unknown: look first)."""

    def get_balance(self) -> Decimal: ...

    def create_hit(self, spec: HITSpec, *, token: UUID) -> ProviderHIT:
        """Asked twice with one token it makes one HIT, and returns that one both times."""

    def get_hit(self, external_id: str) -> ProviderHIT: ...

    def expire_hit(self, external_id: str) -> None: ...

    def list_hits(self) -> Iterator[ProviderHIT]:
        """All of them, all pages."""

    def list_assignments(self, hit_external_id: str) -> Iterator[ProviderAssignment]:
        """Whatever was submitted, reviewed or not, all pages."""

    def approve_assignment(self, external_id: str) -> None:
        """Asked twice it approves once, and both calls succeed."""

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
