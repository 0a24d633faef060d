"""A trial HIT of the desk: put up as a requester's own, done by a worker, approved by the operator."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import AuditEntry, Requester, Worker
from crowd.marketplace.questions.answers import write_answer
from crowd.marketplace.services import requesters, work
from tests.crowd.marketplace.caller import Caller
from tests.crowd.marketplace.desk import Desk, form_token
from tests.crowd.marketplace.rows import accept, available
from tests.crowd.marketplace.site import Browser, accepted, open_hit, submit_path, text_of, work_path
from tests.factories import invite, make_requester

pytestmark = pytest.mark.django_db


@pytest.fixture
def requester() -> Requester:
    return make_requester(now=timezone.now()).requester


def path_of(requester: Requester, rest: str) -> str:
    return f"requesters/{requester.external_id}/trial-hits/{rest}"


def put_up(desk: Desk, requester: Requester) -> HIT:
    desk.post(path_of(requester, "new/"), reward="0.05")
    return HIT.objects.get()


def test_the_form_says_what_the_trial_costs_with_its_fee(desk: Desk) -> None:
    requester = make_requester(now=timezone.now()).requester
    requesters.set_fees(requester_id=requester.pk, fee_schedule="10%")

    page = text_of(desk.get(f"requesters/{requester.external_id}/trial-hits/new/"))

    assert "pays the reward and the fee (10%) on top: $0.05 and $0.01, $0.06 in all." in page
    assert "$100.00 are available." in page


def test_trial_is_a_hit_of_the_requester_with_its_money_on_hold(desk: Desk, requester: Requester) -> None:
    asked = desk.get(path_of(requester, "new/"))

    answer = desk.post(path_of(requester, "new/"), token=form_token(asked), reward="0.05")
    again = desk.post(path_of(requester, "new/"), token=form_token(asked), reward="0.05")

    hit = HIT.objects.get()
    assert (answer.status_code, again.status_code) == (302, 409)
    assert answer["Location"] == f"/desk/{path_of(requester, f'{hit.external_id}/')}"
    assert (hit.requester, hit.max_assignments, hit.expires_at - hit.created_at) == (
        requester,
        1,
        timedelta(days=1),
    )
    assert (hit.hit_type.reward, available(requester)) == (Decimal("0.05"), Decimal("99.95"))
    assert AuditEntry.objects.get().note == hit.external_id
    assert f'href="{answer["Location"]}"' in desk.get(f"requesters/{requester.external_id}/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_requesters_own_program_sees_the_trial(caller: Caller, desk: Desk) -> None:
    desk.post(path_of(caller.requester, "new/"), reward="0.05")

    [found] = caller.api.list_hits()["HITs"]

    assert (found["Title"], found["Reward"], found["MaxAssignments"]) == (
        "Trial: type a few words",
        "0.05",
        1,
    )
    assert found["RequesterAnnotation"] == "Trial from the operator's desk"


def test_trial_is_done_by_a_worker_and_approved_at_the_desk(
    desk: Desk, browser: Browser, requester: Requester
) -> None:
    hit = put_up(desk, requester)
    path = path_of(requester, f"{hit.external_id}/")
    offered = text_of(desk.get(path))
    assignment = accepted(browser, hit)
    begun = text_of(desk.get(path))
    frame = browser.get(work_path(assignment))
    fields = {"assignmentId": assignment.external_id, "q0": "Hello <b>there</b>"}
    sent = browser.client.post(submit_path(frame), fields)
    came_back = desk.get(path)

    answer = desk.post(f"{path}approve/")

    approved = text_of(desk.get(path))
    assert sent.status_code == 200
    assert "State on offer" in offered
    assert "Nobody has accepted it yet." in offered
    assert "State accepted" in begun
    assert "Approve" not in begun
    assert "Answer Hello <b>there</b>" in text_of(came_back)
    assert "Hello &lt;b&gt;there&lt;/b&gt;" in came_back.content.decode()
    assert answer.status_code == 302
    assert "State approved" in approved
    assert "This work has gone the whole way." in approved
    assert Worker.objects.get().owed == Decimal("0.05")


def test_work_is_approved_once_and_not_before_it_is_submitted(desk: Desk, requester: Requester) -> None:
    hit = put_up(desk, requester)
    path = path_of(requester, f"{hit.external_id}/approve/")
    worker = invite(now=timezone.now())[0]
    nobody = desk.post(path).status_code
    assignment = accept(hit, worker=worker, now=timezone.now())
    begun = desk.post(path).status_code
    work.submit_assignment(
        assignment=assignment, answer=write_answer([("words", "Hello")]), now=timezone.now()
    )

    answers = [desk.post(path).status_code for _ in range(2)]

    assert (nobody, begun, answers) == (409, 409, [302, 409])
    assert Worker.objects.get().owed == Decimal("0.05")
    assert AuditEntry.objects.filter(what="trial HIT approved").count() == 1


def test_no_other_hit_is_seen_or_approved_at_the_desk(desk: Desk, requester: Requester) -> None:
    hit = open_hit(requester=requester)
    other = make_requester(now=timezone.now()).requester
    trial = desk.post(path_of(other, "new/"), reward="0.05")["Location"].split("/")[-2]

    answers = [
        desk.get(path_of(requester, f"{hit.external_id}/")).status_code,
        desk.post(path_of(requester, f"{hit.external_id}/approve/")).status_code,
        desk.get(path_of(requester, f"{trial}/")).status_code,
    ]

    assert answers == [404, 404, 404]


@pytest.mark.parametrize("reward", ["0", "-1", "1.01", "0.001", "", "ten"])
def test_reward_that_makes_no_sense_puts_up_nothing(desk: Desk, requester: Requester, reward: str) -> None:
    answer = desk.post(path_of(requester, "new/"), reward=reward)

    assert (answer.status_code, HIT.objects.count(), AuditEntry.objects.count()) == (422, 0, 0)


def test_without_the_money_or_of_a_closed_requester_nothing_is_put_up(
    desk: Desk, requester: Requester
) -> None:
    requesters.withdraw(requester_id=requester.pk, amount=Decimal("99.96"), note="", now=timezone.now())
    poor = desk.post(path_of(requester, "new/"), reward="0.05")
    requesters.close_requester(requester_id=requester.pk, now=timezone.now())
    closed = desk.post(path_of(requester, "new/"), reward="0.01")

    assert (poor.status_code, closed.status_code, HIT.objects.count()) == (409, 409, 0)
    assert "has $0.04 available, which does not pay for this HIT. Make a deposit first." in text_of(poor)
    assert (AuditEntry.objects.count(), available(requester)) == (0, Decimal("0.04"))


def test_trial_that_nobody_did_in_its_day_gives_its_money_back(desk: Desk, requester: Requester) -> None:
    hit = put_up(desk, requester)
    HIT.objects.filter(pk=hit.pk).update(expires_at=timezone.now() - timedelta(seconds=1))

    page = text_of(desk.get(path_of(requester, f"{hit.external_id}/")))

    assert "State expired" in page
    assert "Put up another" in page
    assert available(requester) == Decimal(100)
