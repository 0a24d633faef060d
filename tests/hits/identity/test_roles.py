"""Six roles: what each may do and may not do, in the admin and in the API."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from hits.identity.roles import AUTHOR, OPERATOR, RESEARCHER, REVIEWER, ROLES
from hits.studies.models import Batch
from tests.factories import (
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
)
from tests.hits.calling import Notebook
from tests.pages import text_of
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db
EVERYBODY = {*ROLES}
STAFF = EVERYBODY - {AUTHOR}
RUNNERS = {RESEARCHER, OPERATOR}
# Pages of the admin, and the roles that may open them.
PAGES = {
    "study_changelist": EVERYBODY,
    "study_add": {RESEARCHER},
    "batch_changelist": STAFF,
    "batch_add": {RESEARCHER},
    "hit_changelist": STAFF,
    "assignment_changelist": STAFF,
    "worker_changelist": STAFF,
    "bonus_changelist": STAFF - {REVIEWER},
    "ledgerentry_changelist": STAFF - {REVIEWER},
    "ledgerentry_csv": STAFF - {REVIEWER},
    "close": STAFF - {REVIEWER},
    "account_changelist": RUNNERS,
    "account_add": {OPERATOR},
    "user_changelist": {OPERATOR},
    "user_add": {OPERATOR},
    "apitoken_changelist": STAFF,
    "apitoken_add": STAFF,
}
CALLS = {
    ("GET", "studies/"): EVERYBODY,
    ("POST", "studies/"): {RESEARCHER},
    ("GET", "accounts/"): RUNNERS,
    ("POST", "batches/"): {RESEARCHER},
    ("POST", "batches/{batch}/pause/"): RUNNERS,
    ("GET", "batches/{batch}/export/"): RUNNERS,
    ("GET", "bonuses/"): STAFF - {REVIEWER},
    ("GET", "ledger/"): STAFF - {REVIEWER},
    ("POST", "assignments/{work}/decide/"): {RESEARCHER, REVIEWER},
    ("POST", "assignments/{work}/second/"): RUNNERS,
    ("POST", "workers/{worker}/block/"): RUNNERS,
    ("POST", "messages/"): RUNNERS,
    ("GET", "messages/"): RUNNERS,
}


def held_by(role: str) -> set[str]:
    rows = Group.objects.get(name=role).permissions.values_list("content_type__app_label", "codename")
    return {f"{label}.{codename}" for label, codename in rows}


def test_groups_are_installed_as_the_table_says() -> None:
    assert {role: held_by(role) for role in ROLES} == {role: set(names) for role, names in ROLES.items()}


def test_every_permission_of_the_table_exists_once() -> None:
    rows = Permission.objects.values_list("content_type__app_label", "codename")
    known = [f"{label}.{codename}" for label, codename in rows]
    named = {name for names in ROLES.values() for name in names}

    assert {name: known.count(name) for name in named} == dict.fromkeys(named, 1)


@pytest.mark.django_db(transaction=True)
def test_installing_again_leaves_what_an_operator_changed() -> None:
    group = Group.objects.get(name=REVIEWER)
    group.permissions.clear()
    Group.objects.get(name=OPERATOR).delete()

    call_command("migrate", verbosity=0)

    assert (held_by(REVIEWER), held_by(OPERATOR)) == (set(), set(ROLES[OPERATOR]))


def test_who_decides_does_not_pay() -> None:
    both = {"hits.review_assignment", "hits.approve_run"}

    assert [role for role in ROLES if both <= held_by(role)] == []


@pytest.mark.parametrize("role", ROLES)
def test_role_opens_its_pages_of_the_admin_and_no_others(client: Client, role: str) -> None:
    study = make_study()
    hit = make_hit(batch=make_batch(study=study, status="open"))
    make_bonus(assignment=make_assignment(hit=hit, status="approved"))
    sign_in(client, role, study)

    answers = {page: client.get(reverse(f"admin:hits_{page}")).status_code for page in PAGES}

    assert answers == {page: 200 if role in roles else 403 for page, roles in PAGES.items()}


@pytest.mark.parametrize("role", [REVIEWER, AUTHOR])
def test_who_sees_no_bonuses_finds_no_books_in_the_menu_or_at_a_study(client: Client, role: str) -> None:
    study = make_study()
    make_bonus(assignment=make_assignment(hit=make_hit(batch=make_batch(study=study, status="open"))))
    sign_in(client, role, study)
    books = reverse("admin:hits_ledger_study", args=[study.pk])

    menu = text_of(client.get(reverse("admin:index")))
    place = text_of(client.get(reverse("admin:hits_study_change", args=[study.pk])))

    assert reverse("admin:hits_ledgerentry_changelist") not in menu
    assert (books in place, client.get(books).status_code) == (False, 403)


@pytest.mark.parametrize("role", ROLES)
def test_role_makes_its_calls_of_the_api_and_no_others(role: str) -> None:
    study = make_study()
    batch = make_batch(study=study, status="open")
    work = make_assignment(hit=make_hit(batch=batch), status="submitted")
    held = Notebook(make_member(role, study))
    names = {"batch": batch.public_id, "work": work.public_id, "worker": work.worker.public_id}

    answers = {}
    for method, path in CALLS:
        send = held.get if method == "GET" else held.post
        answers[method, path] = send(path.format(**names)).status_code != 403

    assert answers == {call: role in roles for call, roles in CALLS.items()}


@pytest.mark.parametrize("role", sorted(STAFF - {OPERATOR}))
def test_only_operators_see_studies_of_others(role: str) -> None:
    make_batch()

    rows = Notebook(make_member(role)).get("batches/").json()["results"]
    of_operator = Notebook(make_member(OPERATOR)).get("batches/").json()["results"]

    assert (len(rows), len(of_operator)) == (0, 1)


def test_researcher_launches_for_no_real_money() -> None:
    study = make_study()
    batch = make_batch(study=study, account=make_account(environment="production"))
    held = Notebook(make_member(RESEARCHER, study))

    answer = held.post(f"batches/{batch.public_id}/launch/", {"confirm": batch.title})

    assert answer.status_code == 409
    assert Batch.objects.get().status == "draft"
