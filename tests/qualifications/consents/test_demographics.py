"""Demographic answers: sealed, given once, and erased on request."""

import json

import pytest
from django.db import connection

from hits.core.models.audit_events import AuditEvent
from qualifications.models import Demographics
from qualifications.services import demographics
from tests.factories import NOW, make_study, make_user, make_worker

pytestmark = pytest.mark.django_db
WOMAN: dict[str, int | str] = {"age": 34, "gender": "woman"}


def test_answers_are_sealed_in_the_database() -> None:
    demographics.save_answers(worker=make_worker(), answers=WOMAN, now=NOW)

    with connection.cursor() as cursor:
        cursor.execute("SELECT answers FROM qualifications_demographics")
        (stored,) = cursor.fetchone()
    assert "woman" not in stored
    assert "34" not in stored or stored.startswith("gAAAA")
    assert json.loads(Demographics.objects.get().answers) == WOMAN


def test_answers_are_saved_once_and_nothing_else_is_kept() -> None:
    worker = make_worker()

    saved = [
        demographics.save_answers(worker=worker, answers={**WOMAN, "education": "none", "age": 17}, now=NOW),
        demographics.save_answers(worker=worker, answers=WOMAN, now=NOW),
    ]

    assert saved == [True, False]
    assert json.loads(Demographics.objects.get().answers) == {"gender": "woman"}


def test_erased_is_gone_and_erased_twice_is_no_error() -> None:
    worker = make_worker()
    demographics.save_answers(worker=worker, answers=WOMAN, now=NOW)

    assert [demographics.erase(worker=worker), demographics.erase(worker=worker)] == [True, False]
    assert not Demographics.objects.exists()


def test_erasure_by_a_person_is_on_record_whether_there_was_anything_or_not() -> None:
    worker, study, by = make_worker(), make_study(), make_user()

    demographics.erase_on_request(worker=worker, study=study, by=by, now=NOW)

    event = AuditEvent.objects.get()
    assert (event.kind, event.by, worker.pseudonym in event.words) == ("demographics.erased", by, True)
