"""Concurrent requests, grants and decisions: one row, one outcome."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from crowd.marketplace.errors import APIError
from crowd.marketplace.models import Qualification, QualificationRequest, QualificationType
from crowd.marketplace.services.qualifying.qualification_requests import (
    NotAskable,
    ask,
    begin_test,
    submit_test,
)
from crowd.marketplace.services.qualifying.qualification_types import dispose_type
from crowd.marketplace.services.qualifying.qualifications import accept_request, grant, reject_request
from tests.crowd.marketplace.qualifying import make_test, make_type, make_worker
from tests.factories import NOW, make_requester

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 6


def at_once(*deeds: Callable[[], object]) -> list[str]:
    """Run all at once; return the sorted outcomes, "done" or the name of the refusal."""
    with ThreadPoolExecutor(len(deeds)) as pool:
        return sorted(pool.map(outcome, deeds))


def outcome(deed: Callable[[], object]) -> str:
    try:
        deed()
    except (APIError, NotAskable) as refusal:
        return getattr(refusal, "code", type(refusal).__name__)
    finally:
        connections.close_all()
    return "done"


@pytest.mark.parametrize("auto", [False, True])
def test_asking_at_once_makes_one_request(*, auto: bool) -> None:
    type_, worker = make_type(is_auto_granted=auto), make_worker()

    outcomes = at_once(*[lambda: ask(type_=type_, worker=worker, now=NOW)] * AT_ONCE)

    # A request that comes after the grant is refused, since the worker already has it.
    assert set(outcomes) <= {"done", "NotAskable"}
    assert QualificationRequest.objects.count() == 1
    assert Qualification.objects.count() == int(auto)


def test_beginning_at_once_starts_one_test() -> None:
    type_, worker = make_type(test=make_test()), make_worker()

    outcomes = at_once(*[lambda: begin_test(type_=type_, worker=worker, now=NOW)] * AT_ONCE)

    assert (outcomes, QualificationRequest.objects.count()) == (["done"] * AT_ONCE, 1)


def test_handing_in_at_once_counts_once() -> None:
    type_, worker = make_type(test=make_test(with_key=False)), make_worker()
    test = begin_test(type_=type_, worker=worker, now=NOW)

    outcomes = at_once(*[lambda: submit_test(request_id=test.pk, answer="<answers/>", now=NOW)] * AT_ONCE)

    assert outcomes == ["NotAskable"] * (AT_ONCE - 1) + ["done"]


def test_deciding_at_once_decides_once() -> None:
    request = ask(type_=make_type(), worker=make_worker(), now=NOW)

    outcomes = at_once(
        lambda: accept_request(request_id=request.pk, value=1, now=NOW),
        lambda: reject_request(request_id=request.pk, reason="", now=NOW),
    )

    request.refresh_from_db()
    assert outcomes == ["InvalidQualificationRequestState", "done"]
    assert Qualification.objects.count() == (request.status == QualificationRequest.Status.GRANTED)


def test_granting_at_once_makes_one_row() -> None:
    type_, worker = make_type(), make_worker()

    outcomes = at_once(*[lambda: grant(type_=type_, worker=worker, value=3, now=NOW)] * AT_ONCE)

    assert (outcomes, Qualification.objects.get().value) == (["done"] * AT_ONCE, 3)


def test_two_types_of_one_name_at_once_become_one() -> None:
    requester = make_requester().requester

    outcomes = at_once(*[lambda: make_type(requester=requester)] * AT_ONCE)

    assert outcomes == ["QualificationTypeAlreadyExists"] * (AT_ONCE - 1) + ["done"]
    assert QualificationType.objects.count() == 1


def test_deleting_while_workers_ask_leaves_nobody_waiting() -> None:
    type_ = make_type()
    workers = [make_worker() for _ in range(AT_ONCE)]

    def wish(number: int) -> Callable[[], object]:
        return lambda: ask(type_=type_, worker=workers[number], now=NOW)

    at_once(*map(wish, range(AT_ONCE)), lambda: dispose_type(type_id=type_.pk, now=NOW))

    assert type_.requests.filter(status__in=QualificationRequest.OPEN).count() == 0
