"""Qualification types through the API."""

from typing import Any

import pytest

from crowd.marketplace.models import QualificationRequest, QualificationType
from crowd.marketplace.services.qualifying.qualification_requests import ask
from crowd.marketplace.services.qualifying.system_qualifications import ADULT, LOCALE, SYSTEM_TYPES
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, error_of, hit_input, refused
from tests.crowd.marketplace.qualifying import answer_key, make_worker, question_form
from tests.factories import NOW, make_requester

pytestmark = pytest.mark.django_db(transaction=True)

INVALID = Refusal(kind="ParameterValidationError")
COMBINATION = Refusal(kind="InvalidParameterCombinationError")
UNKNOWN = Refusal(code="QualificationTypeDoesNotExist")


def type_input(**changes: Any) -> dict[str, Any]:
    return {
        "Name": "Careful reader",
        "Description": "Reads with care.",
        "QualificationTypeStatus": "Active",
        **changes,
    }


def input_with_test(**changes: Any) -> dict[str, Any]:
    values = type_input(Test=question_form(), TestDurationInSeconds=600, AnswerKey=answer_key())
    return {name: value for name, value in {**values, **changes}.items() if value is not None}


@pytest.fixture
def client(sites: Sites) -> Any:
    return client_of(sites, make_requester())


@pytest.fixture
def foreigner(sites: Sites) -> Any:
    return client_of(sites, make_requester())


def create(client: Any, **changes: Any) -> str:
    return str(
        client.create_qualification_type(**type_input(**changes))["QualificationType"]["QualificationTypeId"]
    )


def listed(client: Any, **query: Any) -> list[str]:
    found = client.list_qualification_types(**{"MustBeRequestable": True, **query})["QualificationTypes"]
    return [row["Name"] for row in found]


def test_type_is_created_and_read_back(client: Any) -> None:
    made = client.create_qualification_type(
        **type_input(Keywords="read, care", RetryDelayInSeconds=60, AutoGranted=True, AutoGrantedValue=7)
    )["QualificationType"]

    assert (
        client.get_qualification_type(QualificationTypeId=made["QualificationTypeId"])["QualificationType"]
        == made
    )
    assert {name: made[name] for name in made if name not in ("QualificationTypeId", "CreationTime")} == {
        "Name": "Careful reader",
        "Description": "Reads with care.",
        "Keywords": "read, care",
        "QualificationTypeStatus": "Active",
        "RetryDelayInSeconds": 60,
        "IsRequestable": True,
        "AutoGranted": True,
        "AutoGrantedValue": 7,
    }


def test_second_type_of_one_name_is_refused(client: Any, foreigner: Any) -> None:
    first = create(client)

    error = error_of(client.create_qualification_type, **type_input())

    response: Any = error.response
    assert response["TurkErrorCode"] == "AWS.MechanicalTurk.QualificationTypeAlreadyExists"
    assert response["Error"]["Message"].startswith(
        f"You have already created a QualificationType with this name. It is {first}."
    )
    assert QualificationType.objects.count() == 1
    assert create(foreigner)


def test_name_of_a_deleted_type_is_free_again(client: Any) -> None:
    client.delete_qualification_type(QualificationTypeId=create(client))

    assert create(client)


@pytest.mark.parametrize(
    "changes",
    [
        {"Name": ""},
        {"Name": "n" * 201},
        {"Description": "d" * 2001},
        {"Keywords": "k" * 1001},
        {"RetryDelayInSeconds": -1},
        {"RetryDelayInSeconds": 31_536_001},
        {"AutoGranted": True, "AutoGrantedValue": 2**31},
        {"Test": question_form()},
        {"Test": question_form(), "TestDurationInSeconds": 0},
        {"Test": question_form(), "TestDurationInSeconds": 31_536_001},
        {"Test": "<form/>", "TestDurationInSeconds": 60},
        {"Test": "<form", "TestDurationInSeconds": 60},
        {"Test": "x" * 65_536, "TestDurationInSeconds": 60},
        {"Test": question_form(), "TestDurationInSeconds": 60, "AnswerKey": "<key/>"},
        {"Test": question_form(), "TestDurationInSeconds": 60, "AnswerKey": answer_key(identifier="other")},
    ],
)
def test_type_that_makes_no_sense_is_refused(client: Any, changes: dict[str, Any]) -> None:
    assert refused(client.create_qualification_type, **type_input(**changes)) == INVALID
    assert QualificationType.objects.count() == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"Test": question_form(), "TestDurationInSeconds": 60, "AutoGranted": True},
        {"AnswerKey": answer_key()},
    ],
)
def test_parameters_that_exclude_each_other_are_refused(client: Any, changes: dict[str, Any]) -> None:
    assert refused(client.create_qualification_type, **type_input(**changes)) == COMBINATION
    assert QualificationType.objects.count() == 0


