"""What workers say of themselves, once over all studies: kept sealed, and erased when they ask for it."""

import json
from collections.abc import Mapping
from datetime import datetime

import structlog
from django.db import transaction

from hits.models import Study, User, Worker
from hits.services.auditing import note
from qualifications.domain import people
from qualifications.models import Demographics

log = structlog.get_logger()


def save_answers(*, worker: Worker, answers: Mapping[str, int | str], now: datetime) -> bool:
    """Once: what comes later changes nothing, and is False. What was declined is not in the answers."""
    kept = {name: answer for name, answer in answers.items() if people.group_of(name, answer)}
    sealed = json.dumps(kept, sort_keys=True) if kept else ""
    with transaction.atomic():
        Worker.objects.select_for_update(no_key=True).only("pk").get(pk=worker.pk)
        if Demographics.objects.filter(worker=worker).exists():
            return False
        Demographics.objects.create(worker=worker, answers=sealed, asked_at=now)
    return True


def erase(*, worker: Worker) -> bool:
    """For good. False if there was nothing. A study that asks may ask again, and be declined."""
    erased, _ = Demographics.objects.filter(worker=worker).delete()
    if erased:
        log.info("demographics.erased", worker=worker.pseudonym)
    return bool(erased)


def erase_on_request(*, worker: Worker, study: Study, by: User, now: datetime) -> None:
    """The same by a person, who is on record. Whether there was anything is told to nobody."""
    with transaction.atomic():
        erase(worker=worker)
        words = f"Erased what {worker.pseudonym} may have said about themselves, as they asked."
        note("demographics.erased", words, by=by, now=now, study=study)
