"""The association game without a provider: work of spymasters and solvers, and the sweeps that follow."""

import json
from datetime import timedelta

from crowd.winogavil.domain import CREATE, SOLVE, WINOGAVIL_TIERS
from crowd.winogavil.models import Association
from crowd.winogavil.services import association_creation, association_verdicts, final_associations
from hits import families
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.providers.gateway.interface import ProviderAssignment
from hits.studies.models import Batch, Study
from hits.sync.services.import_submissions import record_submission
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import answer_leases, items_of, lease_items
from scoring.models import RivalQuery
from scoring.services.asking_rivals import NewRivalQuery, ShownPicture, ask
from scoring.services.rival_answers import answer_waiting
from scoring.services.score_recording import judge_submitted
from tests.factories import NOW, make_assignment, make_batch, make_hit

Status = Assignment.Status
TERMS = {"bonus_rules": [dict(rule) for rule in WINOGAVIL_TIERS], "fee_schedule": "none"}


def make_game_batch(task: str, *, study: Study, **changes: object) -> Batch:
    return make_batch(study=study, task=task, status="open", terms=TERMS, **changes)


def open_work(batch: Batch, worker: Worker) -> Assignment:
    """Give the worker a HIT with one place, and lease the items of it."""
    hit = make_hit(batch=batch, max_assignments=1)
    work = make_assignment(hit=hit, worker=worker, deadline_at=NOW + timedelta(hours=1))
    lease_items(assignment=work, now=NOW)
    return work


def put_cue(work: Assignment, cue: str, *, chosen: tuple[int, ...] = (0, 1), slot: int = 1) -> RivalQuery:
    [item] = items_of(work)
    shown = [
        ShownPicture(sha256=place.picture.sha256, caption=place.picture.concept)
        for place in item.picture_set.places.select_related("picture")
    ]
    rival_query, _ = ask(
        new=NewRivalQuery(text=cue, pictures=shown, chosen=chosen, slot=slot), assignment=work, now=NOW
    )
    return rival_query


def hand_in(work: Assignment, answer: dict[str, object]) -> None:
    """Save the answer, submit it, and record it as the provider's."""
    move(work, Status.SAVED, answer=answer, saved_at=NOW)
    move(work, Status.SUBMITTED, submitted_at=NOW)
    answer_leases(work, now=NOW)


def come_by_the_provider(work: Assignment, answer: object) -> None:
    """Record an answer that the worker sent to the provider directly, past our own page."""
    found = ProviderAssignment(
        external_id=work.external_id,
        hit_external_id=work.hit.external_id,
        worker_external_id=work.worker.external_id,
        status="Submitted",
        accepted_at=work.accepted_at or NOW,
        submitted_at=NOW,
        answers={"answer": json.dumps(answer)},
    )
    record_submission(hit=work.hit, found=found, now=NOW)


def make_cues(batch: Batch, worker: Worker, *cues: str) -> Assignment:
    """Let a spymaster open work, invent these cues and submit them."""
    work = open_work(batch, worker)
    rival_queries = [put_cue(work, cue, slot=slot) for slot, cue in enumerate(cues, start=1)]
    hand_in(work, {"cues": [str(rival_query.public_id) for rival_query in rival_queries]})
    return work


def solve(batch: Batch, worker: Worker, *, right: bool = True) -> Assignment | None:
    """Let a solver open work and submit it; None where nothing is left for this worker."""
    work = open_work(batch, worker)
    items = items_of(work)
    if not items:
        move(work, Status.GONE)
        return None
    hand_in(work, {str(item.public_id): picks(item, right=right) for item in items})
    return work


def picks(item: Item, *, right: bool) -> list[str]:
    places = list(Association.objects.get(item=item).places.select_related("picture"))
    k = sum(place.chosen for place in places)
    wanted = [place for place in places if place.chosen is right]
    return sorted(place.picture.key for place in wanted[:k] if place.picture)


def sweep() -> None:
    """Run the background work once, in an order that needs no second round."""
    association_creation.make_associations(now=NOW)
    answer_waiting()
    association_verdicts.read_verdicts()
    judge_submitted(now=NOW)
    final_associations.finalize_associations(now=NOW)
    association_creation.credit_authors(now=NOW)


__all__ = ["CREATE", "SOLVE", "families", "hand_in", "make_cues", "make_game_batch", "open_work", "put_cue"]
