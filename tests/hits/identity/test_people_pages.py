"""Colleagues and their API tokens in the admin."""

import html
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from hits.core.models.audit_events import AuditEvent
from hits.identity.api_tokens import find_token, make_token
from hits.identity.models.api_tokens import ApiToken
from hits.identity.models.users import User
from hits.identity.roles import MEANINGS, OPERATOR, RESEARCHER, REVIEWER, ROLES
from tests.factories import make_study, make_user
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
ADD_USER = "/admin/hits/user/add/"
ADD_TOKEN = "/admin/hits/apitoken/add/"
PASSWORD = "a long enough one"


def make_form(user: User, **changes: Any) -> dict[str, Any]:
    return {
        "username": user.username,
        "is_active": "on",
        "is_staff": "on",
        "groups": [group.pk for group in user.groups.all()],
        "studies": [study.pk for study in user.studies.all()],
        **changes,
    }


def change(client: Client, user: User, **changes: Any) -> Any:
    return client.post(reverse("admin:hits_user_change", args=[user.pk]), make_form(user, **changes))


def test_each_role_says_beside_its_box_what_it_is_for(client: Client) -> None:
    sign_in(client, OPERATOR)
    Group.objects.create(name="of a superuser's own")

    page = html.unescape(text_of(client.get(ADD_USER)))

    assert {*MEANINGS} == {*ROLES}
    for role, meaning in MEANINGS.items():
        assert f"{role}: {meaning}" in page
    assert "of a superuser's own</label>" in page
    assert "They see no others; only an operator sees every study." in page


def test_colleague_is_added_with_a_role_and_studies_in_one_form(client: Client) -> None:
    sign_in(client, OPERATOR)
    study, _ = make_study(), make_study()
    role = Group.objects.get(name=REVIEWER)

    answer = client.post(
        ADD_USER,
        {
            "username": "colleague",
            "password1": PASSWORD,
            "password2": PASSWORD,
            "groups": [role.pk],
            "studies": [study.pk],
        },
    )

    assert answer.status_code == 302
    made = User.objects.get(username="colleague")
    assert (made.is_staff, made.is_superuser, made.check_password(PASSWORD)) == (True, False, True)
    assert ([*made.groups.all()], [*made.studies.all()]) == ([role], [study])


def test_operator_gives_a_colleague_another_role_and_other_studies(client: Client) -> None:
    sign_in(client, OPERATOR)
    colleague, old, new = make_user(), make_study(), make_study()
    colleague.studies.add(old)
    role = Group.objects.get(name=RESEARCHER)

    answer = change(client, colleague, groups=[role.pk], studies=[new.pk])

    assert answer.status_code == 302
    assert ([*colleague.groups.all()], [*colleague.studies.all()]) == ([role], [new])


def test_user_pages_speak_of_nothing_that_is_not_here(client: Client) -> None:
    sign_in(client, OPERATOR)
    colleague = make_user(password=PASSWORD)
    pages = [
        text_of(client.get(address))
        for address in (
            ADD_USER,
            reverse("admin:hits_user_change", args=[colleague.pk]),
            reverse("admin:auth_user_password_change", args=[colleague.pk]),
        )
    ]

    for leftover in ("more user options", "authentication", "LDAP", "algorithm", "argon2", "iterations"):
        assert [leftover in page for page in pages] == [False] * 3, leftover
    assert "A password is set." in pages[1]


def test_operator_sets_a_colleagues_password_and_cannot_take_it_away(client: Client) -> None:
    sign_in(client, OPERATOR)
    colleague = make_user(password=PASSWORD)
    page = reverse("admin:auth_user_password_change", args=[colleague.pk])

    empty = client.post(page, {"usable_password": "false", "unset-password": "yes"})
    new = client.post(page, {"password1": f"{PASSWORD}!", "password2": f"{PASSWORD}!", "set-password": "yes"})

    colleague.refresh_from_db()
    assert (empty.status_code, new.status_code) == (200, 302)
    assert colleague.check_password(f"{PASSWORD}!")


def test_roles_that_were_given_and_taken_stand_in_the_audit_log(client: Client) -> None:
    operator = sign_in(client, OPERATOR)
    colleague, study = make_user(username="ann"), make_study(name="Owls")
    colleague.groups.add(Group.objects.get(name=REVIEWER))

    change(client, colleague, groups=[Group.objects.get(name=RESEARCHER).pk], studies=[study.pk])
    change(client, colleague, first_name="Ann")

    event = AuditEvent.objects.get(kind="user.rights")
    assert event.by == operator
    assert event.words == "ann: given roles: researcher; taken roles: reviewer; given studies: Owls."
    page = text_of(client.get(reverse("admin:hits_auditevent_changelist")))
    assert event.words in page
    assert "who looked up a worker's id at the provider" in page


def test_operator_makes_nobody_a_superuser(client: Client) -> None:
    sign_in(client, OPERATOR)
    colleague = make_user()

    change(client, colleague, is_superuser="on", user_permissions=[1])

    colleague.refresh_from_db()
    assert (colleague.is_superuser, colleague.user_permissions.count()) == (False, 0)


