"""Workers who may do a HIT, and what a requirement may be."""

from collections.abc import Mapping
from typing import Any

import pytest

from crowd.marketplace.errors import (
    APIError,
    InvalidParameterCombination,
    ParameterValidationError,
    RequestError,
)
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services.qualifying.qualification_types import Change, dispose_type, update_type
from crowd.marketplace.services.qualifying.qualifications import grant, revoke
from crowd.marketplace.services.qualifying.requirements import (
    check_requirements,
    find_unmet,
    names_masters,
    names_of,
    standing_of,
)
from crowd.marketplace.services.qualifying.system_qualifications import (
    ADULT,
    LOCALE,
    MASTERS,
    NUMBER_APPROVED,
    PERCENT_APPROVED,
)
from tests.crowd.marketplace.qualifying import make_test, make_type, make_worker
from tests.factories import NOW, make_requester

pytestmark = pytest.mark.django_db

MASTERS_SANDBOX, MASTERS_PRODUCTION = sorted(MASTERS, reverse=True)
SAID = " The requester says: “Reads with care.”"


def need(type_id: str, comparator: str, *values: int, **members: Any) -> Mapping[str, Any]:
    integers = {"IntegerValues": list(values)} if values else {}
    return {"QualificationTypeId": type_id, "Comparator": comparator, **integers, **members}


def place(comparator: str, *places: str) -> Mapping[str, Any]:
    """Requirement on the worker's location; places are written as in "US" or "US-PA"."""
    locales = []
    for written in places:
        country, _, subdivision = written.partition("-")
        locales.append({"Country": country, **({"Subdivision": subdivision} if subdivision else {})})
    return {"QualificationTypeId": LOCALE, "Comparator": comparator, "LocaleValues": locales}


def reasons(worker: Worker, *requirements: Mapping[str, Any]) -> list[str]:
    return [unmet.reason for unmet in find_unmet(requirements, standing=standing_of(worker))]


def meets(worker: Worker, requirement: Mapping[str, Any]) -> bool:
    return reasons(worker, requirement) == []


def refusal(*requirements: Mapping[str, Any]) -> APIError:
    with pytest.raises(APIError) as caught:
        check_requirements(requirements, requester=make_requester().requester)
    return caught.value


@pytest.mark.parametrize(
    ("lives", "requirement", "met"),
    [
        ("US-PA", place("EqualTo", "US"), True),
        ("US-PA", place("EqualTo", "US-PA"), True),
        ("US-PA", place("EqualTo", "US-NY"), False),
        ("US", place("EqualTo", "US-NY"), False),
        ("CA", place("In", "US", "CA"), True),
        ("DE", place("In", "US", "CA"), False),
        ("DE", place("NotEqualTo", "US"), True),
        ("US-PA", place("NotEqualTo", "US"), False),
        ("US-PA", place("NotIn", "US-NY", "CA"), True),
        ("US-NY", place("NotIn", "US-NY", "CA"), False),
        ("", place("EqualTo", "US"), False),
        ("", place("NotEqualTo", "US"), False),
    ],
)
def test_location_is_matched_by_country_and_subdivision(
    lives: str, requirement: Mapping[str, Any], *, met: bool
) -> None:
    country, _, subdivision = lives.partition("-")

    assert meets(make_worker(country=country, subdivision=subdivision), requirement) == met


@pytest.mark.parametrize(
    ("record", "percent"),
    [
        ((99, 10, 80), 100),
        ((100, 90, 10), 90),
        ((1000, 949, 51), 94),
        ((200, 50, 0), 100),
        ((100, 0, 0), 100),
        ((100, 0, 3), 0),
    ],
)
def test_percent_approved_is_of_reviewed_work_from_a_hundred_submissions_on(
    record: tuple[int, int, int], percent: int
) -> None:
    submitted, approved, rejected = record
    worker = make_worker(submitted=submitted, approved=approved, rejected=rejected)

    assert meets(worker, need(PERCENT_APPROVED, "EqualTo", percent))


def test_number_approved_is_the_workers_count() -> None:
    worker = make_worker(approved=12)

    assert meets(worker, need(NUMBER_APPROVED, "GreaterThan", 11))
    assert reasons(worker, need(NUMBER_APPROVED, "GreaterThan", 12)) == [
        "Needs more than 12 approved pieces of work; you have 12."
    ]


@pytest.mark.parametrize(
    ("comparator", "values", "met"),
    [
        ("LessThan", (6,), True),
        ("LessThan", (5,), False),
        ("LessThanOrEqualTo", (5,), True),
        ("LessThanOrEqualTo", (4,), False),
        ("GreaterThan", (4,), True),
        ("GreaterThan", (5,), False),
        ("GreaterThanOrEqualTo", (5,), True),
        ("GreaterThanOrEqualTo", (6,), False),
        ("EqualTo", (5,), True),
        ("EqualTo", (6,), False),
        ("NotEqualTo", (6,), True),
        ("NotEqualTo", (5,), False),
        ("In", (1, 5), True),
        ("In", (1, 6), False),
        ("NotIn", (1, 6), True),
        ("NotIn", (1, 5), False),
        ("Exists", (), True),
        ("DoesNotExist", (), False),
    ],
)
def test_value_that_is_held_is_compared(comparator: str, values: tuple[int, ...], *, met: bool) -> None:
    type_, worker = make_type(), make_worker()
    grant(type_=type_, worker=worker, value=5, now=NOW)

    assert meets(worker, need(type_.external_id, comparator, *values)) == met


