"""The whole state of the stand-in, behind one lock."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import RLock
from typing import Literal, TypeVar

from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.cost_rules import FEES, Cost
from crowd.marketplace.tools.prolific.state.entities import (
    BonusSetup,
    Group,
    Json,
    Message,
    Movement,
    Participant,
    Payment,
    Project,
    Study,
    Submission,
    Workspace,
)
from crowd.marketplace.tools.prolific.state.hook_events import Hooks
from crowd.marketplace.tools.prolific.state.injected_faults import Faults
from crowd.marketplace.tools.prolific.state.moving_clock import Agenda, MovingClock

Entity = TypeVar("Entity")
FIRST_TOP_UP = 1_000_000
TOKEN = "stand-in-token"  # noqa: S105 - it opens nothing but a stand-in


@dataclass
class Habits:
    """What the reference leaves open or calls a matter of the account; tests may change it."""

    # Publishing, bulk approvals and bonuses are applied this much later.
    lag_s: float = 0.0
    # After a payment the wallet is busy for so long, and answers 429 to the next.
    wallet_busy_s: float = 0.0
    # PROCESSING was seen for a while between the end of the work and its review.
    processing_s: float = 0.0
    # STOP was also seen to give AWAITING REVIEW.
    stop_awaits_review: bool = False
    test_participants: bool = True
    # An error was seen inside an object `error`, and also bare.
    bare_errors: bool = False


@dataclass
class World:
    token: str = TOKEN
    fee: Literal["corporate", "academic"] = "academic"
    base_url: str = ""
    clock: MovingClock = field(default_factory=MovingClock)
    agenda: Agenda = field(default_factory=Agenda)
    lock: RLock = field(default_factory=RLock)
    habits: Habits = field(default_factory=Habits)
    hooks: Hooks = field(default_factory=Hooks)
    faults: Faults = field(default_factory=Faults)
    researcher_id: str = ""
    workspaces: dict[str, Workspace] = field(default_factory=dict)
    projects: dict[str, Project] = field(default_factory=dict)
    studies: dict[str, Study] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    participants: dict[str, Participant] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    setups: dict[str, BonusSetup] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    payments: list[Payment] = field(default_factory=list)
    credential_pools: dict[str, list[list[str]]] = field(default_factory=dict)
    # Requests and answers that did not fit the schema; and every request in the order of arrival.
    asked_amiss: list[str] = field(default_factory=list)
    answered_amiss: list[str] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
    bulk_approvals: dict[str, datetime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.researcher_id = new_id()
        workspace = self.add_workspace(title="Stand-in workspace", currency_code="GBP")
        self.add_project(workspace=workspace, title="Stand-in project")
        self.top_up(workspace, FIRST_TOP_UP)

    def now(self) -> datetime:
        return self.clock.now()

    def settle(self) -> None:
        """Do what is due by now."""
        with self.lock:
            self.agenda.run_due(self.now())
            self.hooks.deliver()

    def advance(self, by: timedelta) -> None:
        """Move the clock forward and do what became due meanwhile."""
        with self.lock:
            self.clock.advance(by)
        self.settle()

    def later(self) -> datetime:
        return self.now() + timedelta(seconds=self.habits.lag_s)

    def add_workspace(self, *, title: str, currency_code: Literal["GBP", "USD"]) -> Workspace:
        workspace = Workspace(id=new_id(), title=title, currency_code=currency_code, fee_rate=FEES[self.fee])
        self.workspaces[workspace.id] = workspace
        return workspace

    def add_project(self, *, workspace: Workspace, title: str) -> Project:
        project = Project(id=new_id(), title=title, workspace=workspace)
        self.projects[project.id] = project
        return project

    def top_up(self, workspace: Workspace, cents: int) -> None:
        paid_in = Cost(rewards=cents, fees=0, vat=0)
        workspace.movements.append(Movement(kind="top_up", cost=paid_in, reference="", at=self.now()))

    def group(self, group_id: str) -> Group:
        group = find(self.groups, group_id)
        if group.is_deleted:
            raise Refused(404, "Not found.")
        return group


def find(rows: Mapping[str, Entity], key: str) -> Entity:
    """The row of this id. Raises Refused with 404."""
    if key not in rows:
        raise Refused(404, "Not found.")
    return rows[key]


def new_id() -> str:
    return secrets.token_hex(12)
