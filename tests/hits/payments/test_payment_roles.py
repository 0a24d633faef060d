"""Who may do what with money: each role tries each action. A refused request has changed nothing.

A new action is a line of ACTIONS: the permission that it needs, and the request as the page sends it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import PAYMENTS_APPROVER, PAYMENTS_PREPARER, ROLES
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.matches import Deposit, Difference, Match
from hits.payments.models.runs import Halt, Run, RunRow
from hits.payments.services import bonus_runs, run_rows
from hits.people.models import Disclosure
from hits.providers.models.accounts import Account
from hits.review.models import Appeal
from hits.studies.models import Batch, Study
from tests.factories import NOW, make_assignment, make_batch, make_bonus, make_hit, make_study, make_user

pytestmark = pytest.mark.django_db
TABLES = (
    Account,
    Appeal,
    AuditEvent,
    Batch,
    Bonus,
    Deposit,
    Difference,
    Disclosure,
    Halt,
    LedgerEntry,
    Match,
    Run,
    RunRow,
    Study,
)
NOBODY, STRANGER, OUTSIDER = "nobody", "everything but the study", "not signed in"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Runs of this user and of another person, and bonuses in no run, all in one study."""

    user: User
    free: Bonus
    held: Bonus
    draft: Run
    frozen: Run
    theirs: Run
    refused: Bonus
    halt: Halt
    appeal: Appeal

    @property
    def account(self) -> Account:
        return self.free.assignment.account

    @property
    def row(self) -> int:
        return self.draft.rows.order_by("pk")[0].bonus_id


@dataclass(frozen=True, kw_only=True)
class Action:
    permission: str
    send: Callable[[Client, Scene], Any]
    of_study: bool = True  # false for the kill switch, which works for any study


def post(name: str, *args: Any, **data: Any) -> Callable[[Client], Any]:
    return lambda client: client.post(reverse(f"admin:hits_{name}", args=args), data)


def confirmed(run: Run) -> dict[str, str]:
    return {"digest": run.digest, "confirmed": f"{run.count} bonus, ${run.total:.2f}"}


PREPARE, APPROVE, HOLD = "hits.prepare_run", "hits.approve_run", "hits.hold_bonus"
ACTIONS = {
    "prepare": Action(
        permission=PREPARE,
        send=lambda client, at: post("run_prepare", bonuses=at.free.pk, title="A run")(client),
    ),
    "add": Action(
        permission=PREPARE,
        send=lambda client, at: post("run_prepare", bonuses=at.free.pk, into=at.draft.pk)(client),
    ),
    "take out": Action(
        permission=PREPARE,
        send=lambda client, at: post("run_rows", at.draft.pk, verb="take_out", bonus=at.row)(client),
    ),
    "split": Action(
        permission=PREPARE,
        send=lambda client, at: post(
            "run_rows", at.draft.pk, verb="split", bonus=at.row, confirmed="yes", text="Two"
        )(client),
    ),
    "freeze": Action(permission=PREPARE, send=lambda client, at: post("run_freeze", at.draft.pk)(client)),
    "unfreeze": Action(
        permission=PREPARE, send=lambda client, at: post("run_unfreeze", at.frozen.pk)(client)
    ),
    "dissolve": Action(
        permission=PREPARE, send=lambda client, at: post("run_dissolve", at.frozen.pk)(client)
    ),
    "hold in a run": Action(
        permission=HOLD,
        send=lambda client, at: post(
            "run_rows", at.theirs.pk, verb="hold", bonuses=_keys(at.theirs), confirmed="yes", text="Odd"
        )(client),
    ),
    "hold in the list": Action(
        permission=HOLD,
        send=lambda client, at: post(
            "bonus_changelist", action="hold", _selected_action=at.free.pk, confirmed="yes", text="Odd"
        )(client),
    ),
    "release": Action(
        permission=HOLD,
        send=lambda client, at: post("bonus_changelist", action="release", _selected_action=at.held.pk)(
            client
        ),
    ),
    "approve": Action(
        permission=APPROVE,
        send=lambda client, at: post("run_approve", at.theirs.pk, **confirmed(at.theirs))(client),
    ),
    "refuse": Action(
        permission=APPROVE,
        send=lambda client, at: post("run_refuse", at.theirs.pk, reason="No")(client),
    ),
    "stop": Action(
        permission="hits.set_halt",
        send=lambda client, at: post("halts", account=at.account.pk, reason="Odd", confirmed="on")(client),
        of_study=False,
    ),
    "let go on": Action(
        permission="hits.set_halt",
        send=lambda client, at: post("halt_lift", at.halt.pk, confirmed="yes")(client),
        of_study=False,
    ),
    "decide anew on a refused one": Action(
        permission="hits.settle_bonus",
        send=lambda client, at: post("payment_act", at.refused.pk, "decide_anew")(client),
    ),
    "record a deposit": Action(
        permission="hits.add_deposit",
        send=lambda client, at: post("deposits", at.account.pk, kind="in", amount="5.00", words="Wire")(
            client
        ),
    ),
    "compare": Action(
        permission="hits.run_match",
        send=lambda client, at: post("match_start", at.account.pk)(client),
    ),
    "answer an appeal": Action(
        permission="hits.answer_appeal",
        send=lambda client, at: post("appeal_answer", at.appeal.pk, granted="no", answer="As agreed.")(
            client
        ),
    ),
}