def test_duration_without_a_test_is_kept_and_asks_for_none(client: Any) -> None:
    made = client.create_qualification_type(**type_input(TestDurationInSeconds=60))["QualificationType"]

    assert (made["TestDurationInSeconds"], "Test" in made) == (60, False)


def test_test_that_asks_for_a_file_is_refused(client: Any) -> None:
    asks = (
        "<FileUploadAnswer><MaxFileSizeInBytes>9</MaxFileSizeInBytes>"
        "<MinFileSizeInBytes>1</MinFileSizeInBytes></FileUploadAnswer>"
    )
    form = question_form()
    start, end = form.index("<SelectionAnswer>"), form.index("</AnswerSpecification>")

    answer = refused(
        client.create_qualification_type,
        **input_with_test(Test=form[:start] + asks + form[end:], AnswerKey=None),
    )

    assert answer == INVALID


def test_test_and_key_are_told_to_the_owner_alone(client: Any, foreigner: Any) -> None:
    made = client.create_qualification_type(**input_with_test())["QualificationType"]

    own = client.get_qualification_type(QualificationTypeId=made["QualificationTypeId"])["QualificationType"]
    seen = foreigner.get_qualification_type(QualificationTypeId=made["QualificationTypeId"])[
        "QualificationType"
    ]

    assert (own["Test"], own["AnswerKey"]) == (question_form(), answer_key())
    assert set(own) - set(seen) == {"Test", "AnswerKey"}


def test_foreign_type_is_seen_while_it_is_active_and_never_changed(client: Any, foreigner: Any) -> None:
    type_id = create(foreigner)
    before = foreigner.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]

    assert client.get_qualification_type(QualificationTypeId=type_id)["QualificationType"] == before
    for call in (
        client.update_qualification_type,
        client.delete_qualification_type,
        client.list_workers_with_qualification_type,
        client.list_qualification_requests,
    ):
        assert refused(call, QualificationTypeId=type_id) == UNKNOWN
    assert foreigner.get_qualification_type(QualificationTypeId=type_id)["QualificationType"] == before
    foreigner.update_qualification_type(QualificationTypeId=type_id, QualificationTypeStatus="Inactive")
    assert refused(client.get_qualification_type, QualificationTypeId=type_id) == UNKNOWN


def test_update_changes_what_it_names_and_nothing_else(client: Any) -> None:
    made = client.create_qualification_type(**type_input(Keywords="a", RetryDelayInSeconds=5))[
        "QualificationType"
    ]

    changed = client.update_qualification_type(
        QualificationTypeId=made["QualificationTypeId"],
        Description="New.",
        QualificationTypeStatus="Inactive",
        AutoGranted=True,
    )["QualificationType"]

    assert changed == {
        **made,
        "Description": "New.",
        "QualificationTypeStatus": "Inactive",
        "IsRequestable": False,
        "AutoGranted": True,
        "AutoGrantedValue": 1,
    }


def test_update_replaces_a_test_as_a_whole(client: Any) -> None:
    made = client.create_qualification_type(**input_with_test())["QualificationType"]

    changed = client.update_qualification_type(
        QualificationTypeId=made["QualificationTypeId"],
        Test=question_form(questions=2),
        TestDurationInSeconds=60,
    )["QualificationType"]

    assert (changed["Test"], changed["TestDurationInSeconds"]) == (question_form(questions=2), 60)
    assert "AnswerKey" not in changed


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({"AutoGranted": True}, COMBINATION),
        ({"AnswerKey": answer_key()}, COMBINATION),
        ({"Test": question_form()}, INVALID),
    ],
)
def test_update_that_does_not_fit_a_test_is_refused(
    client: Any, changes: dict[str, Any], answer: Refusal
) -> None:
    made = client.create_qualification_type(**input_with_test())["QualificationType"]
    type_id = made["QualificationTypeId"]

    assert refused(client.update_qualification_type, QualificationTypeId=type_id, **changes) == answer
    assert client.get_qualification_type(QualificationTypeId=type_id)["QualificationType"] == made


