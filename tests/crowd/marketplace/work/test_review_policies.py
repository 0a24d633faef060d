"""Review policies through boto3: what they find, what they do about it, and what they report."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT, Assignment, PolicyOutcome
from crowd.marketplace.questions import write_answer
from crowd.marketplace.services import work
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, hit_input, refused, send, signed
from tests.crowd.marketplace.rows import accept, available, balances
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)

KNOWN = "ScoreMyKnownAnswers/2011-09-01"
PLURALITY = "SimplePlurality/2011-09-01"
KEY = {
    "Key": "AnswerKey",
    "MapEntries": [{"Key": "q1", "Values": ["a"]}, {"Key": "q2", "Values": ["b", "c"]}],
}
EXTENSION = {"ExtendMaximumAssignments": "3", "ExtendMinimumTimeInSeconds": "3600"}


def policy(name: str, *parameters: Any, **values: str) -> dict[str, Any]:
    listed = [{"Key": key, "Values": [value]} for key, value in values.items()]
    return {"PolicyName": name, "Parameters": [*parameters, *listed]}


def known(**values: str) -> dict[str, Any]:
    return policy(KNOWN, KEY, **values)


def plurality(**values: str) -> dict[str, Any]:
    return policy(PLURALITY, **{"QuestionIds": "q1,q2", "QuestionAgreementThreshold": "50", **values})


@pytest.fixture
def credentials() -> Credentials:
    return make_requester(deposit=Decimal(3), now=timezone.now())


@pytest.fixture
def client(sites: Sites, credentials: Credentials) -> Any:
    return client_of(sites, credentials)


def create(client: Any, **changes: Any) -> HIT:
    made = client.create_hit(**hit_input(**{"Reward": "1.00", **changes}))["HIT"]
    return HIT.objects.get(external_id=made["HITId"])


def answer(hit: HIT, *fields: tuple[str, str]) -> Assignment:
    now = timezone.now()
    assignment = accept(hit, now=now)
    assert work.submit_assignment(assignment=assignment, answer=write_answer(fields), now=now)
    assignment.refresh_from_db()
    return assignment


RIGHT = (("q1", "a"), ("q2", "b"), ("q2", "c"))
HALF = (("q1", "a"), ("q2", "b"))
WRONG = (("q1", "z"),)


def results(client: Any, hit: HIT, **values: Any) -> Any:
    return client.list_review_policy_results_for_hit(HITId=hit.external_id, MaxResults=100, **values)


def found_in(report: Any) -> list[tuple[str, str, str]]:
    return [(one.get("QuestionId", ""), one["Key"], one["Value"]) for one in report["ReviewResults"]]


def done_in(report: Any) -> list[tuple[str, str, str]]:
    return [(one["ActionName"], one["TargetType"], one["Status"]) for one in report["ReviewActions"]]


def test_known_answers_are_scored_at_submission(client: Any) -> None:
    hit = create(client, AssignmentReviewPolicy=known(), MaxAssignments=2)

    assignment = answer(hit, *HALF)

    told = results(client, hit)
    report = told["AssignmentReviewReport"]
    assert told["HITId"] == hit.external_id
    assert told["AssignmentReviewPolicy"]["PolicyName"] == KNOWN
    assert found_in(report) == [
        ("q1", "KnownAnswerCorrect", "1"),
        ("q2", "KnownAnswerCorrect", "0"),
        ("", "KnownAnswerScore", "50"),
    ]
    assert {one["SubjectId"] for one in report["ReviewResults"]} == {assignment.external_id}
    assert {one["SubjectType"] for one in report["ReviewResults"]} == {"Assignment"}
    assert (done_in(report), assignment.status) == ([], "Submitted")


@pytest.mark.parametrize(
    ("given", "status", "left"), [(RIGHT, "Approved", 2), (HALF, "Submitted", 2), (WRONG, "Rejected", 3)]
)
def test_known_answers_approve_and_reject(
    client: Any, credentials: Credentials, given: tuple[tuple[str, str], ...], status: str, left: int
) -> None:
    thresholds = {
        "ApproveIfKnownAnswerScoreIsAtLeast": "80",
        "ApproveReason": "Well done.",
        "RejectIfKnownAnswerScoreIsLessThan": "50",
        "RejectReason": "Please read the text.",
    }
    hit = create(client, AssignmentReviewPolicy=known(**thresholds))

    assignment = answer(hit, *given)

    deeds = {"Approved": ("approve", "Well done."), "Rejected": ("reject", "Please read the text.")}
    report = results(client, hit)["AssignmentReviewReport"]
    assert assignment.status == status
    assert available(credentials.requester) == left
    if status in deeds:
        deed, reason = deeds[status]
        assert done_in(report) == [(deed, "Assignment", "Succeeded")]
        assert assignment.feedback == reason
    else:
        assert done_in(report) == []


def test_known_answers_extend_until_the_most(client: Any, credentials: Credentials) -> None:
    hit = create(
        client,
        LifetimeInSeconds=60,
        AssignmentReviewPolicy=known(ExtendIfKnownAnswerScoreIsLessThan="60", **EXTENSION),
    )

    for _ in range(3):
        answer(hit, *WRONG)

    hit.refresh_from_db()
    assert done_in(results(client, hit)["AssignmentReviewReport"]) == [("extend", "HIT", "Succeeded")] * 2
    assert (hit.max_assignments, hit.submitted) == (3, 3)
    assert hit.expires_at > timezone.now() + timedelta(minutes=59)
    assert available(credentials.requester) == 0
    assert balances(credentials.requester)["held"] == 3


def test_an_extension_that_cannot_be_paid_is_told_and_changes_nothing(
    client: Any, credentials: Credentials
) -> None:
    hit = create(
        client,
        AssignmentReviewPolicy=known(ExtendIfKnownAnswerScoreIsLessThan="60", **EXTENSION),
    )
    create(client, MaxAssignments=2)

    answer(hit, *WRONG)

    [action] = results(client, hit)["AssignmentReviewReport"]["ReviewActions"]
    assert (action["ActionName"], action["Status"]) == ("extend", "Failed")
    assert "insufficient funds" in action["ErrorCode"]
    hit.refresh_from_db()
    assert (hit.max_assignments, hit.submitted) == (1, 1)
    assert client.get_hit(HITId=hit.external_id)["HIT"]["HITStatus"] == "Reviewable"
    assert available(credentials.requester) == 0
    assert balances(credentials.requester)["held"] == 3


def test_an_extension_to_ten_is_told_as_failed(client: Any) -> None:
    extension = {**EXTENSION, "ExtendMaximumAssignments": "20"}
    hit = create(
        client,
        Reward="0.01",
        MaxAssignments=9,
        AssignmentReviewPolicy=known(ExtendIfKnownAnswerScoreIsLessThan="60", **extension),
    )

    answer(hit, *WRONG)

    assert done_in(results(client, hit)["AssignmentReviewReport"]) == [("extend", "HIT", "Failed")]
    hit.refresh_from_db()
    assert hit.max_assignments == 9


def test_plurality_scores_when_the_hit_is_reviewable(client: Any, credentials: Credentials) -> None:
    hit = create(
        client,
        MaxAssignments=3,
        HITReviewPolicy=plurality(
            ApproveIfWorkerAgreementScoreIsAtLeast="100", RejectIfWorkerAgreementScoreIsLessThan="50"
        ),
    )
    first = answer(hit, ("q1", "a"), ("q2", "x"))
    assert results(client, hit)["HITReviewReport"] == {"ReviewResults": [], "ReviewActions": []}
    others = [answer(hit, ("q1", "a"), ("q2", "y")), answer(hit, ("q1", "b"), ("q2", "z"))]

    report = results(client, hit)["HITReviewReport"]
    assert found_in(report) == [
        ("q1", "QuestionAgreementScore", "66"),
        ("q2", "QuestionAgreementScore", "33"),
        ("q1", "AgreedAnswer", "a"),
        ("", "HITAgreementScore", "50"),
        ("", "WorkerAgreementScore", "100"),
        ("", "WorkerAgreementScore", "100"),
        ("", "WorkerAgreementScore", "0"),
    ]
    assert done_in(report) == [
        ("approve", "Assignment", "Succeeded"),
        ("approve", "Assignment", "Succeeded"),
        ("reject", "Assignment", "Succeeded"),
    ]
    statuses = [Assignment.objects.get(pk=row.pk).status for row in (first, *others)]
    assert statuses == ["Approved", "Approved", "Rejected"]
    assert available(credentials.requester) == 1


def test_plurality_extends_what_is_not_agreed(client: Any, credentials: Credentials) -> None:
    hit = create(
        client,
        MaxAssignments=2,
        HITReviewPolicy=plurality(ExtendIfHITAgreementScoreIsLessThan="50", **EXTENSION),
    )

    answer(hit, ("q1", "a"))
    answer(hit, ("q1", "b"))

    told = client.get_hit(HITId=hit.external_id)["HIT"]
    assert (told["HITStatus"], told["MaxAssignments"], told["NumberOfAssignmentsAvailable"]) == (
        "Assignable",
        3,
        1,
    )
    assert balances(credentials.requester)["held"] == 3
    assert done_in(results(client, hit)["HITReviewReport"]) == [("extend", "HIT", "Succeeded")]


def test_plurality_disregards_whom_the_requester_told_it_to(client: Any) -> None:
    hit = create(
        client,
        MaxAssignments=3,
        AssignmentReviewPolicy=known(RejectIfKnownAnswerScoreIsLessThan="50"),
        HITReviewPolicy=plurality(DisregardAssignmentIfRejected="true"),
    )

    for given in (WRONG, RIGHT, RIGHT):
        answer(hit, *given)

    found = found_in(results(client, hit)["HITReviewReport"])
    assert ("", "HITAgreementScore", "100") in found
    assert [value for _, key, value in found if key == "WorkerAgreementScore"] == ["100", "100"]


def test_results_by_level_and_kind(client: Any) -> None:
    hit = create(
        client,
        AssignmentReviewPolicy=known(ApproveIfKnownAnswerScoreIsAtLeast="0"),
        HITReviewPolicy=plurality(),
    )
    answer(hit, *RIGHT)

    level = results(client, hit, PolicyLevels=["HIT"])
    only_actions = results(client, hit, RetrieveResults=False)
    only_results = results(client, hit, RetrieveActions=False)

    assert "AssignmentReviewReport" not in level
    assert len(level["HITReviewReport"]["ReviewResults"]) == 6
    assert found_in(only_actions["AssignmentReviewReport"]) == []
    assert done_in(only_actions["AssignmentReviewReport"]) == [("approve", "Assignment", "Succeeded")]
    assert done_in(only_results["AssignmentReviewReport"]) == []
    assert len(found_in(only_results["AssignmentReviewReport"])) == 3


def test_results_over_pages_come_once(client: Any) -> None:
    hit = create(client, AssignmentReviewPolicy=known(), MaxAssignments=3)
    for _ in range(3):
        answer(hit, *RIGHT)

    ids: list[str] = []
    token: dict[str, str] | None = {}
    while token is not None:
        page = client.list_review_policy_results_for_hit(HITId=hit.external_id, MaxResults=4, **token)
        ids += [one["ActionId"] for one in page["AssignmentReviewReport"]["ReviewResults"]]
        token = {"NextToken": page["NextToken"]} if "NextToken" in page else None

    assert ids == [row.external_id for row in PolicyOutcome.objects.order_by("pk")]
    assert len(ids) == 9


BAD: list[tuple[str, Any]] = [
    ("AssignmentReviewPolicy", {"PolicyName": "Unheard/2011-09-01"}),
    ("AssignmentReviewPolicy", {"PolicyName": PLURALITY, "Parameters": []}),
    ("HITReviewPolicy", {"PolicyName": KNOWN, "Parameters": [KEY]}),
    ("AssignmentReviewPolicy", policy(KNOWN)),
    ("AssignmentReviewPolicy", policy(KNOWN, AnswerKey="a")),
    ("AssignmentReviewPolicy", policy(KNOWN, {"Key": "AnswerKey", "MapEntries": [{"Values": ["a"]}]})),
    ("AssignmentReviewPolicy", known(ApproveIfKnownAnswerScoreIsAtLeast="many")),
    ("AssignmentReviewPolicy", known(ApproveIfKnownAnswerScoreIsAtLeast="-1")),
    ("AssignmentReviewPolicy", known(ApproveIfKnownAnswerScoreIsAtLeast="9" * 10)),
    (
        "AssignmentReviewPolicy",
        policy(KNOWN, KEY, {"Key": "ApproveIfKnownAnswerScoreIsAtLeast", "MapEntries": [{"Key": "a"}]}),
    ),
    ("AssignmentReviewPolicy", known(ExtendIfKnownAnswerScoreIsLessThan="50")),
    (
        "AssignmentReviewPolicy",
        known(ExtendIfKnownAnswerScoreIsLessThan="50", **{**EXTENSION, "ExtendMinimumTimeInSeconds": "3599"}),
    ),
    ("HITReviewPolicy", policy(PLURALITY, QuestionIds="q1")),
    ("HITReviewPolicy", policy(PLURALITY, QuestionAgreementThreshold="50")),
    ("HITReviewPolicy", plurality(QuestionAgreementThreshold="half")),
    ("HITReviewPolicy", plurality(ExtendIfHITAgreementScoreIsLessThan="50")),
]


def test_bad_policies_are_refused(client: Any, credentials: Credentials) -> None:
    for member, bad in BAD:
        refusal = refused(client.create_hit, **hit_input(**{member: bad}))

        assert (bad, refusal) == (bad, Refusal(kind="ParameterValidationError"))
    assert HIT.objects.count() == 0
    assert available(credentials.requester) == 3


def test_what_the_service_does_not_know_is_not_kept(sites: Sites, credentials: Credentials) -> None:
    """Unknown members are not checked either: they may hold what no database can store."""
    spoiled = {**known(), "Extra": "\0", "Parameters": [{**KEY, "\0": "\ud800"}]}
    body = hit_input(AssignmentReviewPolicy=spoiled)

    answer = send(signed(sites, credentials, operation="CreateHIT", body=body))

    assert answer.status == 200
    assert HIT.objects.get().assignment_review_policy == known()


@pytest.mark.parametrize(
    "parameters",
    [
        {"RejectReason": "x" * 1025},
        {"ApproveReason": "one\x01two"},
        {"QuestionIds": "q" * 129},
        {**EXTENSION, "ExtendIfHITAgreementScoreIsLessThan": "50", "ExtendMinimumTimeInSeconds": "31536001"},
        {**EXTENSION, "ExtendIfHITAgreementScoreIsLessThan": "50", "ExtendMaximumAssignments": "0"},
    ],
)
def test_policy_that_could_not_be_carried_out_is_refused(client: Any, parameters: dict[str, str]) -> None:
    refusal = refused(client.create_hit, **hit_input(HITReviewPolicy=plurality(**parameters)))

    assert refusal == Refusal(kind="ParameterValidationError")
    assert HIT.objects.count() == 0


def test_key_with_too_long_a_question_is_refused(client: Any) -> None:
    key = {"Key": "AnswerKey", "MapEntries": [{"Key": "q" * 129, "Values": ["a"]}]}

    refusal = refused(client.create_hit, **hit_input(AssignmentReviewPolicy=policy(KNOWN, key)))

    assert refusal == Refusal(kind="ParameterValidationError")
    assert HIT.objects.count() == 0


def test_hit_opened_again_is_judged_anew(client: Any) -> None:
    hit = create(client, MaxAssignments=2, HITReviewPolicy=plurality())
    answer(hit, *RIGHT)
    client.update_expiration_for_hit(HITId=hit.external_id, ExpireAt=0)
    client.update_expiration_for_hit(HITId=hit.external_id, ExpireAt=timezone.now() + timedelta(hours=1))
    answer(hit, *WRONG)

    report = results(client, hit)["HITReviewReport"]

    assert [one["Value"] for one in report["ReviewResults"] if one["Key"] == "HITAgreementScore"] == ["0"]
    assert len([one for one in report["ReviewResults"] if one["Key"] == "WorkerAgreementScore"]) == 2
