"""Demographic answers: sealed, given once, and erased on request."""

import json
from typing import Any

import pytest
from django.db import connection

from hits.core.models.audit_events import AuditEvent
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from qualifications.domain import about_people
from qualifications.models import ConsentText, Demographics
from qualifications.queries.demographics import Counts, counts_of
from qualifications.services import consenting, demographics
from tests.factories import NOW, make_consent_text, make_study, make_user, make_worker

pytestmark = pytest.mark.django_db
WOMAN: dict[str, int | str] = {"age": 34, "gender": "woman"}


@pytest.fixture
def _exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures without their error, where something else is looked at."""
    monkeypatch.setattr(about_people, "error_at", lambda _: 0)


def tell(text: ConsentText, answers: dict[str, Any], *, of: int) -> list[Worker]:
    workers = [make_worker() for _ in range(of)]
    for worker in workers:
        consenting.give_consent(worker=worker, text=text, now=NOW)
        demographics.save_answers(worker=worker, answers=answers, now=NOW)
    return workers


def about(counts: Counts, question: str) -> dict[str, int | None]:
    groups = next(one.groups for one in counts.questions if one.key == question)
    return {group.key: group.about for group in groups if group.about is not None}


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


@pytest.mark.usefixtures("_exact")
def test_groups_of_five_are_counted_and_smaller_ones_never() -> None:
    text = make_consent_text()
    tell(text, WOMAN, of=7)
    tell(text, {"gender": "man", "age": 70}, of=4)
    tell(text, {}, of=1)

    counts = counts_of(text.study)

    assert counts.asked == 10
    assert about(counts, "gender") == {"woman": 5}
    assert about(counts, "age") == {"25-34": 5}
    assert about(counts, "education") == {}


@pytest.mark.usefixtures("_exact")
def test_counts_are_of_those_who_agree_to_the_study_s_text() -> None:
    text, other = make_consent_text(), make_consent_text()
    tell(text, WOMAN, of=5)
    workers = tell(other, WOMAN, of=5)
    consenting.withdraw(worker=workers[0], study=other.study, takes_work_out=False, now=NOW)

    assert counts_of(text.study).asked == 5
    assert counts_of(other.study).asked is None
    assert counts_of(None).asked == 10


def test_what_no_question_offers_is_counted_nowhere() -> None:
    text = make_consent_text()
    workers = tell(text, {}, of=6)
    planted = json.dumps({"age": 97_531, "gender": "zzplanted", "shoe": "42"})
    Demographics.objects.filter(worker__in=workers).update(answers=planted)

    counts = counts_of(text.study)

    assert [about(counts, question) for question in about_people.QUESTIONS] == [{}, {}, {}, {}]
    assert "zzplanted" not in repr(counts)


def test_figures_of_one_group_stay_the_same_in_whatever_study_and_however_often() -> None:
    text, other = make_consent_text(), make_consent_text()
    for worker in tell(text, WOMAN, of=12):
        consenting.give_consent(worker=worker, text=other, now=NOW)

    assert counts_of(text.study) == counts_of(text.study) == counts_of(other.study) == counts_of(None)


def test_one_person_more_changes_the_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two studies that share all but one: each figure draws anew, so they tell nothing of that one."""
    drawn: list[float] = []

    def draw(place: float) -> int:
        drawn.append(place)
        return 0

    text, other = make_consent_text(), make_consent_text()
    workers = tell(text, WOMAN, of=6)
    for worker in workers[:5]:
        consenting.give_consent(worker=worker, text=other, now=NOW)
    monkeypatch.setattr(about_people, "error_at", draw)

    counts_of(text.study)
    of_six, drawn[:] = set(drawn), []
    counts_of(other.study)

    empty = {0}
    groups_with_somebody = 3  # asked, an age, a gender
    assert len(of_six - set(drawn) - empty) >= groups_with_somebody


def test_counting_takes_one_query_however_many_there_are(django_assert_num_queries: Any) -> None:
    study: Study = make_consent_text().study
    text = ConsentText.objects.get(study=study)
    tell(text, WOMAN, of=8)

    with django_assert_num_queries(1):
        counts_of(study)
