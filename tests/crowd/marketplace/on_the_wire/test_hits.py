"""CreateHIT, ListHITs and UpdateExpirationForHIT through boto3."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import LazySettings
from django.core import signing
from django.utils import timezone

from crowd.marketplace.database import atomic
from crowd.marketplace.models import HIT, HITType, LedgerEntry, RequestToken
from crowd.marketplace.questions.xml_parsing import MAX_BYTES
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, error_of, hit_input, refusal_of, refused
from tests.crowd.marketplace.rows import available, post_hit
from tests.factories import external_question, make_requester

pytestmark = pytest.mark.django_db(transaction=True)

PARAMETER = Refusal(kind="ParameterValidationError")
VALIDATION = Refusal(kind="ValidationException")
SERIALIZATION = Refusal(kind="SerializationException")
REQUIREMENT = {"QualificationTypeId": "00000000000000000040", "Comparator": "Exists"}
EXTERNAL = "2006-07-14/ExternalQuestion.xsd"
BAD_INPUT: list[tuple[dict[str, Any], Refusal]] = [
    ({"Reward": "0.123"}, VALIDATION),
    ({"Reward": "abc"}, VALIDATION),
    ({"Reward": "-0.05"}, VALIDATION),
    ({"Reward": "1e3"}, VALIDATION),
    ({"Reward": "0.05\n"}, VALIDATION),
    ({"Reward": "٠.٠٥"}, VALIDATION),
    ({"Reward": "$0.05"}, VALIDATION),
    ({"Reward": "1000000.01"}, PARAMETER),
    ({"Reward": "9" * 5_000}, PARAMETER),
    ({"Reward": 0.05}, SERIALIZATION),
    ({"UniqueRequestToken": "t" * 65}, VALIDATION),
    ({"UniqueRequestToken": ""}, VALIDATION),
    ({"Title": None}, VALIDATION),
    ({"Description": None}, VALIDATION),
    ({"Reward": None}, VALIDATION),
    ({"LifetimeInSeconds": None}, VALIDATION),
    ({"AssignmentDurationInSeconds": None}, VALIDATION),
    ({"Title": ""}, PARAMETER),
    ({"Title": " \n"}, PARAMETER),
    ({"Description": ""}, PARAMETER),
    ({"Title": ["a", "b"]}, SERIALIZATION),
    ({"Title": 5}, SERIALIZATION),
    ({"MaxAssignments": "5"}, SERIALIZATION),
    ({"MaxAssignments": 1.5}, SERIALIZATION),
    ({"MaxAssignments": True}, SERIALIZATION),
    ({"QualificationRequirements": [{"Comparator": "Exists"}]}, VALIDATION),
    ({"QualificationRequirements": [{**REQUIREMENT, "Comparator": "Likes"}]}, VALIDATION),
    ({"QualificationRequirements": [REQUIREMENT] * 11}, PARAMETER),
    ({"MaxAssignments": 0}, PARAMETER),
    ({"MaxAssignments": 1_000_000_001}, PARAMETER),
    ({"LifetimeInSeconds": 29}, PARAMETER),
    ({"LifetimeInSeconds": 31_536_001}, PARAMETER),
    ({"AssignmentDurationInSeconds": 29}, PARAMETER),
    ({"AutoApprovalDelayInSeconds": -1}, PARAMETER),
    ({"AutoApprovalDelayInSeconds": 2_592_001}, PARAMETER),
    ({"Title": "t" * 129}, PARAMETER),
    ({"Description": "d" * 2_001}, PARAMETER),
    ({"Keywords": "k" * 1_001}, PARAMETER),
    ({"RequesterAnnotation": "a" * 256}, PARAMETER),
    ({"Question": None}, PARAMETER),
    ({"Question": "<ExternalQuestion"}, PARAMETER),
    ({"Question": f"<!DOCTYPE a>{external_question()}"}, PARAMETER),
    ({"Question": f'<!DOCTYPE a [<!ENTITY b "&b;">]>{external_question()}'}, PARAMETER),
    ({"Question": external_question().replace(EXTERNAL, "2005-10-01/QuestionForm.xsd")}, PARAMETER),
    ({"Question": external_question("http://example.org/q")}, PARAMETER),
    ({"Question": external_question() + " " * (MAX_BYTES + 1 - len(external_question()))}, PARAMETER),
]


@pytest.fixture
def client(sites: Sites, credentials: Credentials) -> Any:
    return client_of(sites, credentials)


def nothing_happened(credentials: Credentials) -> bool:
    """Whether there is no HIT, no type and no remembered token, and the deposit is as it was."""
    made = (HIT.objects.count(), HITType.objects.count(), RequestToken.objects.count())
    return made == (0, 0, 0) and LedgerEntry.objects.count() == 2 and available(credentials.requester) == 100


def test_create_hit_minimal_has_the_defaults(client: Any) -> None:
    made = client.create_hit(**hit_input())["HIT"]

    wanted = {
        "HITStatus": "Assignable",
        "HITReviewStatus": "NotReviewed",
        "MaxAssignments": 1,
        "AutoApprovalDelayInSeconds": 2_592_000,
        "Reward": "0.05",
        "Keywords": "",
        "QualificationRequirements": [],
        "NumberOfAssignmentsAvailable": 1,
        "NumberOfAssignmentsPending": 0,
        "NumberOfAssignmentsCompleted": 0,
        "Question": external_question(),
    }
    assert {name: made[name] for name in wanted} == wanted
    assert client.get_hit(HITId=made["HITId"])["HIT"] == made


def test_create_hit_bad_input_is_refused(client: Any, credentials: Credentials) -> None:
    wanted = {f"{changes}"[:80]: refusal for changes, refusal in BAD_INPUT}

    got = {f"{changes}"[:80]: refused(client.create_hit, **hit_input(**changes)) for changes, _ in BAD_INPUT}

    assert got == wanted
    assert nothing_happened(credentials)


def test_create_hit_guarded_actions_and_required_to_preview_do_not_go_together(
    client: Any, credentials: Credentials
) -> None:
    both = {**REQUIREMENT, "ActionsGuarded": "Accept", "RequiredToPreview": True}

    refusal = refused(client.create_hit, **hit_input(QualificationRequirements=[both]))

    assert refusal == Refusal(kind="InvalidParameterCombinationError")
    assert nothing_happened(credentials)


def test_refusal_names_the_member_and_the_value(client: Any) -> None:
    error = error_of(client.create_hit, **hit_input(Reward="0.123"))

    message = error.response["Error"]["Message"]
    assert message.startswith(
        "1 validation error detected: Value '0.123' at 'reward' failed to satisfy constraint: "
    )


def test_create_hit_at_every_upper_bound_is_made(client: Any) -> None:
    made = client.create_hit(
        **hit_input(
            Title="t" * 128,
            Description="d" * 2_000,
            Keywords="k" * 1_000,
            RequesterAnnotation="a" * 255,
            LifetimeInSeconds=31_536_000,
            AssignmentDurationInSeconds=31_536_000,
            AutoApprovalDelayInSeconds=2_592_000,
            MaxAssignments=1_000_000_000,
            Reward="0",
            UniqueRequestToken="t" * 64,
            Question=external_question() + " " * (MAX_BYTES - len(external_question())),
        )
    )["HIT"]

    assert made["MaxAssignments"] == 1_000_000_000
    assert HIT.objects.count() == 1


def test_create_hit_twice_is_one_type_and_two_hits(client: Any) -> None:
    first, second = (client.create_hit(**hit_input(Reward=reward))["HIT"] for reward in ("0.5", "0.50"))

    assert first["HITTypeId"] == second["HITTypeId"]
    assert first["HITId"] != second["HITId"]


def test_create_hit_type_follows_the_terms_and_not_the_annotation(client: Any) -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"RequesterAnnotation": "another", "MaxAssignments": 3, "LifetimeInSeconds": 60},
        {"Keywords": "other"},
        {"AutoApprovalDelayInSeconds": 5},
        {"AssignmentDurationInSeconds": 60},
    ]

    types = [client.create_hit(**hit_input(**change))["HIT"]["HITTypeId"] for change in changes]

    assert sorted(Counter(types).values()) == [1, 1, 1, 2]
    assert types[0] == types[1]


def test_create_hit_holds_reward_and_fee_of_every_place(sites: Sites) -> None:
    client = client_of(sites, make_requester(fee_schedule="amazon", now=timezone.now()))

    client.create_hit(**hit_input(Reward="1.00", MaxAssignments=10))

    assert client.get_account_balance()["AvailableBalance"] == "86.00"


def test_create_hit_beyond_the_balance_is_refused_and_the_token_stays_free(
    client: Any, credentials: Credentials
) -> None:
    terms = hit_input(Reward="50.01", MaxAssignments=2, UniqueRequestToken="once")

    assert refused(client.create_hit, **terms) == Refusal(code="InsufficientFunds")
    assert nothing_happened(credentials)
    assert client.create_hit(**{**terms, "Reward": "50.00"})["HIT"]["HITStatus"] == "Assignable"
    assert client.get_account_balance()["AvailableBalance"] == "0.00"


def test_token_repeated_within_a_day_names_the_hit(client: Any) -> None:
    hit_id = client.create_hit(**hit_input(UniqueRequestToken="once"))["HIT"]["HITId"]
    RequestToken.objects.update(created_at=timezone.now() - timedelta(hours=23, minutes=59))

    error = error_of(client.create_hit, **hit_input(UniqueRequestToken="once"))

    assert refusal_of(error) == Refusal(code="HitAlreadyExists")
    assert hit_id in error.response["Error"]["Message"]
    assert [hit.external_id for hit in HIT.objects.all()] == [hit_id]


def test_token_repeated_after_a_day_makes_a_second_hit(client: Any) -> None:
    client.create_hit(**hit_input(UniqueRequestToken="once"))
    RequestToken.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))

    client.create_hit(**hit_input(UniqueRequestToken="once"))

    assert (HIT.objects.count(), RequestToken.objects.count()) == (2, 1)


def test_token_of_another_requester_is_another_token(sites: Sites, client: Any) -> None:
    other = client_of(sites, make_requester(now=timezone.now()))

    for caller in (client, other):
        caller.create_hit(**hit_input(UniqueRequestToken="once"))

    assert HIT.objects.count() == 2


def test_list_hits_over_pages_has_each_hit_once(client: Any, credentials: Credentials) -> None:
    with atomic():
        made = [post_hit(requester=credentials.requester, now=timezone.now()) for _ in range(123)]

    paginator = client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 50})
    pages = [[hit["HITId"] for hit in page["HITs"]] for page in paginator]

    assert [len(page) for page in pages] == [50, 50, 23, 0]
    assert [hit_id for page in pages for hit_id in page] == [hit.external_id for hit in reversed(made)]


def test_an_empty_page_alone_ends_a_list(client: Any, credentials: Credentials) -> None:
    for _ in range(10):
        post_hit(requester=credentials.requester, now=timezone.now())

    full = client.list_hits()
    empty = client.list_hits(NextToken=full["NextToken"])

    assert (full["NumResults"], len(full["HITs"])) == (10, 10)
    assert (empty["NumResults"], empty["HITs"], "NextToken" in empty) == (0, [], False)


def test_list_hits_goes_on_by_the_marketplaces_own_keys(
    client: Any, credentials: Credentials, settings: LazySettings
) -> None:
    """Django's key cannot forge a page token, and the marketplace's keys can change between two pages."""
    made = [post_hit(requester=credentials.requester, now=timezone.now()) for _ in range(2)]
    token = client.list_hits(MaxResults=1)["NextToken"]
    forged = signing.dumps(made[0].pk, key=settings.SECRET_KEY, salt="marketplace.page.rows")

    settings.SECRET_KEY = "another"
    settings.MARKETPLACE_KEYS = [Fernet.generate_key().decode(), *settings.MARKETPLACE_KEYS]
    page = client.list_hits(NextToken=token)

    assert [hit["HITId"] for hit in page["HITs"]] == [made[0].external_id]
    assert refused(client.list_hits, NextToken=forged) == PARAMETER


def test_list_hits_bad_page_is_refused(client: Any) -> None:
    wanted: list[tuple[dict[str, Any], Refusal]] = [
        ({"MaxResults": 101}, VALIDATION),
        ({"MaxResults": 0}, VALIDATION),
        ({"MaxResults": "10"}, SERIALIZATION),
        ({"NextToken": "forged"}, PARAMETER),
        ({"NextToken": "t" * 256}, VALIDATION),
    ]

    got = [(params, refused(client.list_hits, **params)) for params, _ in wanted]

    assert got == wanted


def test_another_requesters_hit_does_not_exist(client: Any) -> None:
    theirs = post_hit(now=timezone.now())
    missing = Refusal(code="HITDoesNotExist")

    assert refused(client.get_hit, HITId=theirs.external_id) == missing
    assert refused(client.list_assignments_for_hit, HITId=theirs.external_id) == missing
    assert refused(client.list_bonus_payments, HITId=theirs.external_id) == missing
    assert refused(client.update_expiration_for_hit, HITId=theirs.external_id, ExpireAt=0) == missing
    assert client.list_hits()["HITs"] == []
    assert HIT.objects.get().closed_at is None


def test_update_expiration_to_zero_expires_and_frees_the_money(client: Any) -> None:
    hit_id = client.create_hit(**hit_input(MaxAssignments=3))["HIT"]["HITId"]

    client.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)

    hit = client.get_hit(HITId=hit_id)["HIT"]
    assert (hit["HITStatus"], hit["NumberOfAssignmentsAvailable"]) == ("Reviewable", 0)
    assert client.get_account_balance()["AvailableBalance"] == "100.00"
