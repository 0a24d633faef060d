"""Broken answers, answers of another shape or to another question: the outcome stays unknown."""

import contextlib
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders

from hits.core.errors import ProviderUnavailable
from hits.providers.gateway.boto import EPOCH, BotoProvider, make_client
from hits.providers.gateway.interface import HITSpec

pytestmark = pytest.mark.pure
HIT = {
    "HITId": "HIT1",
    "RequesterAnnotation": "crowd:1",
    "HITStatus": "Assignable",
    "MaxAssignments": 3,
    "NumberOfAssignmentsAvailable": 3,
    "NumberOfAssignmentsPending": 0,
    "NumberOfAssignmentsCompleted": 0,
}
ASSIGNMENT = {
    "AssignmentId": "ASSIGNMENT1",
    "HITId": "HIT1",
    "WorkerId": "AWORKER",
    "AssignmentStatus": "Submitted",
    "AcceptTime": 1,
    "SubmitTime": 2,
}
BONUS = {"AssignmentId": "ASSIGNMENT1", "WorkerId": "AWORKER", "BonusAmount": "0.10", "Reason": "Well done."}
TYPE = {"QualificationTypeId": "TYPE1", "Name": "A name [mark]"}
SPEC = HITSpec(
    title="t",
    description="d",
    keywords="",
    reward=Decimal("0.10"),
    question_url="https://example.org",
    max_assignments=3,
    duration_s=60,
    lifetime_s=60,
    auto_approval_s=60,
    annotation="crowd:1",
)
Ask = Callable[[BotoProvider], Any]
READ: dict[str, Ask] = {
    "balance": lambda provider: provider.get_balance(),
    "create": lambda provider: provider.create_hit(SPEC, token=uuid4()),
    "hit": lambda provider: provider.get_hit("HIT1"),
    "hits": lambda provider: list(provider.list_hits()),
    "reviewable": lambda provider: list(provider.list_reviewable()),
    "assignment": lambda provider: provider.get_assignment("ASSIGNMENT1"),
    "assignments": lambda provider: list(provider.list_assignments("HIT1")),
    "bonuses": lambda provider: list(provider.list_bonuses(hit_external_id="HIT1")),
    "qualification": lambda provider: provider.create_qualification(name="A name [mark]", description="d"),
    "qualifications": lambda provider: provider.find_qualification(mark="mark"),
    "qualified": lambda provider: list(provider.list_qualified("TYPE1")),
    "requests": lambda provider: list(provider.list_qualification_requests("TYPE1")),
}
MEMBERS = ("HIT", "HITs", "Assignment", "Assignments", "BonusPayments", "QualificationType", "Qualifications")
SHAPES = [
    *("{}", "[]", "null", "7", '"text"', "", "not json", "<html></html>", '{"AvailableBalance": "much"}'),
    *(f'{{"{member}": {value}}}' for member in MEMBERS for value in ("7", '"text"', "[7]", "[{}]", "{}")),
]


@pytest.fixture
def answered() -> Callable[..., BotoProvider]:
    """Make a provider that gives these bodies one after the other, and then repeats the last one."""

    def make(*bodies: Any, epoch: str = "") -> BotoProvider:
        client = make_client(
            endpoint="http://127.0.0.1:9", access_key_id="k", secret_access_key="s", allow_amazon=False
        )
        left = [body if isinstance(body, str) else json.dumps(body) for body in bodies]

        def answer(request: AWSPreparedRequest, **_: object) -> AWSResponse:
            body = left.pop(0) if len(left) > 1 else left[0]
            headers = HTTPHeaders()
            headers["Content-Type"] = "application/x-amz-json-1.1"
            headers[EPOCH] = epoch
            return AWSResponse(request.url, 200, headers, _Body(body.encode()))

        client.meta.events.register("before-send.mturk", answer)
        return BotoProvider(client)

    return make


class _Body(BytesIO):
    def stream(self, **_: object) -> Iterator[bytes]:
        yield self.read()


