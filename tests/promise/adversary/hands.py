"""The hands: a process that does what people do, as it is told on standard input, one line of JSON each.

Workers use both sites over HTTP. Staff call the services that the admin calls. A person who meets a failure
gives up, and the answer says so.
"""

import json
import os
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import DatabaseError, close_old_connections, connections  # noqa: E402
from django.utils import timezone  # noqa: E402

from crowd.marketplace.services.work import NotAvailable  # noqa: E402
from hits.core.errors import CrowdError  # noqa: E402
from tests.promise.adversary.ending import Ending  # noqa: E402
from tests.promise.adversary.people import People  # noqa: E402

# The product's own output is no answer.
_answers, sys.stdout = sys.stdout, sys.stderr
_machine = timezone.now
_ahead = timedelta(0)
# Failures that a person meets while the adversary is at work; any other is a mistake of this test.
SHRUGS = (CrowdError, NotAvailable, DatabaseError, OSError)


def now() -> datetime:
    return _machine() + _ahead


def turn(*, seconds: int) -> None:
    """Turn our clock alone: signatures and the marketplace stay by the machine's clock."""
    global _ahead  # noqa: PLW0603 - one for the whole process
    _ahead += timedelta(seconds=seconds)


def answer(act: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    close_old_connections()  # as before a request: connections that were cut are opened again
    try:
        return {"came": act(**given)}
    except SHRUGS as problem:
        connections.close_all()
        return {"problem": f"{type(problem).__name__}: {problem}"[:300]}


def main() -> None:
    timezone.now = now
    people = People(home=_machine)
    acts: dict[str, Callable[..., Any]] = {"turn": turn}
    for line in sys.stdin:
        asked = json.loads(line)
        act = (
            acts.get(asked["do"])
            or getattr(people, asked["do"], None)
            or getattr(Ending(people=people, turn=turn), asked["do"])
        )
        print(json.dumps(answer(act, asked["given"]), default=str), file=_answers, flush=True)


if __name__ == "__main__":
    main()