def test_operator_gives_no_role_to_themselves(client: Client) -> None:
    operator = sign_in(client, OPERATOR)

    change(client, operator, groups=[Group.objects.get(name=RESEARCHER).pk])

    assert [group.name for group in operator.groups.all()] == [OPERATOR]


def test_operator_touches_no_superuser(client: Client) -> None:
    sign_in(client, OPERATOR)
    above = make_user(is_superuser=True, password=PASSWORD)

    answers = [
        change(client, above, username="other").status_code,
        client.post(
            reverse("admin:auth_user_password_change", args=[above.pk]),
            {"usable_password": "true", "password1": f"{PASSWORD}!", "password2": f"{PASSWORD}!"},
        ).status_code,
    ]

    above.refresh_from_db()
    assert answers == [403, 403]
    assert above.check_password(PASSWORD)


def test_operator_looks_at_a_superuser(client: Client) -> None:
    sign_in(client, OPERATOR)
    above = make_user(is_superuser=True)

    page = client.get(reverse("admin:hits_user_change", args=[above.pk]))

    assert (page.status_code, above.username in text_of(page)) == (200, True)


def test_colleagues_are_not_deleted(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))
    colleague = make_user()

    answer = client.post(reverse("admin:hits_user_delete", args=[colleague.pk]), {"post": "yes"})

    assert answer.status_code == 403
    assert User.objects.filter(pk=colleague.pk).exists()


def token_form(**changes: Any) -> dict[str, Any]:
    return {"name": "notebook", "scopes": ["read", "export"], "days": "30", **changes}


def test_token_is_shown_once_and_works(client: Client) -> None:
    user = sign_in(client, RESEARCHER)

    page = client.post(ADD_TOKEN, token_form())
    secret = page.context["secret"]
    later = text_of(client.get(reverse("admin:hits_apitoken_changelist")))

    token = find_token(secret=secret)
    assert token is not None
    assert (token.user, token.scopes) == (user, ["export", "read"])
    assert timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=30)
    assert (secret in text_of(page), "no-store" in page["Cache-Control"]) == (True, True)
    assert (secret in later, "notebook" in later) == (False, True)
    assert LogEntry.objects.filter(object_id=token.pk).count() == 1


@pytest.mark.parametrize(
    "changes",
    [{"name": ""}, {"name": "a\0b"}, {"scopes": []}, {"scopes": ["all"]}, {"days": "0"}, {"days": "366"}],
)
def test_token_of_a_wrong_kind_is_refused(client: Client, changes: dict[str, Any]) -> None:
    sign_in(client, RESEARCHER)

    page = client.post(ADD_TOKEN, token_form(**changes))

    assert (page.status_code, page.context["form"].is_valid()) == (200, False)
    assert not ApiToken.objects.exists()


def test_token_form_sent_again_makes_no_second_one(client: Client) -> None:
    sign_in(client, RESEARCHER)

    client.post(ADD_TOKEN, token_form())
    again = client.post(ADD_TOKEN, token_form())

    assert "Choose another name" in text_of(again)
    assert ApiToken.objects.count() == 1


def test_tokens_of_others_are_not_there_except_for_superusers(client: Client) -> None:
    token, _ = make_token(user=make_user(), name="theirs", scopes=["read"], now=timezone.now())
    revoke = reverse("admin:hits_apitoken_revoke", args=[token.pk])
    sign_in(client, OPERATOR)

    listed = text_of(client.get(reverse("admin:hits_apitoken_changelist")))
    revoked = client.post(revoke)

    assert ("theirs" in listed, revoked.status_code) == (False, 404)
    assert ApiToken.objects.get().revoked_at is None
    client.force_login(make_user(is_superuser=True))
    assert client.post(revoke).status_code == 302
    assert ApiToken.objects.get().revoked_at is not None


def test_token_is_revoked_after_a_question(client: Client) -> None:
    user = sign_in(client, RESEARCHER)
    token, _ = make_token(user=user, name="mine", scopes=["read"], now=timezone.now())
    address = reverse("admin:hits_apitoken_revoke", args=[token.pk])

    asked = client.get(address)
    before = ApiToken.objects.get().revoked_at
    client.post(address)

    assert ("cannot be undone" in text_of(asked), before) == (True, None)
    assert ApiToken.objects.get().revoked_at is not None


def test_page_of_a_token_tells_no_digest(client: Client) -> None:
    user = sign_in(client, RESEARCHER)
    token, _ = make_token(user=user, name="mine", scopes=["read"], now=timezone.now())

    page = client.get(reverse("admin:hits_apitoken_change", args=[token.pk]))

    assert page.status_code == 200
    assert token.digest not in text_of(page)


def test_token_needs_the_permission(client: Client) -> None:
    client.force_login(make_user())

    answers = [client.get(ADD_TOKEN).status_code, client.post(ADD_TOKEN, token_form()).status_code]

    assert answers == [403, 403]
    assert not ApiToken.objects.exists()
