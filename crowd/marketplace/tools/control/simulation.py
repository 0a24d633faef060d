"""Workers who need no browser, for tests that take many thousand steps. The rules are the site's own."""

from datetime import datetime
from typing import Any

from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.questions import write_answer
from crowd.marketplace.services import work
from crowd.marketplace.tools.control.control_actions import verb
from crowd.marketplace.tools.control.fields import Fields, Wrong

ACTIONS = ("accept", "return", "submit")
ANSWER = {"answer": "simulated"}


@verb("simulate")
def simulate(fields: Fields, now: datetime) -> dict[str, Any]:
    """Do one step of one worker on one HIT; a refusal is a 409 with the words that workers read."""
    action = fields.choice("action", among=ACTIONS)
    worker, hit = _find_worker(fields), _find_hit(fields)
    answer = fields.texts("answer") if fields.has("answer") else ANSWER
    fields.finish()
    work.settle(now=now)
    if action == "accept":
        assignment = _accept(hit, worker, now=now)
    else:
        assignment = _find_open(hit, worker)
        if action == "return":
            moved = work.return_assignment(assignment=assignment, now=now)
        else:
            written = write_answer(answer.items())
            moved = work.submit_assignment(assignment=assignment, answer=written, now=now)
        if not moved:
            raise Wrong("This assignment is open no more.", status=409)
        assignment.refresh_from_db()
    return {
        "assignment": assignment.external_id,
        "attempt": assignment.attempt,
        "status": assignment.status,
    }


def _accept(hit: HIT, worker: Worker, *, now: datetime) -> Assignment:
    try:
        return work.accept_hit(hit_id=hit.pk, worker=worker, now=now)
    except work.NotAvailable as refusal:
        raise Wrong(str(refusal), status=409) from refusal


def _find_open(hit: HIT, worker: Worker) -> Assignment:
    accepted = Assignment.objects.filter(hit=hit, worker=worker, status=Assignment.Status.ACCEPTED)
    assignment = accepted.select_related("hit__hit_type").first()
    if not assignment:
        raise Wrong("This worker has not accepted this HIT, or has finished it.", status=409)
    return assignment


def _find_worker(fields: Fields) -> Worker:
    external_id = fields.text("worker", longest=64)
    worker = Worker.objects.filter(external_id=external_id).first()
    if not worker:
        raise Wrong(f"There is no worker {external_id!r}.", status=404)
    return worker


def _find_hit(fields: Fields) -> HIT:
    external_id = fields.text("hit", longest=64)
    hit = HIT.objects.filter(external_id=external_id).first()
    if not hit:
        raise Wrong(f"There is no HIT {external_id!r}.", status=404)
    return hit
