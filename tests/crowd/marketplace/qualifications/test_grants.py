"""Qualifications that requesters give to workers and revoke, through the API."""

from typing import Any

import pytest

from crowd.marketplace.models import Qualification, QualificationRequest
from crowd.marketplace.models.parties import Message, Worker
from crowd.marketplace.services.qualifying.qualification_requests import ask, begin_test, submit_test
from crowd.marketplace.services.qualifying.qualification_types import Change, update_type
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, refused
from tests.crowd.marketplace.qualifying import make_test, make_type, make_worker, question_form
from tests.factories import NOW, make_requester

pytestmark = pytest.mark.django_db(transaction=True)

UNKNOWN_WORKER = Refusal(kind="ParameterValidationError")
UNKNOWN_TYPE = Refusal(code="QualificationTypeDoesNotExist")


@pytest.fixture
def keys() -> Any:
    return make_requester()


@pytest.fixture
def client(sites: Sites, keys: Any) -> Any:
    return client_of(sites, keys)


def ids(type_: Any, worker: Worker) -> dict[str, str]:
    return {"QualificationTypeId": type_.external_id, "WorkerId": worker.external_id}


def score(client: Any, type_: Any, worker: Worker) -> dict[str, Any]:
    found: dict[str, Any] = client.get_qualification_score(**ids(type_, worker))["Qualification"]
    return found


def test_associate_gives_the_value_one_and_tells_the_worker(client: Any, keys: Any) -> None:
    type_, worker = make_type(requester=keys.requester), make_worker()

    client.associate_qualification_with_worker(**ids(type_, worker))

    found = score(client, type_, worker)
    assert (found["IntegerValue"], found["Status"]) == (1, "Granted")
    assert Message.objects.get().text == "You were given the qualification “Careful reader”."


def test_associate_again_changes_the_value_and_keeps_the_day(client: Any, keys: Any) -> None:
    type_, worker = make_type(requester=keys.requester), make_worker()
    client.associate_qualification_with_worker(**ids(type_, worker), IntegerValue=-5, SendNotification=False)
    first = score(client, type_, worker)

    client.associate_qualification_with_worker(**ids(type_, worker), IntegerValue=80, SendNotification=False)

    assert score(client, type_, worker) == {**first, "IntegerValue": 80}
    assert (Qualification.objects.count(), Message.objects.count()) == (1, 0)


def test_associate_with_a_stranger_or_a_foreign_type_or_beyond_an_integer_is_refused(
    client: Any, keys: Any
) -> None:
    own, foreign, worker = make_type(requester=keys.requester), make_type(), make_worker()
    stranger = {"QualificationTypeId": own.external_id, "WorkerId": "ANOBODY"}
    call = client.associate_qualification_with_worker

    assert refused(call, **stranger) == UNKNOWN_WORKER
    assert refused(call, **ids(foreign, worker)) == UNKNOWN_TYPE
    assert refused(call, **ids(own, worker), IntegerValue=2**31).kind == "ParameterValidationError"
    assert Qualification.objects.count() == 0


def test_disassociate_revokes_with_a_reason_once(client: Any, keys: Any) -> None:
    type_, worker = make_type(requester=keys.requester), make_worker()
    call = client.disassociate_qualification_from_worker
    assert refused(call, **ids(type_, worker)) == Refusal(code="QualificationDoesNotExist")
    client.associate_qualification_with_worker(**ids(type_, worker))

    call(**ids(type_, worker), Reason="Too fast.")

    assert refused(client.get_qualification_score, **ids(type_, worker)) == Refusal(
        code="InvalidQualificationState"
    )
    assert refused(call, **ids(type_, worker)) == Refusal(code="InvalidQualificationState")
    assert Qualification.objects.get().reason == "Too fast."


def test_associate_after_a_revocation_gives_it_anew(client: Any, keys: Any) -> None:
    type_, worker = make_type(requester=keys.requester), make_worker()
    client.associate_qualification_with_worker(**ids(type_, worker), IntegerValue=3)
    client.disassociate_qualification_from_worker(**ids(type_, worker), Reason="Too fast.")
    revoked = Qualification.objects.get()

    client.associate_qualification_with_worker(**ids(type_, worker), IntegerValue=4)

    held = Qualification.objects.get()
    assert (held.value, held.revoked_at, held.reason) == (4, None, "")
    assert held.granted_at > revoked.granted_at


def test_score_is_for_the_owner_alone(client: Any, keys: Any) -> None:
    foreign, own, worker = make_type(), make_type(requester=keys.requester), make_worker()
    Qualification.objects.create(type=foreign, worker=worker, value=1, granted_at=NOW)

    assert refused(client.get_qualification_score, **ids(foreign, worker)) == UNKNOWN_TYPE
    assert refused(client.get_qualification_score, **ids(own, worker)) == Refusal(
        code="QualificationDoesNotExist"
    )