@pytest.mark.parametrize(
    ("comparator", "values"),
    [("LessThan", (6,)), ("NotEqualTo", (6,)), ("In", (5,)), ("NotIn", (6,)), ("Exists", ())],
)
def test_worker_who_lacks_a_qualification_meets_only_does_not_exist(
    comparator: str, values: tuple[int, ...]
) -> None:
    type_, worker = make_type(), make_worker()

    assert not meets(worker, need(type_.external_id, comparator, *values))
    assert meets(worker, need(type_.external_id, "DoesNotExist"))


def test_revoked_qualification_is_lacked() -> None:
    type_, worker = make_type(), make_worker()
    grant(type_=type_, worker=worker, value=5, now=NOW)
    revoke(type_=type_, worker=worker, reason="", now=NOW)

    assert not meets(worker, need(type_.external_id, "Exists"))
    assert meets(worker, need(type_.external_id, "DoesNotExist"))


def test_deleted_type_lets_nobody_in_whom_it_kept_out() -> None:
    type_, holder, other = make_type(), make_worker(), make_worker()
    grant(type_=type_, worker=holder, value=5, now=NOW)
    dispose_type(type_id=type_.pk, now=NOW)

    assert not meets(holder, need(type_.external_id, "Exists"))
    assert not meets(holder, need(type_.external_id, "DoesNotExist"))
    assert not meets(other, need(type_.external_id, "Exists"))
    assert meets(other, need(type_.external_id, "DoesNotExist"))


@pytest.mark.parametrize(
    ("requirement", "adult", "other"),
    [
        (need(ADULT, "EqualTo", 1), True, False),
        (need(ADULT, "EqualTo", 0), True, True),
        (need(ADULT, "Exists"), True, False),
        (need(ADULT, "DoesNotExist"), False, True),
    ],
)
def test_adults_are_those_who_said_so(requirement: Mapping[str, Any], *, adult: bool, other: bool) -> None:
    assert meets(make_worker(is_adult=True), requirement) == adult
    assert meets(make_worker(), requirement) == other


@pytest.mark.parametrize("type_id", [MASTERS_SANDBOX, MASTERS_PRODUCTION])
def test_masters_have_two_ids_and_cost_a_fee_when_asked_for(type_id: str) -> None:
    master, other = make_worker(is_master=True), make_worker()

    assert meets(master, need(type_id, "Exists"))
    assert not meets(other, need(type_id, "Exists"))
    assert not meets(master, need(type_id, "DoesNotExist"))
    assert names_masters([need(type_id, "Exists")])
    assert not names_masters([need(type_id, "DoesNotExist"), need(ADULT, "Exists")])


def test_reasons_are_plain_words() -> None:
    type_ = make_type(name="Reader")
    inactive = make_type(name="Closed")
    held = make_type(name="Scored")
    tested = make_type(name="Tested", test=make_test())
    worker = make_worker(submitted=200, approved=88, rejected=12, country="DE")
    grant(type_=held, worker=worker, value=60, now=NOW)
    update_type(type_id=inactive.pk, change=Change(status="Inactive"))

    assert reasons(
        worker,
        need(PERCENT_APPROVED, "GreaterThanOrEqualTo", 95),
        need(type_.external_id, "Exists"),
        need(tested.external_id, "GreaterThan", 80),
        need(inactive.external_id, "GreaterThan", 3),
        need(held.external_id, "In", 80, 90),
        need(held.external_id, "DoesNotExist"),
        place("In", "US-PA", "CA"),
        place("NotEqualTo", "DE"),
        need(ADULT, "EqualTo", 1),
        need(MASTERS_SANDBOX, "Exists"),
        need(NUMBER_APPROVED, "DoesNotExist"),
    ) == [
        "Needs at least 95 % approved work; yours is 88 %.",
        f"Needs the qualification “Reader”, which you can ask for.{SAID}",
        f"Needs the qualification “Tested”, which you can get by its test.{SAID}",
        f"Needs the qualification “Closed”.{SAID}",
        f"Needs one of 80, 90 in the qualification “Scored”; yours is 60.{SAID}",
        "Only for workers who do not have “Scored”, and you have it. The requester says: “Reads with care.”",
        "Only for workers in United States (PA), Canada.",
        "Not for workers in Germany.",
        "Only for workers who have said that they are adults.",
        "Only for Masters.",
        "Only for workers who do not have “Approved work”, and you have it.",
    ]


