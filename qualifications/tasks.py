from hits.common import clock
from hits.common.sweeps import sweep
from qualifications.services import (
    consenting,
    floors,
    grading,
    platform,
    provider_grants,
    removing_lists,
    retests,
    sync_grants,
    test_attempts,
)


@sweep("qualifications.remove_lists", rest_s=60)
def remove_lists() -> None:
    removing_lists.remove_leaving()


@sweep("qualifications.take_withdrawn_work_out", rest_s=10)
def take_withdrawn_work_out() -> None:
    consenting.take_work_out(now=clock.now())


@sweep("qualifications.make_types", rest_s=5, due_at=platform.next_type, acts=True)
def make_types() -> None:
    platform.make_types(now=clock.now())


@sweep("qualifications.tell_holdings", rest_s=3, due_at=sync_grants.next_telling, acts=True)
def tell_holdings() -> None:
    sync_grants.tell_holdings(now=clock.now())


@sweep("qualifications.read_provider_tests", rest_s=10, due_at=provider_grants.next_reading, acts=True)
def read_provider_tests() -> None:
    provider_grants.read_provider_tests(now=clock.now())


@sweep("qualifications.follow_tests", rest_s=2)
def follow_tests() -> None:
    test_attempts.follow_tests(now=clock.now())


@sweep("qualifications.grade_waiting", rest_s=2)
def grade_waiting() -> None:
    grading.grade_waiting(now=clock.now())


@sweep("qualifications.regrade_tests", rest_s=30)
def regrade_tests() -> None:
    grading.regrade_tests(now=clock.now())


@sweep("qualifications.check_floors", rest_s=5)
def check_floors() -> None:
    floors.check_floors(now=clock.now())


@sweep("qualifications.open_retests", rest_s=30, due_at=retests.next_retest)
def open_retests() -> None:
    retests.open_retests(now=clock.now())
