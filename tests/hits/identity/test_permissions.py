import pytest
from django.contrib.auth.models import AnonymousUser, Group

from hits.identity.models.users import User
from tests.factories import make_user
from tests.people import permissions

pytestmark = pytest.mark.django_db


def anew(user: User) -> User:
    """Read the user again: the old object does not know what was granted since."""
    return User.objects.get(pk=user.pk)


def test_permissions_are_ones_own_and_those_of_the_groups() -> None:
    user = make_user()
    user.user_permissions.add(*permissions("view_batch"))
    group = Group.objects.create(name="some")
    group.permissions.add(*permissions("launch_batch", "view_batch"))
    user.groups.add(group)

    assert anew(user).get_all_permissions() == {"hits.view_batch", "hits.launch_batch"}
    assert anew(user).has_perm("hits.launch_batch")
    assert not anew(user).has_perm("hits.steer_batch")


def test_permissions_are_asked_for_once(django_assert_num_queries: object) -> None:
    user = anew(make_user())

    with django_assert_num_queries(1):  # type: ignore[operator]
        for _ in range(3):
            user.has_perm("hits.view_batch")


def test_who_left_may_do_nothing() -> None:
    user = make_user(is_active=False)
    user.user_permissions.add(*permissions("view_batch"))

    assert anew(user).get_all_permissions() == set()
    assert AnonymousUser().has_perm("hits.view_batch") is False


def test_superuser_may_do_everything() -> None:
    assert make_user(is_superuser=True).has_perm("hits.launch_production")
