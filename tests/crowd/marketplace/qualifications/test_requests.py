"""Workers' requests for qualifications: once or again, in time or not, granted at once or by hand."""

from datetime import timedelta

import pytest

from crowd.marketplace.models import Qualification, QualificationRequest, QualificationType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.questions.answers import write_answers
from crowd.marketplace.services.qualifying.qualification_requests import (
    NotAskable,
    ask,
    begin_test,
    find_obstacle,
    submit_test,
    withdraw,
)
from crowd.marketplace.services.qualifying.qualification_types import Change, dispose_type, update_type
from crowd.marketplace.services.qualifying.qualifications import grant, reject_request, revoke, settle_tests
from tests.crowd.marketplace.qualifying import make_test, make_type, make_worker
from tests.factories import NOW

pytestmark = pytest.mark.django_db

Status = QualificationRequest.Status
HOUR = timedelta(hours=1)
ONCE = "You can ask for this qualification only once, and you have done so."


def answers(*, right: int, of: int, extra: bool = False) -> str:
    """Answers with so many questions right; `extra` ticks a wrong selection beside each right one."""
    chosen = ["right", "wrong"] if extra else ["right"]
    return write_answers(
        (f"q{n}", [("SelectionIdentifier", one) for one in (chosen if n < right else ["wrong"])])
        for n in range(of)
    )


def held(type_: QualificationType, worker: Worker) -> list[int]:
    rows = Qualification.objects.filter(type=type_, worker=worker, revoked_at=None)
    return list(rows.values_list("value", flat=True))


def statuses(type_: QualificationType) -> list[str]:
    return list(type_.requests.order_by("pk").values_list("status", flat=True))


def reason(type_: QualificationType, worker: Worker, *, after: timedelta = timedelta(0)) -> str:
    obstacle = find_obstacle(type_=type_, worker=worker, now=NOW + after)
    return obstacle.reason if obstacle else ""


def test_request_without_a_test_waits_for_the_requester() -> None:
    type_, worker = make_type(), make_worker()

    request = ask(type_=type_, worker=worker, now=NOW)

    assert (request.status, request.submitted_at) == (Status.PENDING, NOW)
    assert held(type_, worker) == []


def test_auto_granted_type_is_granted_at_once() -> None:
    type_, worker = make_type(is_auto_granted=True, auto_granted_value=7), make_worker()

    request = ask(type_=type_, worker=worker, now=NOW)

    assert (request.status, held(type_, worker)) == (Status.GRANTED, [7])
    assert reason(type_, worker) == "You have this qualification."


def test_double_click_asks_once() -> None:
    type_, worker = make_type(), make_worker()

    assert ask(type_=type_, worker=worker, now=NOW) == ask(type_=type_, worker=worker, now=NOW)
    assert type_.requests.count() == 1


def test_rejected_request_is_the_only_one_without_a_retry_delay() -> None:
    type_, worker = make_type(), make_worker()
    reject_request(request_id=ask(type_=type_, worker=worker, now=NOW).pk, reason="No.", now=NOW)

    with pytest.raises(NotAskable, match="only once"):
        ask(type_=type_, worker=worker, now=NOW + timedelta(days=300))

    assert statuses(type_) == ["Rejected"]


def test_request_may_be_repeated_when_the_retry_delay_has_passed() -> None:
    type_, worker = make_type(retry_delay_s=3600), make_worker()
    reject_request(request_id=ask(type_=type_, worker=worker, now=NOW).pk, reason="No.", now=NOW)

    with pytest.raises(NotAskable) as caught:
        ask(type_=type_, worker=worker, now=NOW + HOUR - timedelta(seconds=1))
    again = ask(type_=type_, worker=worker, now=NOW + HOUR)

    assert str(caught.value) == f"You may try again from {NOW + HOUR:%-d %b %Y, %H:%M} UTC."
    assert (again.status, statuses(type_)) == (Status.PENDING, ["Rejected", "Pending"])


def test_withdrawn_request_may_be_made_again_and_a_withdrawn_test_not() -> None:
    plain, tested, worker = make_type(), make_type(test=make_test(with_key=False)), make_worker()
    ask(type_=plain, worker=worker, now=NOW)
    test = begin_test(type_=tested, worker=worker, now=NOW)
    assert not withdraw(type_=tested, worker=worker, now=NOW)
    submit_test(request_id=test.pk, answer=answers(right=1, of=1), now=NOW)

    assert withdraw(type_=plain, worker=worker, now=NOW)
    assert withdraw(type_=tested, worker=worker, now=NOW)
    assert not withdraw(type_=plain, worker=worker, now=NOW)

    assert (statuses(plain), statuses(tested)) == (["Withdrawn"], ["Withdrawn"])
    assert reason(tested, worker) == ONCE
    assert ask(type_=plain, worker=worker, now=NOW).status == Status.PENDING


def test_what_was_taken_back_is_given_again_only_by_hand() -> None:
    simple, worker = make_type(is_auto_granted=True), make_worker()
    tested = make_type(test=make_test())
    for type_ in (simple, tested):
        grant(type_=type_, worker=worker, value=1, now=NOW)
        revoke(type_=type_, worker=worker, reason="", now=NOW)

    asked = ask(type_=simple, worker=worker, now=NOW)
    test = begin_test(type_=tested, worker=worker, now=NOW)
    scored = submit_test(request_id=test.pk, answer=answers(right=1, of=1), now=NOW)

    assert (asked.status, scored.status) == (Status.PENDING, Status.PENDING)
    assert (held(simple, worker), held(tested, worker)) == ([], [])


