"""Workers' answers about themselves, once over all studies: encrypted, and erased at their request."""

import json
from collections.abc import Mapping
from datetime import datetime

import structlog
from django.db import transaction

from hits.core.audit_trail import note
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from qualifications.domain import about_people
from qualifications.models import Demographics, SpokenEnglish, UnderAge
from qualifications.queries.consents import is_under_age
from qualifications.services import consenting
from qualifications.services.gate_holdings import check_words

log = structlog.get_logger()


def save_answers(*, worker: Worker, answers: Mapping[str, int | str], now: datetime) -> bool:
    """Store the answers once; later answers change nothing and return False.

    Declined questions are left out.
    """
    kept = {name: answer for name, answer in answers.items() if about_people.is_offered(name, answer)}
    sealed = json.dumps(kept, sort_keys=True) if kept else ""
    with transaction.atomic():
        Worker.objects.select_for_update(no_key=True).only("pk").get(pk=worker.pk)
        if is_under_age(worker) or Demographics.objects.filter(worker=worker).exists():
            return False
        Demographics.objects.create(worker=worker, answers=sealed, asked_at=now)
    return True


def save_english(*, worker: Worker, speaks: bool, now: datetime) -> bool:
    """Store whether the worker speaks English; a later answer changes nothing and returns False."""
    answer = SpokenEnglish.YES if speaks else SpokenEnglish.NO
    with transaction.atomic():
        Worker.objects.select_for_update(no_key=True).only("pk").get(pk=worker.pk)
        if SpokenEnglish.objects.filter(worker=worker).exists():
            return False
        SpokenEnglish.objects.create(worker=worker, answer=answer, asked_at=now)
    return True


def turn_away_minor(*, worker: Worker, study: Study, now: datetime) -> None:
    """Keep of the answers only that the worker is under age, and end the consent to the study."""
    with transaction.atomic():
        consenting.annul(worker=worker, study=study, now=now)
        UnderAge.objects.get_or_create(worker=worker, defaults={"said_at": now})
        erase(worker=worker)


def let_in_again(*, worker: Worker, study: Study, reason: str, by: User, now: datetime) -> None:
    """Lift the age block, on record with who did it. Whether there was one to lift is never revealed."""
    said = check_words(reason)
    with transaction.atomic():
        UnderAge.objects.filter(worker=worker).delete()
        words = f"{worker.pseudonym} may work whatever they said of their age before: {said}"
        note("demographics.age_lifted", words, by=by, now=now, study=study)


def erase(*, worker: Worker) -> bool:
    """Erase the answers for good; False if there were none.

    A study may ask again, and the worker may decline.
    """
    with transaction.atomic():
        answers, _ = Demographics.objects.filter(worker=worker).delete()
        english, _ = SpokenEnglish.objects.filter(worker=worker).delete()
    erased = answers + english
    if erased:
        log.info("demographics.erased", worker=worker.pseudonym)
    return bool(erased)


def erase_on_request(*, worker: Worker, study: Study, by: User, now: datetime) -> None:
    """Erase the answers, on record with who did it. Whether there were any is never revealed."""
    with transaction.atomic():
        erase(worker=worker)
        words = f"Erased what {worker.pseudonym} may have said about themselves, as they asked."
        note("demographics.erased", words, by=by, now=now, study=study)
