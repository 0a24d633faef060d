"""What the stand-in remembers, as plain values. Money is in sub-units."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from crowd.marketplace.tools.prolific.state.cost_rules import Cost

Json = dict[str, Any]
StudyStatus = Literal[
    "UNPUBLISHED", "SCHEDULED", "PUBLISHING", "ACTIVE", "AWAITING REVIEW", "PAUSED", "COMPLETED"
]
SubmissionStatus = Literal[
    "RESERVED",
    "ACTIVE",
    "TIMED-OUT",
    "PROCESSING",
    "AWAITING REVIEW",
    "APPROVED",
    "RETURNED",
    "REJECTED",
    "PARTIALLY APPROVED",
    "SCREENED OUT",
]
OPEN: frozenset[str] = frozenset({"RESERVED", "ACTIVE", "PROCESSING", "AWAITING REVIEW"})
PAID_FULLY: frozenset[str] = frozenset({"APPROVED", "PARTIALLY APPROVED"})
# A place is taken by a submission in one of these.
TAKING: frozenset[str] = OPEN | PAID_FULLY
UNDER_WAY: frozenset[str] = frozenset({"PUBLISHING", "ACTIVE", "AWAITING REVIEW", "PAUSED"})


@dataclass(frozen=True, kw_only=True)
class Movement:
    """Money that entered or left a wallet; what left is negative in none of its parts."""

    kind: Literal["top_up", "reward", "partial", "screen_out", "bonus"]
    cost: Cost
    reference: str
    at: datetime


@dataclass(kw_only=True, eq=False)
class Workspace:
    id: str
    title: str
    currency_code: Literal["GBP", "USD"]
    fee_rate: Decimal
    movements: list[Movement] = field(default_factory=list)
    hook_secret: str = ""
    busy_until: datetime | None = None

    @property
    def total(self) -> int:
        return sum(
            movement.cost.total if movement.kind == "top_up" else -movement.cost.total
            for movement in self.movements
        )


@dataclass(kw_only=True, eq=False)
class Project:
    id: str
    title: str
    workspace: Workspace


@dataclass(kw_only=True, eq=False)
class Participant:
    id: str
    # Screening answers by filter: a text, a number, or a list of texts.
    answers: Json = field(default_factory=dict)
    email: str = ""
    is_test: bool = False


@dataclass(kw_only=True, eq=False)
class Study:
    id: str
    project: Project
    fields: Json
    created_at: datetime
    status: StudyStatus = "UNPUBLISHED"
    published_at: datetime | None = None
    publish_at: datetime | None = None
    # Places that came free while the study was not active: START opens them.
    stuck: int = 0
    paid: int = 0
    is_test: bool = False
    told_of_returns: bool = False
    submissions: list["Submission"] = field(default_factory=list, repr=False)

    @property
    def workspace(self) -> Workspace:
        return self.project.workspace

    @property
    def places(self) -> int:
        return int(self.fields["total_available_places"])

    @property
    def reward(self) -> int:
        return int(self.fields["reward"])


@dataclass(kw_only=True, eq=False)
class Submission:
    id: str
    study: Study
    participant: Participant
    status: SubmissionStatus
    started_at: datetime
    reserved_at: datetime
    external_url: str
    completed_at: datetime | None = None
    entered_code: str | None = None
    # A user and a password, where the study has a pool of them.
    credentials: list[str] = field(default_factory=list)
    bonuses: list[int] = field(default_factory=list)
    return_reasons: list[str] = field(default_factory=list)
    rejection: Json | None = None


@dataclass(kw_only=True, eq=False)
class Group:
    id: str
    name: str
    workspace: Workspace
    participant_ids: list[str] = field(default_factory=list)
    is_deleted: bool = False


@dataclass(frozen=True, kw_only=True)
class Message:
    id: str
    sender_id: str
    recipient_id: str
    body: str
    study_id: str | None
    sent_at: datetime


@dataclass(frozen=True, kw_only=True)
class BonusSetup:
    id: str
    study: Study
    rows: tuple[tuple[Submission, int], ...]
    cost: Cost


@dataclass(frozen=True, kw_only=True)
class Payment:
    """Money that a participant received. `bulk_id` names the bonus set-up, if it was one."""

    submission_id: str
    participant_id: str
    kind: Literal["reward", "partial", "screen_out", "bonus"]
    cents: int
    bulk_id: str | None
    at: datetime


@dataclass(kw_only=True, eq=False)
class Subscription:
    id: str
    workspace: Workspace
    event_type: str
    target_url: str
    secret: str
    is_confirmed: bool = False
    is_enabled: bool = True
    failing_since: datetime | None = None
    log: list[Json] = field(default_factory=list)
