"""The people of a demo: a study's staff, and workers with their invitations."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone

from crowd.provisioning import account_values, make_operator, provision
from hits.batches.services.budgets import grant_budget
from hits.identity.models.users import User
from hits.identity.roles import OPERATOR, PAYMENTS_APPROVER, PAYMENTS_PREPARER, RESEARCHER
from hits.providers.models.accounts import Account
from hits.studies.models import Study

DEPOSIT = BUDGET = Decimal(200)
OPERATES = "operator of the installation: adds people, gives roles, sees every study"


@dataclass(frozen=True, kw_only=True)
class Staff:
    user: User
    password: str
    # What to try as this person, where the demo leaves nothing else to do.
    does: str = "look around"


@dataclass(frozen=True, kw_only=True)
class Cast:
    study: Study
    account: Account
    invitations: Sequence[str]
    # For whoever looks at the demo: a worker who has done nothing yet.
    guest: str
    # Who keeps the marketplace's desk. An account of its own: it opens nothing of the researchers' side.
    desk_operator: str
    desk_password: str
    researcher: Staff
    preparer: Staff
    approver: Staff
    # Who keeps this installation: adds people, gives roles.
    operator: Staff

    @property
    def staff(self) -> tuple[Staff, ...]:
        return self.researcher, self.preparer, self.approver, self.operator


def make_cast(*, workers: int, bonus_rules: Sequence[Mapping[str, Any]]) -> Cast:
    """Make a study and its people.

    A second demo on the same database makes a second study beside the first.
    """
    suffix = secrets.token_hex(3)
    account, (*invitations, guest) = _provision(suffix, workers=workers + 1)
    desk_operator = f"desk-operator-{suffix}"
    with transaction.atomic():
        study = Study.objects.create(
            name=f"Demo {suffix}",
            lab="Demo lab",
            grant_code="DEMO-1",
            budget=BUDGET,
            bonus_rules=[dict(rule) for rule in bonus_rules],
        )
        grant_budget(study=study, by=None, now=timezone.now())
        return Cast(
            study=study,
            account=account,
            invitations=invitations,
            guest=guest,
            desk_operator=desk_operator,
            desk_password=make_operator(desk_operator),
            researcher=_make_staff(f"researcher-{suffix}", RESEARCHER, study=study),
            preparer=_make_staff(f"preparer-{suffix}", PAYMENTS_PREPARER, study=study),
            approver=_make_staff(f"approver-{suffix}", PAYMENTS_APPROVER, study=study),
            operator=_make_staff(f"operator-{suffix}", OPERATOR, does=OPERATES),
        )


def _provision(suffix: str, *, workers: int) -> tuple[Account, list[str]]:
    name = f"demo-{suffix}"
    made = provision(requester=name, deposit=DEPOSIT, workers=workers)
    account = Account.objects.create(**account_values(made, name=name))
    return account, [worker["invitation"] for worker in made["workers"]]


def _make_staff(name: str, role: str, *, study: Study | None = None, **more: str) -> Staff:
    password = secrets.token_urlsafe(9)
    user = User.objects.create_user(name, password=password, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    if study:
        study.members.add(user)
    return Staff(user=user, password=password, **more)
