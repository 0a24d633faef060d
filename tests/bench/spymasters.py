"""Spymasters at work, made in a database and played over HTTP as their page does it."""

import json
import time
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPConnection, RemoteDisconnected
from typing import Any, Self
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

WORDS = ("snow", "ice", "winter", "river", "music", "garden", "kitchen", "city", "night", "summer")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# The page's own rhythm (ask.js).
FIRST_S, GROWTH, SLOWEST_S = 0.04, 1.5, 0.5


@dataclass(frozen=True, kw_only=True)
class Spymaster:
    """The contents of a page: the path of its assignment, and its token."""

    path: str
    token: str


def make_spymasters(count: int, *, size: int = 10) -> list[dict[str, str]]:
    """Create spymasters with a picture set of the same pictures each, in the database of this process."""
    from django.utils import timezone  # noqa: PLC0415 - the settings come first

    from crowd.frame.visit_authentication import write_token  # noqa: PLC0415
    from crowd.winogavil.domain import CREATE  # noqa: PLC0415
    from crowd.winogavil.services.seeded_associations import seed_picture_set  # noqa: PLC0415
    from hits.work.models.leases import Lease  # noqa: PLC0415
    from tests import factories  # noqa: PLC0415

    now = timezone.now()
    # Factories count from 1 in each process, and several processes make spymasters for one database.
    unique = uuid4().hex[:8]
    study = factories.make_study(name=f"study-{unique}")
    account = factories.make_account(name=f"account-{unique}")
    batch = factories.make_batch(study=study, account=account, task=CREATE, status="open")
    pictures = [
        factories.make_picture(concept=f"{word} {number}") for number, word in enumerate(WORDS[:size])
    ]
    made = []
    for _ in range(count):
        hit = factories.make_hit(batch=batch, external_id=f"HIT{uuid4().hex.upper()}")
        work = factories.make_assignment(
            hit=hit, opened_at=now, accepted_at=now, deadline_at=now + timedelta(hours=1)
        )
        item = seed_picture_set(study=study, pictures=pictures)
        Lease.objects.create(item=item, assignment=work, worker=work.worker, leased_at=now)
        token = write_token(assignment=work, submit_to="http://localhost:1/submit")
        made.append({"path": f"/q/{hit.public_id}", "token": token})
    return made


def make_cue(number: int) -> str:
    """A distinct cue for each number, so that none is answered from memory."""
    letters = []
    for _ in range(5):
        number, letter = divmod(number, len(LETTERS))
        letters.append(LETTERS[letter])
    return "cue" + "".join(letters)


class Page:
    """One page of one spymaster, over one connection that it keeps."""

    def __init__(self, url: str, spymaster: Spymaster) -> None:
        parts = urlsplit(url)
        self._connection = HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        self._spymaster = spymaster

    def ask(self, *, slot: int, cue: str) -> dict[str, Any]:
        return self._post("ask", slot=str(slot), cue=cue, chosen=["0", "2"])

    def look(self, *, slot: int) -> dict[str, Any]:
        return self._post("verdict", slot=str(slot))

    def ask_and_wait(self, *, slot: int, cue: str, patience_s: float = 60) -> float:
        """Seconds from the question until the page has the verdict."""
        began = time.monotonic()
        state, pause = self.ask(slot=slot, cue=cue), FIRST_S
        while state["state"] != "answered":
            if time.monotonic() - began > patience_s:
                raise TimeoutError(f"No verdict after {patience_s} s: {state}")
            time.sleep(pause)
            pause = min(pause * GROWTH, SLOWEST_S)
            state = self.look(slot=slot)
        return time.monotonic() - began

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _post(self, verb: str, **fields: Any) -> dict[str, Any]:
        body = urlencode({"token": self._spymaster.token, **fields}, doseq=True)
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        path = f"{self._spymaster.path}/{verb}/"
        try:
            self._connection.request("POST", path, body, headers)
            answer = self._connection.getresponse()
        except (ConnectionError, RemoteDisconnected):  # it was idle for too long: a browser opens another
            self._connection.close()
            self._connection.request("POST", path, body, headers)
            answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {content[:300]!r}")
        found: dict[str, Any] = json.loads(content)
        return found
