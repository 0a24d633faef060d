"""Runs the marketplace's own commands that make requesters, workers and operators."""

import json
import secrets
import sys
from collections.abc import Mapping
from decimal import Decimal
from io import StringIO
from typing import Any

from django.core.management import call_command


def provision(*, requester: str, deposit: Decimal, workers: int = 0) -> Mapping[str, Any]:
    """Make a requester with credentials, and workers with invitations."""
    printed = StringIO()
    call_command(
        "marketplace_provision", requester=requester, deposit=deposit, workers=workers, stdout=printed
    )
    made: Mapping[str, Any] = json.loads(printed.getvalue())
    return made


def make_operator(name: str) -> str:
    """Make an operator of the desk; return the password, which the command reads from standard input."""
    password, before = secrets.token_urlsafe(12), sys.stdin
    sys.stdin = StringIO(password)
    try:
        call_command("marketplace_operator", name, stdout=StringIO())
    finally:
        sys.stdin = before
    return password


def account_values(made: Mapping[str, Any], *, name: str) -> dict[str, str]:
    """Fields of an account that connects to our own marketplace as that requester."""
    return {
        "name": name,
        "environment": "marketplace",
        "endpoint": made["endpoint"],
        "worker_site": made["endpoint"],
        "access_key_id": made["access_key_id"],
        "secret_access_key": made["secret_access_key"],
        "ticket_key": made["ticket_key"],
        "notify_by": "webhook",
    }
