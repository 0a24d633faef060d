import getpass
import re
import sys
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from crowd.marketplace.management.presence import require_marketplace
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services import operators

NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


class Command(BaseCommand):
    help = (
        "Makes an operator of the marketplace's desk, or sets a new password. The password is asked for, "
        "or read from the first line of standard input; it is never an argument."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("sign_in_name", help="lower-case letters, digits and . _ @ -")
        parser.add_argument(
            "--disable",
            action="store_true",
            help="end all sessions and refuse sign-in until a new password is set",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name: str = options["sign_in_name"]
        require_marketplace()
        operator = Operator.objects.filter(sign_in_name=name).first()
        if options["disable"]:
            self._disable(operator)
        elif operator:
            operators.set_password(operator=operator, password=_read_password())
            operators.enable_operator(operator=operator)
            self.stdout.write(f"{name} has a new password, and is signed out everywhere.")
        elif not NAME.fullmatch(name):
            raise CommandError("A sign-in name has up to 64 lower-case letters, digits and . _ @ -")
        else:
            operators.make_operator(sign_in_name=name, password=_read_password(), now=timezone.now())
            self.stdout.write(f"{name} may sign in at {settings.MARKETPLACE_URL}/desk/")

    def _disable(self, operator: Operator | None) -> None:
        if not operator:
            raise CommandError("There is no operator of that name.")
        operators.disable_operator(operator=operator, now=timezone.now())
        self.stdout.write(f"{operator} is disabled, and signed out everywhere.")


def _read_password() -> str:
    if sys.stdin.isatty():
        password = getpass.getpass("Password: ")
        if getpass.getpass("Password again: ") != password:
            raise CommandError("The two passwords do not match.")
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    try:
        validate_password(password)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from None
    return password
