"""How a worker goes back to the platform, where our page is not in a frame of its.

A platform that frames our page is left there: the worker submits or returns the HIT around it. Where the page
is the whole window, its last step is an address of the platform, with a code that says how the visit ended.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from hits.providers.prolific.completion_codes import Ending, code_of
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

FINISH = "/submissions/complete"


@dataclass(frozen=True, kw_only=True)
class WaysBack:
    """Addresses of the platform for visits that end without an answer. None of them is paid for."""

    # Its own site, without a code: whether the visit goes on there is not for us to say.
    platform: str
    nothing_left: str
    no_consent: str


@dataclass(frozen=True, kw_only=True)
class Finish:
    """What the worker's own browser sends to the platform once the answer is saved."""

    method: str
    address: str
    fields: Mapping[str, str]
    # What a person could type there instead; "" where nothing can be typed.
    code: str = ""


def ways_back(hit: HIT | None) -> WaysBack | None:
    """The ways back from this HIT's pages; None where the platform frames them, or no HIT is known."""
    if hit is None or not hit.batch.account.can.verifies_visits:
        return None
    return WaysBack(
        platform=_site(hit),
        nothing_left=_address(hit, Ending.NOTHING_LEFT),
        no_consent=_address(hit, Ending.NO_CONSENT),
    )


def finish_of(assignment: Assignment, *, submit_to: str) -> Finish:
    """The last step of a visit whose answer is saved. No page before that may have it."""
    hit = assignment.hit
    if hit.batch.account.can.verifies_visits:
        code = code_of(hit.token, Ending.COMPLETED)
        return Finish(method="get", address=f"{submit_to}{FINISH}", fields={"cc": code}, code=code)
    fields = {"assignmentId": assignment.external_id, "answer": json.dumps(assignment.answer)}
    return Finish(method="post", address=f"{submit_to}/mturk/externalSubmit", fields=fields)


def _address(hit: HIT, ending: Ending) -> str:
    return f"{_site(hit)}{FINISH}?{urlencode({'cc': code_of(hit.token, ending)})}"


def _site(hit: HIT) -> str:
    return hit.batch.account.worker_site.rstrip("/")
