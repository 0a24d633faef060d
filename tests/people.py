"""Colleagues who sign in: in a role of the house, or with single permissions. Each is made anew."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.test import Client

from hits.models import Study, User
from tests.factories import make_user


def make_member(role: str, *studies: Study, **changes: Any) -> User:
    """Somebody in this role, and a member of these studies."""
    user = make_user(**changes)
    user.groups.add(Group.objects.get(name=role))
    user.studies.add(*studies)
    return user


def make_permitted(*names: str, studies: Iterable[Study] = (), **changes: Any) -> User:
    """Somebody who may do just this. Where several apps have a permission of one name: `app.name`."""
    user = make_user(**changes)
    user.user_permissions.add(*(permission(name) for name in names))
    user.studies.add(*studies)
    return user


def permission(name: str) -> Permission:
    """Fails for a name that no app has, or more than one."""
    app, _, codename = name.rpartition(".")
    of_app = {"content_type__app_label": app} if app else {}
    return Permission.objects.get(codename=codename, **of_app)


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