def test_reason_tells_that_the_country_is_not_known() -> None:
    assert reasons(make_worker(), place("EqualTo", "US")) == [
        "Only for workers in United States. Your country is not known yet: say it under Settings, once."
    ]


@pytest.mark.parametrize(
    ("members", "guarded"),
    [
        ({}, "Accept"),
        ({"RequiredToPreview": False}, "Accept"),
        ({"RequiredToPreview": True}, "PreviewAndAccept"),
        ({"ActionsGuarded": "Accept"}, "Accept"),
        ({"ActionsGuarded": "PreviewAndAccept"}, "PreviewAndAccept"),
        (
            {"ActionsGuarded": "DiscoverPreviewAndAccept", "RequiredToPreview": None},
            "DiscoverPreviewAndAccept",
        ),
    ],
)
def test_unmet_requirement_tells_what_it_guards(members: Mapping[str, Any], guarded: str) -> None:
    requirement = need(ADULT, "EqualTo", 1, **members)

    [unmet] = find_unmet([requirement], standing=standing_of(make_worker()))

    assert (unmet.guarded, unmet.requirement) == (guarded, requirement)


def test_whole_list_asks_the_database_three_times(django_assert_num_queries: Any) -> None:
    worker = make_worker()
    lists = [[need(make_type(name=f"T{n}").external_id, "Exists"), need(ADULT, "Exists")] for n in range(5)]

    with django_assert_num_queries(3, using="marketplace"):
        standing = standing_of(worker)
        names = names_of(requirement for requirements in lists for requirement in requirements)
        found = [find_unmet(requirements, standing=standing, names=names) for requirements in lists]

    assert [unmet[0].reason for unmet in found] == [
        f"Needs the qualification “T{n}”, which you can ask for.{SAID}" for n in range(5)
    ]


def test_requirements_that_make_sense_are_taken_and_their_types_told() -> None:
    requester = make_requester().requester
    own, foreign = make_type(requester=requester, name="Own"), make_type(name="Foreign")

    found = check_requirements(
        [
            need(own.external_id, "GreaterThan", 3, ActionsGuarded="Accept", RequiredToPreview=None),
            need(foreign.external_id, "Exists", IntegerValues=[]),
            need(own.external_id, "In", *range(15)),
            need(MASTERS_PRODUCTION, "Exists"),
            place("NotIn", *["US-PA", "DE"] * 15),
            need(PERCENT_APPROVED, "GreaterThan", 95, RequiredToPreview=True),
        ],
        requester=requester,
    )

    assert found == [own, foreign]


@pytest.mark.parametrize(
    "requirement",
    [
        need(ADULT, "Exists", 1),
        need(ADULT, "EqualTo"),
        need(ADULT, "EqualTo", 1, 2),
        need(ADULT, "In"),
        need(ADULT, "In", *range(16)),
        need(ADULT, "EqualTo", 2**31),
        need(ADULT, "EqualTo", 1, LocaleValues=[{"Country": "US"}]),
        need(MASTERS_SANDBOX, "EqualTo", 1),
        need(ADULT, "Exists", Color="red"),
        place("Exists"),
        place("LessThan", "US"),
        place("EqualTo"),
        place("EqualTo", "US", "CA"),
        place("In", *["US"] * 31),
        place("EqualTo", "XX"),
        place("EqualTo", "us"),
        place("EqualTo", "US-pa"),
        {**place("EqualTo", "US"), "IntegerValues": [1]},
        {**place("EqualTo"), "LocaleValues": [{"Country": "US", "City": "Rome"}]},
    ],
)
def test_requirement_whose_values_do_not_fit_is_refused(requirement: Mapping[str, Any]) -> None:
    error = refusal(requirement)

    assert (type(error), error.code) == (ParameterValidationError, "InvalidParameterValue")


def test_eleven_requirements_are_refused() -> None:
    assert type(refusal(*[need(ADULT, "Exists")] * 11)) is ParameterValidationError


@pytest.mark.parametrize("preview", [True, False])
def test_both_kinds_of_guard_at_once_are_refused(*, preview: bool) -> None:
    error = refusal(need(ADULT, "Exists", ActionsGuarded="Accept", RequiredToPreview=preview))

    assert type(error) is InvalidParameterCombination


def test_type_that_nobody_gives_is_refused() -> None:
    deleted = make_type(name="Deleted")
    dispose_type(type_id=deleted.pk, now=NOW)
    foreign = make_type(name="Foreign", status="Inactive")

    for type_id in ("NOSUCHTYPE", deleted.external_id, foreign.external_id):
        error = refusal(need(type_id, "Exists"))
        assert (type(error), error.code) == (RequestError, "QualificationTypeDoesNotExist")


def test_own_inactive_type_is_refused() -> None:
    requester = make_requester().requester
    own = make_type(requester=requester, status="Inactive")

    with pytest.raises(RequestError) as caught:
        check_requirements([need(own.external_id, "Exists")], requester=requester)

    assert caught.value.code == "InvalidQualificationTypeState"
