"""The provider's own test: its documents, and how its results and requests are read."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from structlog.testing import capture_logs

from hits.identity.models.workers import Worker
from qualifications.models import Attempt, Holding, PlatformType
from qualifications.services import provider_grants
from qualifications.services.gate_holdings import give, revoke
from qualifications.services.provider_grants import read_provider_tests
from qualifications.services.provider_tests import check_provider_test
from qualifications.services.sync_grants import tell_holdings
from tests.crowd.marketplace.qualifying import answer_key, question_form
from tests.factories import NOW, make_user, make_worker
from tests.qualifications.platforms import OWN_TEST, make_gate, make_holding, make_type, turk
from tests.stubbed import StubbedTurk

__all__ = ["turk"]
database = pytest.mark.django_db
MINUTE = timedelta(minutes=1, seconds=1)
LISTING = "list_workers_with_qualification_type"


@pytest.fixture
def own(turk: StubbedTurk) -> PlatformType:
    return make_type(gate=make_gate(**OWN_TEST, passing_value=80))


def score(turk: StubbedTurk, row: PlatformType, worker: str, value: int) -> None:
    """Let the provider score a worker's test."""
    turk._give(row.external_id, worker, value)


def read(now: datetime) -> int:
    """Read the provider's tests by a clock that stands still, however long the machine takes."""
    return read_provider_tests(now=now, clock=lambda: now)


def values(row: PlatformType) -> dict[str, int | None]:
    """Values of the gate's holdings here, by the worker's id at the provider."""
    rows = Holding.objects.filter(gate=row.gate).select_related("worker")
    return {holding.worker.external_id: holding.value for holding in rows}


@database
@pytest.mark.parametrize(("value", "passes"), [(79, 0), (80, 0), (81, 1), (0, 0), (100, 1)])
def test_result_counts_strictly_above_the_passing_value(
    turk: StubbedTurk, own: PlatformType, value: int, passes: int
) -> None:
    score(turk, own, "AWORKER1", value)

    found = [read(NOW), read(NOW + MINUTE)]

    assert (found, values(own)) == ([1, 0], {"AWORKER1": passes})
    assert Attempt.objects.get().status == ("passed" if passes else "failed")
    assert tell_holdings(now=NOW) == 0


@database
def test_better_result_of_a_re_test_is_another_attempt(turk: StubbedTurk, own: PlatformType) -> None:
    found = []
    for number, value in enumerate((40, 40, 60, 90)):
        score(turk, own, "AWORKER1", value)
        found.append(read(NOW + number * MINUTE))

    assert (found, values(own)) == ([1, 0, 1, 1], {"AWORKER1": 1})
    assert list(Attempt.objects.order_by("pk").values_list("status", flat=True)) == [
        "failed",
        "failed",
        "passed",
    ]


@database
def test_reading_rests_longer_for_a_longer_list_and_writes_nothing_twice(
    turk: StubbedTurk, own: PlatformType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_grants, "PAGE", 2)
    for number in range(3):
        score(turk, own, f"AWORKER{number}", 90)

    found = [read(NOW), read(NOW + MINUTE)]
    with CaptureQueriesContext(connection) as queries:
        found.append(read(NOW + 2 * MINUTE))

    assert (found, turk.calls.count(LISTING)) == ([3, 0, 0], 2)
    assert len(queries) <= 12
    assert not [one for one in queries if one["sql"].startswith("INSERT")]


@database
def test_reading_of_other_gates_asks_for_requests_alone(turk: StubbedTurk) -> None:
    make_type()
    make_type(gate=make_gate(is_active=False))
    make_type(status="refused")

    read(NOW)

    assert turk.calls == ["list_qualification_requests"]


@database
def test_what_is_being_told_is_not_read_back(turk: StubbedTurk, own: PlatformType) -> None:
    """The provider's list may be older than the revocation that is being sent."""
    score(turk, own, "AWORKER1", 90)
    read(NOW)
    worker = Worker.objects.get()
    Holding.objects.update(value=0, is_told=False, changed_at=NOW + MINUTE, value_there=None)

    found = read(NOW + 2 * MINUTE)
    told = tell_holdings(now=NOW + 2 * MINUTE)
    found += read(NOW + 4 * MINUTE)

    assert (found, told, values(own)) == (0, 1, {worker.external_id: 0})
    assert turk.qualification_values[own.external_id, "AWORKER1"] == 0


@database
def test_page_read_before_a_revocation_does_not_undo_it(
    turk: StubbedTurk, own: PlatformType, monkeypatch: pytest.MonkeyPatch
) -> None:
    score(turk, own, "AWORKER1", 90)
    read(NOW)
    listed = turk.provider.list_qualified

    def list_slowly(external_id: str) -> Any:
        rows = list(listed(external_id))
        Holding.objects.update(value=0, is_told=False, changed_at=NOW + 3 * MINUTE)
        tell_holdings(now=NOW + 3 * MINUTE)
        yield from rows

    monkeypatch.setattr(turk.provider, "list_qualified", list_slowly)
    found = read(NOW + 2 * MINUTE)

    assert (found, values(own)) == (0, {"AWORKER1": 0})