@pytest.mark.parametrize("question", READ)
def test_what_has_another_shape_is_no_answer(answered: Callable[..., BotoProvider], question: str) -> None:
    provider = answered(*SHAPES)

    believed = []
    for shape in SHAPES:
        with contextlib.suppress(ProviderUnavailable):
            believed.append((shape, READ[question](provider)))

    assert believed == []


OTHERS = {
    "create": {"HIT": {**HIT, "RequesterAnnotation": "crowd:2"}},
    "hit": {"HIT": {**HIT, "HITId": "HIT2"}},
    "assignment": {"Assignment": {**ASSIGNMENT, "AssignmentId": "ASSIGNMENT2"}},
    "assignments": {"Assignments": [ASSIGNMENT, {**ASSIGNMENT, "HITId": "HIT2"}]},
    "qualification": {"QualificationType": {**TYPE, "Name": "Another [mark2]"}},
    "qualified": {"Qualifications": [{"QualificationTypeId": "TYPE2", "WorkerId": "A", "IntegerValue": 1}]},
    "requests": {
        "QualificationRequests": [
            {"QualificationTypeId": "TYPE2", "QualificationRequestId": "R", "WorkerId": "A"}
        ]
    },
}


@pytest.mark.parametrize("question", OTHERS)
def test_what_is_about_something_else_is_no_answer(
    answered: Callable[..., BotoProvider], question: str
) -> None:
    with pytest.raises(ProviderUnavailable):
        READ[question](answered(OTHERS[question]))


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("hits", {"HITs": [HIT], "NumResults": 2}),
        ("assignments", {"Assignments": [], "NumResults": 1}),
        ("bonuses", {"BonusPayments": [BONUS], "NumResults": 5}),
    ],
)
def test_a_page_that_lacks_what_it_counts_is_no_answer(
    answered: Callable[..., BotoProvider], question: str, page: Any
) -> None:
    with pytest.raises(ProviderUnavailable):
        READ[question](answered(page))


def test_a_page_that_comes_again_and_again_is_no_answer(answered: Callable[..., BotoProvider]) -> None:
    page = {"BonusPayments": [BONUS], "NumResults": 1, "NextToken": "the same"}

    with pytest.raises(ProviderUnavailable):
        READ["bonuses"](answered(page))


def test_a_list_goes_on_to_its_empty_page(answered: Callable[..., BotoProvider]) -> None:
    first, second = ({"BonusPayments": [BONUS], "NumResults": 1, "NextToken": token} for token in "ab")

    assert len(READ["bonuses"](answered(first, second, {"BonusPayments": [], "NumResults": 0}))) == 2


def test_a_short_page_of_our_own_marketplace_is_the_last(answered: Callable[..., BotoProvider]) -> None:
    page = {"BonusPayments": [BONUS], "NumResults": 1, "NextToken": "to an empty page"}

    assert len(READ["bonuses"](answered(page, epoch="1"))) == 1


def test_a_made_hit_whose_annotation_was_left_out_is_looked_at(
    answered: Callable[..., BotoProvider],
) -> None:
    bare = {key: value for key, value in HIT.items() if key != "RequesterAnnotation"}

    assert READ["create"](answered({"HIT": bare}, {"HIT": HIT})).annotation == "crowd:1"


def test_an_empty_list_is_believed_if_it_says_so(answered: Callable[..., BotoProvider]) -> None:
    assert READ["bonuses"](answered({"BonusPayments": [], "NumResults": 0})) == []


def test_whole_answers_are_read(answered: Callable[..., BotoProvider]) -> None:
    (bonus,) = READ["bonuses"](answered({"BonusPayments": [BONUS], "NumResults": 1}))
    (assignment,) = READ["assignments"](answered({"Assignments": [ASSIGNMENT], "NumResults": 1}))

    assert (bonus.amount, assignment.worker_external_id) == (Decimal("0.10"), "AWORKER")