def test_deleted_type_is_gone_and_its_requests_are_answered(client: Any) -> None:
    type_id = create(client)
    request = ask(type_=QualificationType.objects.get(external_id=type_id), worker=make_worker(), now=NOW)

    client.delete_qualification_type(QualificationTypeId=type_id)

    for call in (client.get_qualification_type, client.delete_qualification_type):
        assert refused(call, QualificationTypeId=type_id) == UNKNOWN
    assert listed(client, MustBeOwnedByCaller=True) == []
    request.refresh_from_db()
    assert (request.status, request.reason) == (
        QualificationRequest.Status.REJECTED,
        "The requester has deleted this qualification.",
    )


def test_list_holds_own_types_and_active_ones_of_others(client: Any, foreigner: Any) -> None:
    create(client, Name="Own")
    create(client, Name="Own, resting", QualificationTypeStatus="Inactive")
    create(foreigner, Name="Foreign", Keywords="soup")
    create(foreigner, Name="Foreign, resting", QualificationTypeStatus="Inactive")

    assert listed(client) == ["Own", "Foreign"]
    assert listed(client, MustBeRequestable=False, MustBeOwnedByCaller=True) == ["Own", "Own, resting"]
    assert listed(client, MustBeOwnedByCaller=True) == ["Own"]
    assert listed(client, Query="OWN") == ["Own"]
    assert listed(client, Query="reads foreign") == ["Foreign"]
    assert listed(client, Query="soup") == ["Foreign"]
    assert listed(client, Query="x " * 40_000) == []


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 7, 8, 100])
def test_system_types_come_first_where_they_are_wanted_at_all(client: Any, size: int) -> None:
    for name in ("A", "B"):
        create(client, Name=name)

    pages = list(
        client.get_paginator("list_qualification_types").paginate(
            MustBeRequestable=False, PaginationConfig={"PageSize": size}
        )
    )

    found = [row["Name"] for page in pages for row in page["QualificationTypes"]]
    assert found == [*(system.name for system in SYSTEM_TYPES), "A", "B"]
    assert [page["NumResults"] for page in pages] == [len(page["QualificationTypes"]) for page in pages]
    assert all(page["NumResults"] <= size for page in pages)


def test_search_finds_system_types_too(client: Any) -> None:
    create(client, Name="Location scout")

    assert listed(client, MustBeRequestable=False, Query="location") == ["Location", "Location scout"]


def test_system_type_is_read_and_never_changed(client: Any) -> None:
    found = client.get_qualification_type(QualificationTypeId=LOCALE)["QualificationType"]

    assert (found["Name"], found["IsRequestable"]) == ("Location", False)
    assert refused(client.delete_qualification_type, QualificationTypeId=LOCALE) == UNKNOWN


def test_hits_that_require_a_type_are_the_callers_own(client: Any, foreigner: Any) -> None:
    type_id = create(client)
    need = [{"QualificationTypeId": type_id, "Comparator": "Exists"}]
    adults = [{"QualificationTypeId": ADULT, "Comparator": "EqualTo", "IntegerValues": [1]}]
    own = client.create_hit(**hit_input(QualificationRequirements=need))["HIT"]["HITId"]
    foreign = foreigner.create_hit(**hit_input(QualificationRequirements=need))["HIT"]["HITId"]
    grown = client.create_hit(**hit_input(QualificationRequirements=adults))["HIT"]["HITId"]
    client.create_hit(**hit_input())

    def ids(caller: Any, type_id: str) -> list[str]:
        found = caller.list_hits_for_qualification_type(QualificationTypeId=type_id)
        return [hit["HITId"] for hit in found["HITs"]]

    assert ids(client, type_id) == [own]
    assert ids(foreigner, type_id) == [foreign]
    assert ids(client, ADULT) == [grown]
    assert ids(client, LOCALE) == []


def test_deleted_hit_is_listed_for_no_type(client: Any) -> None:
    type_id = create(client)
    need = [{"QualificationTypeId": type_id, "Comparator": "Exists"}]
    hit_id = client.create_hit(**hit_input(QualificationRequirements=need))["HIT"]["HITId"]
    client.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    client.delete_hit(HITId=hit_id)

    assert client.list_hits_for_qualification_type(QualificationTypeId=type_id)["HITs"] == []


def test_hit_that_requires_an_unknown_type_is_refused(client: Any) -> None:
    need = [{"QualificationTypeId": "NOSUCHTYPE", "Comparator": "Exists"}]

    assert refused(client.create_hit, **hit_input(QualificationRequirements=need)) == UNKNOWN
