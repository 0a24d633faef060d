"""Readers of the Requester API's answers. An unreadable one, or one about something else, counts as none."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import ParseError

from botocore.parsers import ResponseParserError
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from hits.core.errors import ProviderUnavailable
from hits.providers.gateway.interface import (
    ProviderAssignment,
    ProviderBonus,
    ProviderHIT,
    QualificationRequest,
    QualifiedWorker,
)

ANSWERS = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"
)
# Key of the result by which our own marketplace says why its operator took a HIT down.
TAKEN_DOWN = "TakenDownBecause"
MALFORMED = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, ResponseParserError)


class AboutSomethingElse(ValueError):
    """An old answer, or one to another question, as broken proxies and caches give them."""


@contextmanager
def reading(operation: str) -> Iterator[None]:
    """Raise ProviderUnavailable for an unreadable answer: the caller knows no more than before."""
    try:
        yield
    except MALFORMED as error:
        raise ProviderUnavailable(f"{operation}: unreadable ({type(error).__name__})") from error


def expect(told: str, wanted: str) -> None:
    if told != wanted:
        raise AboutSomethingElse


def read_hit(row: Any) -> ProviderHIT:
    return ProviderHIT(
        external_id=_text(row["HITId"]),
        annotation=row.get("RequesterAnnotation", ""),
        status=row["HITStatus"],
        max_assignments=_count(row["MaxAssignments"]),
        available=_count(row["NumberOfAssignmentsAvailable"]),
        pending=_count(row["NumberOfAssignmentsPending"]),
        completed=_count(row["NumberOfAssignmentsCompleted"]),
        hit_type_id=row.get("HITTypeId", ""),
        expires_at=row.get("Expiration"),
        question=row.get("Question", ""),
    )


def read_assignment(row: Any) -> ProviderAssignment:
    return ProviderAssignment(
        external_id=_text(row["AssignmentId"]),
        hit_external_id=_text(row["HITId"]),
        worker_external_id=_text(row["WorkerId"]),
        status=row["AssignmentStatus"],
        accepted_at=row["AcceptTime"],
        submitted_at=row["SubmitTime"],
        answers=read_fields(row.get("Answer", "")),
        auto_approves_at=row.get("AutoApprovalTime"),
        approved_at=row.get("ApprovalTime"),
        rejected_at=row.get("RejectionTime"),
    )


def read_fields(xml: str) -> dict[str, str]:
    """Return the fields of untrusted XML. An unreadable answer has none; the provider has the original."""
    try:
        root = fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return {}
    return {
        answer.findtext(f"{ANSWERS}QuestionIdentifier", ""): answer.findtext(f"{ANSWERS}FreeText", "")
        for answer in root.iter(f"{ANSWERS}Answer")
    }


def read_bonus(row: Any) -> ProviderBonus:
    return ProviderBonus(
        assignment_external_id=_text(row["AssignmentId"]),
        worker_external_id=_text(row["WorkerId"]),
        amount=Decimal(row["BonusAmount"]),
        reason=row["Reason"],
        granted_at=row.get("GrantTime"),
    )


def read_end_reason(answer: Any) -> str:
    """Return the reason of the last take-down in one line, or nothing."""
    results = answer.get("HITReviewReport", {}).get("ReviewResults", [])
    told = [str(row.get("Value", "")) for row in results if row.get("Key") == TAKEN_DOWN]
    return " ".join(told[-1].replace("\0", "").split()) if told else ""


def read_qualified(row: Any) -> QualifiedWorker:
    return QualifiedWorker(worker_external_id=_text(row["WorkerId"]), value=row["IntegerValue"])


def read_request(row: Any) -> QualificationRequest:
    return QualificationRequest(
        external_id=_text(row["QualificationRequestId"]), worker_external_id=_text(row["WorkerId"])
    )


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise TypeError
    return value