def may(who: str, action: Action) -> bool:
    """Whether this user may do the action. It takes the right to see the pages of money, too."""
    if who == STRANGER:
        return not action.of_study
    return {action.permission, "hits.view_run", "hits.view_bonus"} <= {*ROLES.get(who, ())}


def allowed() -> list[tuple[str, str]]:
    return [(who, name) for who in ROLES for name, action in ACTIONS.items() if may(who, action)]


@pytest.mark.parametrize("who", [*ROLES, NOBODY, STRANGER, OUTSIDER])
def test_refused_request_changes_nothing(client: Client, who: str) -> None:
    scene = set_up(client, who)
    before = money()

    changed = []
    for name, action in ACTIONS.items():
        if not may(who, action):
            action.send(client, scene)
            changed += [name] if money() != before else []

    assert changed == []


@pytest.mark.parametrize(("who", "name"), allowed())
def test_allowed_request_does_it_and_says_who(client: Client, who: str, name: str) -> None:
    scene = set_up(client, who)
    before, noted = money(), AuditEvent.objects.count()

    ACTIONS[name].send(client, scene)

    assert money() != before
    assert {event.by for event in AuditEvent.objects.order_by("pk")[noted:]} == {scene.user}


def test_every_action_is_somebodys() -> None:
    assert {name for _, name in allowed()} == {*ACTIONS}
    runs_are_for = {who for who, name in allowed() if ACTIONS[name].permission in (PREPARE, APPROVE, HOLD)}
    assert runs_are_for == {PAYMENTS_PREPARER, PAYMENTS_APPROVER}


def test_one_person_with_both_roles_never_decides_on_an_own_run(client: Client) -> None:
    scene = set_up(client, PAYMENTS_PREPARER)
    scene.user.groups.add(Group.objects.get(name=PAYMENTS_APPROVER))
    before = money()

    post("run_approve", scene.frozen.pk, **confirmed(scene.frozen))(client)
    post("run_refuse", scene.frozen.pk, reason="No")(client)

    assert money() == before


def test_reading_changes_nothing(client: Client) -> None:
    """Money moves only by a form of the product: an address opened by mistake does nothing."""
    scene = set_up(client, PAYMENTS_PREPARER)
    scene.user.groups.add(Group.objects.get(name=PAYMENTS_APPROVER))
    before = money()

    for name in ("freeze", "unfreeze", "dissolve", "approve", "refuse", "rows"):
        for run in (scene.draft, scene.frozen, scene.theirs):
            client.get(reverse(f"admin:hits_run_{name}", args=[run.pk]))

    assert money() == before


def test_request_without_the_forms_token_changes_nothing() -> None:
    client = Client(enforce_csrf_checks=True)
    scene = set_up(client, PAYMENTS_PREPARER)
    before = money()

    statuses = {action.send(client, scene).status_code for action in ACTIONS.values()}

    assert (statuses, money() == before) == ({403}, True)


def set_up(client: Client, who: str) -> Scene:
    study = make_study()
    user = make_user()
    if who in ROLES:
        user.groups.add(Group.objects.get(name=who))
    if who == STRANGER:
        user.groups.add(*Group.objects.filter(name__in=(PAYMENTS_PREPARER, PAYMENTS_APPROVER)))
    else:
        study.members.add(user)
    if who != OUTSIDER:
        client.force_login(user)
    return _scene(user, study)


def _scene(user: User, study: Study) -> Scene:
    hit = make_hit(batch=make_batch(status="open", study=study))
    bonuses = [
        make_bonus(status="owed", assignment=make_assignment(hit=hit, status="approved")) for _ in range(6)
    ]
    other = make_user(is_superuser=True)
    free, held, *rest = bonuses
    run_rows.hold_bonuses(bonuses=[held], reason="Odd", by=other, now=NOW)
    draft, frozen, theirs = (
        bonus_runs.prepare_run(bonuses=part, by=other, title="A run", now=NOW)
        for part in (rest[:2], rest[2:3], rest[3:])
    )
    for run in (frozen, theirs):
        bonus_runs.freeze_run(run=run, by=other, now=NOW)
    # These runs become the user's own even if the user may not prepare runs: only the role is in the way.
    Run.objects.filter(pk__in=(draft.pk, frozen.pk)).update(prepared_by=user)
    for run in (draft, frozen):
        run.refresh_from_db()
    work = make_assignment(hit=hit, status="approved")
    return Scene(
        user=user,
        free=free,
        held=held,
        draft=draft,
        frozen=frozen,
        theirs=theirs,
        refused=make_bonus(assignment=work, status="refused", refusal_code="ParameterValidationError"),
        halt=Halt.objects.create(reason="Odd", by=other, at=NOW),
        appeal=Appeal.objects.create(worker=work.worker, assignment=work, text="Why?", made_at=NOW),
    )


def money() -> list[Any]:
    return [list(table._default_manager.order_by("pk").values()) for table in TABLES]


def _keys(run: Run) -> str:
    return ",".join(str(key) for key in run.rows.values_list("bonus", flat=True))
