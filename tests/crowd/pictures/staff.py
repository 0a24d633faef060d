"""Staff at the pool's admin pages."""

from django.test import Client

from hits.identity.models.users import User
from tests.people import sign_in_with

KEEPER = (
    "view_picture",
    "change_picture",
    "import_picture",
    "check_picture",
    "remove_picture",
    "view_report",
)


def sign_in_keeper(client: Client) -> User:
    return sign_in_with(client, *KEEPER)
