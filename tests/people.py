"""Colleagues who sign in, new for each test: in a role of the house, or with single permissions."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.test import Client

from hits.identity.models.users import User
from hits.studies.models import Study
from tests.factories import make_user


def make_member(role: str, *studies: Study, **changes: Any) -> User:
    """Make a colleague in this role who is a member of these studies."""
    user = make_user(**changes)
    user.groups.add(Group.objects.get(name=role))
    user.studies.add(*studies)
    return user


def make_permitted(*names: str, studies: Iterable[Study] = (), **changes: Any) -> User:
    """Make a colleague with just these permissions: code names, or `app.name` where one app's is meant."""
    user = make_user(**changes)
    user.user_permissions.add(*permissions(*names))
    user.studies.add(*studies)
    return user


def permissions(*names: str) -> list[Permission]:
    """Permissions of these names. A name that no app has fails the test, where a filter would find fewer."""
    found: list[Permission] = []
    for name in names:
        app, _, codename = name.rpartition(".")
        of_app = {"content_type__app_label": app} if app else {}
        rows = list(Permission.objects.filter(codename=codename, **of_app))
        assert rows, f"No permission is called {name}."
        found += rows
    return found


def sign_in(client: Client, role: str, *studies: Study, **changes: Any) -> User:
    user = make_member(role, *studies, **changes)
    client.force_login(user)
    return user


def sign_in_with(client: Client, *names: str, studies: Iterable[Study] = ()) -> User:
    user = make_permitted(*names, studies=studies)
    client.force_login(user)
    return user


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
