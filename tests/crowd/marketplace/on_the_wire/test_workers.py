"""NotifyWorkers and the operations on blocks, through boto3."""

from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.models.parties import Block, Message, Worker
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, refused
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.factories import invite, make_requester

pytestmark = pytest.mark.django_db(transaction=True)

PARAMETER = Refusal(kind="ParameterValidationError")
VALIDATION = Refusal(kind="ValidationException")
NOBODY = "ANOBODY"


@pytest.fixture
def client(sites: Sites, credentials: Credentials) -> Any:
    return client_of(sites, credentials)


def message(*workers: str, **changes: Any) -> dict[str, Any]:
    return {"Subject": "Hello", "MessageText": "Thank you.", "WorkerIds": list(workers), **changes}


def failure(worker_id: str) -> dict[str, str]:
    return {
        "NotifyWorkersFailureCode": "HardFailure",
        "NotifyWorkersFailureMessage": "You have not approved or rejected any work of this worker.",
        "WorkerId": worker_id,
    }


def reviewed_worker(client: Any, credentials: Credentials, *, rejected: bool = False) -> Worker:
    hit = post_hit(requester=credentials.requester, now=timezone.now())
    work = hand_in(hit, now=timezone.now())
    if rejected:
        client.reject_assignment(AssignmentId=work.external_id, RequesterFeedback="No.")
    else:
        client.approve_assignment(AssignmentId=work.external_id)
    return work.worker


def test_notify_workers_writes_to_those_whose_work_was_reviewed(
    client: Any, credentials: Credentials
) -> None:
    approved = reviewed_worker(client, credentials)
    rejected = reviewed_worker(client, credentials, rejected=True)

    ids = [approved.external_id, rejected.external_id, approved.external_id]
    answer = client.notify_workers(**message(*ids))

    assert answer["NotifyWorkersFailureStatuses"] == []
    assert list(Message.objects.values_list("worker", "subject", "text", "requester").order_by("pk")) == [
        (worker.pk, "Hello", "Thank you.", credentials.requester.pk) for worker in (approved, rejected)
    ]


def test_notify_workers_tells_who_is_a_stranger(client: Any, sites: Sites, credentials: Credentials) -> None:
    known = reviewed_worker(client, credentials)
    other = make_requester(now=timezone.now())
    of_another = reviewed_worker(client_of(sites, other), other)
    hit = post_hit(requester=credentials.requester, max_assignments=2, now=timezone.now())
    at_work = accept(hit, now=timezone.now()).worker
    unreviewed = hand_in(hit, now=timezone.now()).worker

    strangers = [worker.external_id for worker in (of_another, at_work, unreviewed)]
    answer = client.notify_workers(**message(NOBODY, known.external_id, *strangers))

    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert answer["NotifyWorkersFailureStatuses"] == [failure(one) for one in (NOBODY, *strangers)]
    assert [row.worker for row in Message.objects.all()] == [known]


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"WorkerIds": [f"A{number}" for number in range(101)]}, PARAMETER),
        ({"WorkerIds": []}, PARAMETER),
        ({"WorkerIds": ["lower"]}, VALIDATION),
        ({"Subject": "a" * 201}, PARAMETER),
        ({"Subject": " "}, PARAMETER),
        ({"Subject": "a\0"}, VALIDATION),
        ({"MessageText": "a" * 4097}, PARAMETER),
        ({"MessageText": "\ud800"}, VALIDATION),
    ],
)
def test_notify_workers_beyond_its_bounds_is_refused(
    client: Any, credentials: Credentials, changes: dict[str, Any], refusal: Refusal
) -> None:
    known = reviewed_worker(client, credentials)

    assert refused(client.notify_workers, **message(known.external_id, **changes)) == refusal
    assert Message.objects.count() == 0


def test_notify_workers_at_its_bounds_is_taken(client: Any, credentials: Credentials) -> None:
    known = reviewed_worker(client, credentials)
    ids = [known.external_id, *(f"A{number}" for number in range(99))]

    answer = client.notify_workers(**message(*ids, Subject="s" * 200, MessageText="t" * 4096))

    assert len(answer["NotifyWorkersFailureStatuses"]) == 99
    assert Message.objects.get().text == "t" * 4096


def test_block_is_listed_replaced_and_lifted(client: Any) -> None:
    worker, _ = invite(now=timezone.now())

    client.create_worker_block(WorkerId=worker.external_id, Reason="Guessing")
    client.create_worker_block(WorkerId=worker.external_id, Reason="Guessing again")
    listed = client.list_worker_blocks()
    client.delete_worker_block(WorkerId=worker.external_id, Reason="Talked")
    client.delete_worker_block(WorkerId=worker.external_id)

    assert listed["WorkerBlocks"] == [{"WorkerId": worker.external_id, "Reason": "Guessing again"}]
    assert listed["NumResults"] == 1
    assert client.list_worker_blocks()["WorkerBlocks"] == []


@pytest.mark.parametrize("operation", ["create_worker_block", "delete_worker_block"])
def test_block_of_an_unknown_worker_is_refused(client: Any, operation: str) -> None:
    assert refused(getattr(client, operation), WorkerId=NOBODY, Reason="Why") == PARAMETER
    assert Block.objects.count() == 0


def test_blocks_are_the_requesters_own_and_come_in_pages(client: Any, sites: Sites) -> None:
    workers = [invite(now=timezone.now())[0] for _ in range(3)]
    other = client_of(sites, make_requester(now=timezone.now()))
    for worker in workers:
        client.create_worker_block(WorkerId=worker.external_id, Reason="Why")
    other.create_worker_block(WorkerId=workers[0].external_id, Reason="Other")
    client.delete_worker_block(WorkerId=workers[0].external_id)

    pages = list(client.get_paginator("list_worker_blocks").paginate(PaginationConfig={"PageSize": 1}))

    listed = [block["WorkerId"] for page in pages for block in page["WorkerBlocks"]]
    assert listed == [worker.external_id for worker in workers[1:]]
    assert [block["Reason"] for block in other.list_worker_blocks()["WorkerBlocks"]] == ["Other"]