def test_workers_are_listed_by_status_in_pages(client: Any, keys: Any) -> None:
    type_ = make_type(requester=keys.requester)
    workers = [make_worker() for _ in range(5)]
    for worker in workers:
        client.associate_qualification_with_worker(**ids(type_, worker), IntegerValue=9)
    client.disassociate_qualification_from_worker(**ids(type_, workers[1]))
    Qualification.objects.create(type=make_type(), worker=workers[0], value=1, granted_at=NOW)

    def listed(**query: Any) -> list[tuple[str, str]]:
        pages = client.get_paginator("list_workers_with_qualification_type").paginate(
            QualificationTypeId=type_.external_id, PaginationConfig={"PageSize": 2}, **query
        )
        return [(row["WorkerId"], row["Status"]) for page in pages for row in page["Qualifications"]]

    granted = [(worker.external_id, "Granted") for worker in workers if worker != workers[1]]
    assert listed() == granted
    assert listed(Status="Granted") == granted
    assert listed(Status="Revoked") == [(workers[1].external_id, "Revoked")]


def test_request_is_listed_and_accepted_with_a_value(client: Any, keys: Any) -> None:
    type_, worker = make_type(requester=keys.requester), make_worker()
    request = ask(type_=type_, worker=worker, now=NOW)
    ask(type_=make_type(), worker=worker, now=NOW)

    [row] = client.list_qualification_requests()["QualificationRequests"]
    client.accept_qualification_request(QualificationRequestId=request.external_id, IntegerValue=42)

    assert row == {
        "QualificationRequestId": request.external_id,
        "QualificationTypeId": type_.external_id,
        "WorkerId": worker.external_id,
        "SubmitTime": row["SubmitTime"],
    }
    assert row["SubmitTime"] == NOW
    assert score(client, type_, worker)["IntegerValue"] == 42
    assert client.list_qualification_requests()["QualificationRequests"] == []


def test_accepted_without_a_value_is_one(client: Any, keys: Any) -> None:
    type_, worker = make_type(requester=keys.requester), make_worker()
    request = ask(type_=type_, worker=worker, now=NOW)

    client.accept_qualification_request(QualificationRequestId=request.external_id)

    assert score(client, type_, worker)["IntegerValue"] == 1


def test_decided_request_is_not_decided_again(client: Any, keys: Any) -> None:
    type_, worker = make_type(requester=keys.requester), make_worker()
    request = ask(type_=type_, worker=worker, now=NOW)
    name = {"QualificationRequestId": request.external_id}
    client.reject_qualification_request(**name, Reason="Not yet.")

    for call in (client.accept_qualification_request, client.reject_qualification_request):
        assert refused(call, **name) == Refusal(code="InvalidQualificationRequestState")

    request.refresh_from_db()
    assert (request.status, request.reason) == (QualificationRequest.Status.REJECTED, "Not yet.")
    assert Qualification.objects.count() == 0


def test_foreign_request_does_not_exist(client: Any) -> None:
    request = ask(type_=make_type(), worker=make_worker(), now=NOW)

    for call in (client.accept_qualification_request, client.reject_qualification_request):
        for name in (request.external_id, "NOSUCHREQUEST", "x y"):
            assert refused(call, QualificationRequestId=name) == Refusal(
                code="QualificationRequestDoesNotExist"
            )
    request.refresh_from_db()
    assert request.status == QualificationRequest.Status.PENDING


def test_test_without_a_key_is_listed_with_its_answer_once_it_is_handed_in(client: Any, keys: Any) -> None:
    type_ = make_type(requester=keys.requester, test=make_test(with_key=False), test_duration_s=31_000_000)
    request = begin_test(type_=type_, worker=make_worker(), now=NOW)
    of_type = {"QualificationTypeId": type_.external_id}
    assert client.list_qualification_requests(**of_type)["QualificationRequests"] == []
    assert refused(
        client.accept_qualification_request, QualificationRequestId=request.external_id
    ) == Refusal(code="QualificationRequestDoesNotExist")

    submit_test(request_id=request.pk, answer="<answers/>", now=NOW)

    [row] = client.list_qualification_requests(**of_type)["QualificationRequests"]
    assert (row["Test"], row["Answer"]) == (question_form(), "<answers/>")


def test_inactive_type_still_serves_those_who_hold_it(client: Any, keys: Any) -> None:
    type_, worker = make_type(requester=keys.requester), make_worker()
    client.associate_qualification_with_worker(**ids(type_, worker))
    update_type(type_id=type_.pk, change=Change(status="Inactive"))

    assert score(client, type_, worker)["Status"] == "Granted"
