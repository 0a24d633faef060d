"""Qualifications in the Requester API: types, holders, and requests for them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.providers.gateway.interface import ProviderTest, QualificationRequest, QualifiedWorker
from hits.providers.gateway.responses import expect, read_qualified, read_request, reading

Read = TypeVar("Read")
# Codes for "this worker does not hold it": it was never granted, or it was revoked.
NOT_HELD = {"QualificationDoesNotExist", "InvalidQualificationState"}
# Codes for "nothing waits here": the request was decided already, or its worker took it back.
NOT_WAITING = {"QualificationRequestDoesNotExist", "InvalidQualificationRequestState"}
# Why a value is what it is, which the API has no parameter for. A provider that does not know the header
# ignores it; our marketplace shows it to the worker.
REASON, REASON_HEADER = "Reason", "X-Marketplace-Reason"
LONGEST_REASON = 500
GRANT = "mturk.AssociateQualificationWithWorker"


def send_reasons(events: Any) -> None:
    """Let a client send the reason of a grant as a header: the parameter itself would be refused."""
    events.register(f"before-parameter-build.{GRANT}", _take_reason)
    events.register(f"before-call.{GRANT}", _send_reason)


def _take_reason(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
    context[REASON_HEADER] = quote(params.pop(REASON, "")[:LONGEST_REASON], safe="")


def _send_reason(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
    if reason := context.get(REASON_HEADER):
        params["headers"][REASON_HEADER] = reason


@dataclass(frozen=True, kw_only=True)
class OwnType:
    external_id: str
    name: str


class BotoQualifications(ABC):
    """Part of BotoProvider that handles qualifications."""

    @abstractmethod
    def _call(self, operation: str, **parameters: Any) -> Any: ...

    @abstractmethod
    def _ask(self, operation: str, read: Callable[[Any], Read], **parameters: Any) -> Read: ...

    @abstractmethod
    def _pages(
        self, operation: str, member: str, read: Callable[[Any], Read], **parameters: Any
    ) -> Iterator[Read]: ...

    def create_qualification(
        self,
        *,
        name: str,
        description: str,
        keywords: str = "",
        retry_delay_s: int | None = None,
        test: ProviderTest | None = None,
    ) -> str:
        words = {"Keywords": keywords} if keywords else {}
        try:
            made = self._ask(
                "create_qualification_type",
                lambda answer: _read_type(answer["QualificationType"]),
                Name=name,
                QualificationTypeStatus="Active",
                **words,
                **_terms(description, retry_delay_s, test),
            )
        except ProviderRefused as refusal:
            if refusal.code != "QualificationTypeAlreadyExists":
                raise
            return self._find_by_name(name)
        with reading("create_qualification_type"):
            expect(made.name, name)
        return made.external_id

    def update_qualification(
        self,
        qualification_type_id: str,
        *,
        description: str,
        retry_delay_s: int | None = None,
        test: ProviderTest | None = None,
    ) -> None:
        terms = _terms(description, retry_delay_s, test)
        self._call("update_qualification_type", QualificationTypeId=qualification_type_id, **terms)

    def find_qualification(self, *, mark: str) -> str | None:
        for known in self._own_types(f"[{mark}]"):
            if known.name.endswith(f"[{mark}]"):
                return known.external_id
        return None

    def grant_qualification(
        self,
        qualification_type_id: str,
        *,
        worker_external_id: str,
        value: int = 1,
        notify: bool = True,
        reason: str = "",
    ) -> None:
        self._call(
            "associate_qualification_with_worker",
            QualificationTypeId=qualification_type_id,
            WorkerId=worker_external_id,
            IntegerValue=value,
            SendNotification=notify,
            **({REASON: reason} if reason else {}),
        )

    def revoke_qualification(
        self, qualification_type_id: str, *, worker_external_id: str, reason: str = ""
    ) -> None:
        try:
            self._call(
                "disassociate_qualification_from_worker",
                QualificationTypeId=qualification_type_id,
                WorkerId=worker_external_id,
                **({"Reason": reason} if reason else {}),
            )
        except ProviderRefused as refusal:
            if refusal.code not in NOT_HELD:
                raise

    def list_qualified(self, qualification_type_id: str) -> Iterator[QualifiedWorker]:
        return self._pages(
            "list_workers_with_qualification_type",
            "Qualifications",
            _of_type(qualification_type_id, read_qualified),
            QualificationTypeId=qualification_type_id,
            Status="Granted",
        )

    def list_qualification_requests(self, qualification_type_id: str) -> Iterator[QualificationRequest]:
        return self._pages(
            "list_qualification_requests",
            "QualificationRequests",
            _of_type(qualification_type_id, read_request),
            QualificationTypeId=qualification_type_id,
        )

    def accept_qualification_request(self, external_id: str, *, value: int) -> None:
        self._decide("accept_qualification_request", QualificationRequestId=external_id, IntegerValue=value)

    def reject_qualification_request(self, external_id: str, *, reason: str) -> None:
        self._decide("reject_qualification_request", QualificationRequestId=external_id, Reason=reason)

    def _decide(self, operation: str, **parameters: Any) -> None:
        try:
            self._call(operation, **parameters)
        except ProviderRefused as refusal:
            if refusal.code not in NOT_WAITING:
                raise

    def _find_by_name(self, name: str) -> str:
        """Return the type's id. A list that lacks it is behind, so the outcome is unknown until then."""
        for known in self._own_types(name):
            if known.name == name:
                return known.external_id
        raise ProviderUnavailable("list_qualification_types: it is not listed yet")

    def _own_types(self, words: str) -> Iterator[OwnType]:
        return self._pages(
            "list_qualification_types",
            "QualificationTypes",
            _read_type,
            Query=words,
            MustBeRequestable=False,
            MustBeOwnedByCaller=True,
        )


def _of_type(qualification_type_id: str, read: Callable[[Any], Read]) -> Callable[[Any], Read]:
    """Return a reader that checks the type. Some answers leave the type out; none may name another."""

    def read_own(row: Any) -> Read:
        expect(row.get("QualificationTypeId", qualification_type_id), qualification_type_id)
        return read(row)

    return read_own


def _read_type(row: Any) -> OwnType:
    return OwnType(external_id=str(row["QualificationTypeId"]), name=str(row["Name"]))


def _terms(description: str, retry_delay_s: int | None, test: ProviderTest | None) -> dict[str, Any]:
    """Return what a type can be made with and changed to. A term that is left out stays as it was."""
    terms: dict[str, Any] = {"Description": description}
    if retry_delay_s is not None:
        terms["RetryDelayInSeconds"] = retry_delay_s
    if test:
        terms |= {
            "Test": test.question_form,
            "AnswerKey": test.answer_key,
            "TestDurationInSeconds": test.duration_s,
        }
    return terms
