from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from hits.identity.models.users import User
from hits.identity.services.second_factors import take_away


class Command(BaseCommand):
    help = (
        "Takes away the second factor of a user who has lost it: for the last administrator, whom nobody "
        "else can help. The password stays, and the audit log says that it was done here."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *_: Any, username: str, **__: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no user {username!r}.")
        if not take_away(user=user, by=None, now=timezone.now()):
            raise CommandError(f"{username} has no second factor.")
        self.stdout.write(f"{username} has no second factor now.")
