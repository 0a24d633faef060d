"""People at the pool's admin pages."""

from django.contrib.auth.models import Permission
from django.test import Client

from hits.models import User
from tests.factories import make_user

KEEPER = (
    "view_picture",
    "change_picture",
    "import_picture",
    "check_picture",
    "remove_picture",
    "view_report",
)


def sign_in(client: Client, *codenames: str) -> User:
    """With these permissions, or with all that a keeper of the pool has."""
    user = make_user()
    wanted = codenames or KEEPER
    user.user_permissions.set(
        Permission.objects.filter(content_type__app_label="pictures", codename__in=wanted)
    )
    client.force_login(user)
    return user