@database
def test_result_that_a_person_has_overruled_is_taken_back_at_the_provider(
    turk: StubbedTurk, own: PlatformType
) -> None:
    by = make_user()
    score(turk, own, "AWORKER1", 90)
    read(NOW)
    revoke(gate=own.gate, worker=Worker.objects.get(), by=by, reason="Copied.", now=NOW + MINUTE)
    tell_holdings(now=NOW + MINUTE)
    score(turk, own, "AWORKER1", 95)

    read(NOW + 2 * MINUTE)
    told = tell_holdings(now=NOW + 2 * MINUTE)
    settled = read(NOW + 4 * MINUTE)

    assert (told, settled, values(own)) == (1, 0, {"AWORKER1": 0})
    assert turk.qualification_values[own.external_id, "AWORKER1"] == 0


@database
def test_value_given_by_a_person_is_not_read_back_as_a_test(turk: StubbedTurk, own: PlatformType) -> None:
    worker = make_worker(account=own.account)
    give(gate=own.gate, worker=worker, by=make_user(), reason="Known to us.", now=NOW)
    tell_holdings(now=NOW)

    found = read(NOW + MINUTE)

    assert (found, values(own)) == (0, {worker.external_id: 1})
    assert not Attempt.objects.exists()


@database
@pytest.mark.parametrize("fault", ["before", "refused"])
def test_failed_reading_is_repeated_after_a_rest(turk: StubbedTurk, own: PlatformType, fault: str) -> None:
    score(turk, own, "AWORKER1", 90)
    turk.faults[LISTING] = [fault]

    with capture_logs() as logs:
        found = [read(NOW + number * MINUTE) for number in (0, 1, 11)]

    assert (found, values(own)) == ([0, 0, 1], {"AWORKER1": 1})
    assert "AWORKER1" not in str(logs)


@database
def test_requests_are_answered_so_that_nobody_waits(turk: StubbedTurk) -> None:
    row = make_type(gate=make_gate(name="Solver test"))
    holder, tried, revoked = (
        make_holding(row, value=value, reason=reason, is_told=True)
        for value, reason in ((1, ""), (0, ""), (0, "Below 60 per cent."))
    )
    workers = [one.worker.external_id for one in (holder, tried, revoked)]
    for worker in (*workers, "ASTRANGER"):
        turk.ask_for_qualification(row.external_id, worker=worker)

    found = read(NOW)

    assert (found, turk.qualification_requests) == (4, {})
    assert turk.qualified == {row.external_id: [workers[0]]}
    assert turk.reasons == [
        (workers[1], "You have taken this test. Your page of work and pay says where you stand."),
        (workers[2], "Below 60 per cent."),
        (
            "ASTRANGER",
            "Workers who pass the test “Solver test” are given this. Look for it in the list of HITs.",
        ),
    ]


@pytest.mark.pure
def test_documents_that_fit_are_accepted() -> None:
    check_provider_test(question_form(questions=2), answer_key(questions=2))
    check_provider_test(question_form(questions=3), answer_key(questions=2))


TWO = question_form(questions=2)
ONE_KEY = answer_key()


@pytest.mark.pure
@pytest.mark.parametrize(
    ("form", "key", "words"),
    [
        ("", ONE_KEY, "The questions are missing."),
        (TWO, " ", "The answer key is missing."),
        ("<QuestionForm", ONE_KEY, "The questions: this is not well-formed XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', ONE_KEY, "The questions: this is not well-formed XML"),
        (TWO + " " * 65_535, ONE_KEY, "The questions: at most 65535 bytes."),
        ("<QuestionForm/>", ONE_KEY, "The questions: the outermost element must be QuestionForm"),
        (ONE_KEY, ONE_KEY, "The questions: the outermost element must be QuestionForm"),
        (TWO, TWO, "The answer key: the outermost element must be AnswerKey"),
        (TWO.replace(">q1<", ">q0<"), ONE_KEY, "the QuestionIdentifier “q0” appears twice"),
        (TWO.replace(">q1<", "><"), ONE_KEY, "every Question needs a QuestionIdentifier"),
        (TWO.replace(">wrong<", ">right<"), ONE_KEY, "the SelectionIdentifier “right” appears twice"),
        (TWO.replace("QuestionContent", "Content"), ONE_KEY, "“q0” needs a QuestionContent"),
        (TWO.replace("SelectionAnswer", "FileUploadAnswer"), ONE_KEY, "“q0” asks for a file"),
        (TWO.replace("SelectionAnswer", "OtherAnswer"), ONE_KEY, "“q0” needs an AnswerSpecification"),
        (TWO.replace("SelectionAnswer", "FreeTextAnswer"), ONE_KEY, "“q0”, whose answer is free text"),
        (TWO.replace("Selections>", "Choices>"), ONE_KEY, "“q0” needs Selections"),
        (TWO, answer_key(identifier="x"), "scores the question “x0”, which is not asked"),
        (TWO, ONE_KEY.replace(">right<", ">maybe<"), "“q0” has no choice “maybe”"),
        (TWO, ONE_KEY.replace("AnswerOption", "Option"), "“q0” needs an AnswerOption"),
        (TWO, ONE_KEY.replace("SelectionIdentifier", "Chosen"), "needs a SelectionIdentifier"),
        (TWO, ONE_KEY.replace("<AnswerScore>1<", "<AnswerScore>one<"), "The AnswerScore of “q0” must be"),
        (TWO, ONE_KEY.replace("PercentageMapping", "Mapping"), "a QualificationValueMapping holds one of"),
        (
            TWO,
            ONE_KEY.replace("<MaximumSummedScore>1<", "<MaximumSummedScore>0<"),
            "The MaximumSummedScore must be at least 1.",
        ),
    ],
    ids=[f"fault {number}" for number in range(23)],
)
def test_documents_that_do_not_fit_are_refused_by_name(form: str, key: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        check_provider_test(form, key)
