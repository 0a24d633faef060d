"""The people of a demo: a study's staff, and workers with their invitations."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone

from crowd.demo.demo_providers import MARKETPLACE, DemoProvider
from crowd.demo.worker_sites import WorkerSite
from crowd.provisioning import make_operator
from hits.batches.services.budgets import grant_budget
from hits.batches.services.launching import least_reward
from hits.identity.models.users import User
from hits.identity.roles import OPERATOR, PAYMENTS_APPROVER, PAYMENTS_PREPARER, RESEARCHER
from hits.providers.models.accounts import Account
from hits.studies.models import Study

BUDGET = Decimal(200)
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
    # How its workers use the provider's site, and the addresses by which they sign in there.
    site: type[WorkerSite]
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

    def reward(self, usual: Decimal, *, seconds: int) -> Decimal:
        """The usual reward, or as much as the provider asks for at least."""
        return max(usual, least_reward(self.account, seconds=seconds))


def make_cast(
    *, workers: int, bonus_rules: Sequence[Mapping[str, Any]], provider: DemoProvider = MARKETPLACE
) -> Cast:
    """Make a study and its people.

    A second demo on the same database makes a second study beside the first.
    """
    suffix = secrets.token_hex(3)
    account, (*invitations, guest) = provider.open_account(suffix, workers=workers + 1)
    desk_operator = f"desk-operator-{suffix}"
    with transaction.atomic():
        study = Study.objects.create(
            name=f"Demo {suffix}",
            lab="Demo lab",
            grant_code="DEMO-1",
            budget=BUDGET,
            currency=account.currency,
            bonus_rules=[dict(rule) for rule in bonus_rules],
        )
        grant_budget(study=study, by=None, now=timezone.now())
        return Cast(
            study=study,
            account=account,
            site=provider.site,
            invitations=invitations,
            guest=guest,
            desk_operator=desk_operator,
            desk_password=make_operator(desk_operator),
            researcher=_make_staff(f"researcher-{suffix}", RESEARCHER, study=study),
            preparer=_make_staff(f"preparer-{suffix}", PAYMENTS_PREPARER, study=study),
            approver=_make_staff(f"approver-{suffix}", PAYMENTS_APPROVER, study=study),
            operator=_make_staff(f"operator-{suffix}", OPERATOR, does=OPERATES),
        )


def _make_staff(name: str, role: str, *, study: Study | None = None, **more: str) -> Staff:
    password = secrets.token_urlsafe(9)
    user = User.objects.create_user(name, password=password, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    if study:
        study.members.add(user)
    return Staff(user=user, password=password, **more)
