"""Who may download each file of the payments: every role, and a user who may all but see the study."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import ROLES
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.services import bonus_runs
from hits.people.models import Disclosure
from tests.factories import NOW, make_bonus, make_study, make_user
from tests.people import make_member

pytestmark = pytest.mark.django_db
STRANGER = "everything but the study"
Get = Callable[[Client, Run], Any]


def at(name: str, *args: Any) -> str:
    return reverse(f"admin:hits_{name}", args=args)


def study_of(run: Run) -> int:
    return Bonus.objects.filter(rows__run=run).values_list("assignment__hit__batch__study", flat=True)[0]


def close(client: Client, run: Run) -> Any:
    asked = {"month": f"{timezone.now():%Y-%m}", "study": study_of(run), "format": "csv"}
    return client.post(at("close"), asked)


FILES: dict[str, tuple[str, Get]] = {
    "manifest": ("hits.view_run", lambda client, run: client.get(at("run_manifest", run.pk))),
    "run": (
        "hits.view_run",
        lambda client, run: client.post(at("run_file", run.pk), {"format": "csv"}),
    ),
    "books": ("hits.view_ledgerentry", lambda client, run: client.post(at("ledger_study", study_of(run)))),
    "close": ("hits.view_ledgerentry", close),
    "batch": (
        "hits.export_batch",
        lambda client, run: client.post(
            at("batch_export", Bonus.objects.filter(rows__run=run)[0].assignment.hit.batch_id),
            {"shape": "raw", "kind": "csv"},
        ),
    ),
}


def make_run() -> Run:
    preparer = make_user(is_superuser=True)
    run = bonus_runs.prepare_run(bonuses=[make_bonus(status="owed")], by=preparer, title="A run", now=NOW)
    bonus_runs.freeze_run(run=run, by=preparer, now=NOW)
    return run


def make_reader(role: str, run: Run) -> User:
    if role != STRANGER:
        return make_member(role, Bonus.objects.get(rows__run=run).assignment.hit.batch.study)
    user = make_user()
    user.user_permissions.set(Permission.objects.exclude(codename__in=("see_all_studies",)))
    make_study().members.add(user)
    return user


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("role", [*ROLES, STRANGER])
def test_file_is_for_whose_role_includes_it(client: Client, role: str, name: str) -> None:
    run = make_run()
    permission, fetch = FILES[name]
    client.force_login(make_reader(role, run))
    before = (AuditEvent.objects.count(), Disclosure.objects.count())

    answer = fetch(client, run)

    is_file = answer.status_code == 200 and "attachment" in answer.get("Content-Disposition", "")
    allowed = permission in ROLES.get(role, ())
    assert is_file == allowed
    if not allowed:
        assert answer.status_code in (403, 404, 409)
        assert (AuditEvent.objects.count(), Disclosure.objects.count()) == before