@pytest.mark.parametrize(("right", "value"), [(15, 100), (10, 67), (0, 0)])
def test_test_with_a_key_is_scored_in_per_cent_and_granted_at_once(right: int, value: int) -> None:
    type_, worker = make_type(test=make_test(questions=15)), make_worker()
    test = begin_test(type_=type_, worker=worker, now=NOW)

    done = submit_test(request_id=test.pk, answer=answers(right=right, of=15), now=NOW)

    assert (done.status, done.decided_at, held(type_, worker)) == (Status.GRANTED, NOW, [value])


def test_extra_selection_has_the_default_score() -> None:
    type_, worker = make_type(test=make_test(questions=15)), make_worker()
    test = begin_test(type_=type_, worker=worker, now=NOW)

    submit_test(request_id=test.pk, answer=answers(right=15, of=15, extra=True), now=NOW)

    assert held(type_, worker) == [0]


def test_test_without_a_key_waits_for_the_requester() -> None:
    type_, worker = make_type(test=make_test(with_key=False)), make_worker()
    test = begin_test(type_=type_, worker=worker, now=NOW)

    done = submit_test(request_id=test.pk, answer=answers(right=1, of=1), now=NOW)

    assert (done.status, done.answer) == (Status.PENDING, answers(right=1, of=1))
    assert held(type_, worker) == []


def test_test_is_handed_in_once() -> None:
    type_, worker = make_type(test=make_test()), make_worker()
    test = begin_test(type_=type_, worker=worker, now=NOW)
    submit_test(request_id=test.pk, answer=answers(right=1, of=1), now=NOW)

    with pytest.raises(NotAskable, match="already submitted this test"):
        submit_test(request_id=test.pk, answer=answers(right=0, of=1), now=NOW)

    assert held(type_, worker) == [100]


def test_test_after_its_deadline_is_refused_and_lapses() -> None:
    type_, worker = make_type(test=make_test(), test_duration_s=60), make_worker()
    test = begin_test(type_=type_, worker=worker, now=NOW)
    late = NOW + timedelta(seconds=60)

    with pytest.raises(NotAskable, match="time for this test is over"):
        submit_test(request_id=test.pk, answer=answers(right=1, of=1), now=late)
    settle_tests(now=late + HOUR)

    test.refresh_from_db()
    assert (test.status, test.decided_at, test.answer) == (Status.LAPSED, late, "")
    assert (held(type_, worker), reason(type_, worker)) == ([], ONCE)


def test_settling_leaves_tests_that_still_run() -> None:
    test = begin_test(type_=make_type(test=make_test(), test_duration_s=60), worker=make_worker(), now=NOW)

    settle_tests(now=NOW + timedelta(seconds=59))

    test.refresh_from_db()
    assert test.status == Status.STARTED


def test_test_that_nobody_settled_does_not_hinder_the_next_attempt() -> None:
    type_, worker = make_type(test=make_test(), test_duration_s=60, retry_delay_s=0), make_worker()
    begin_test(type_=type_, worker=worker, now=NOW)

    begin_test(type_=type_, worker=worker, now=NOW + HOUR)

    assert statuses(type_) == ["Lapsed", "Started"]


def test_test_may_be_taken_again_for_a_better_value_when_the_delay_has_passed() -> None:
    type_, worker = make_type(test=make_test(questions=2), retry_delay_s=3600), make_worker()
    first = begin_test(type_=type_, worker=worker, now=NOW)
    submit_test(request_id=first.pk, answer=answers(right=1, of=2), now=NOW)
    assert reason(type_, worker).startswith("You may try again from")

    again = begin_test(type_=type_, worker=worker, now=NOW + HOUR)
    submit_test(request_id=again.pk, answer=answers(right=2, of=2), now=NOW + HOUR)

    assert held(type_, worker) == [100]


def test_second_click_on_begin_goes_on_with_the_same_clock() -> None:
    type_, worker = make_type(test=make_test()), make_worker()

    first = begin_test(type_=type_, worker=worker, now=NOW)
    second = begin_test(type_=type_, worker=worker, now=NOW + timedelta(seconds=5))

    assert (first, first.deadline_at) == (second, second.deadline_at)


def test_asking_and_beginning_are_not_mixed_up() -> None:
    worker = make_worker()

    with pytest.raises(NotAskable, match="now has a test"):
        ask(type_=make_type(test=make_test()), worker=worker, now=NOW)
    with pytest.raises(NotAskable, match="There is no test"):
        begin_test(type_=make_type(), worker=worker, now=NOW)

    assert QualificationRequest.objects.count() == 0


def test_type_that_rests_or_is_deleted_is_not_to_be_had() -> None:
    resting, deleted, worker = make_type(), make_type(), make_worker()
    update_type(type_id=resting.pk, change=Change(status="Inactive"))
    dispose_type(type_id=deleted.pk, now=NOW)

    for type_ in (resting, deleted):
        with pytest.raises(NotAskable, match="not given any more"):
            ask(type_=type_, worker=worker, now=NOW)

    assert QualificationRequest.objects.count() == 0


def test_suspended_worker_asks_for_nothing() -> None:
    worker = make_worker(suspended_at=NOW)

    with pytest.raises(NotAskable, match="suspended"):
        ask(type_=make_type(), worker=worker, now=NOW)

    assert QualificationRequest.objects.count() == 0
