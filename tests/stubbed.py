"""A small model of MTurk's API behind botocore's Stubber, which checks every request and answer by shape."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from itertools import count
from threading import Lock
from typing import Any

from botocore.stub import Stubber

from hits.providers.gateway.boto import BotoProvider
from hits.providers.gateway.boto_qualifications import send_reasons
from tests.aws import make_client
from tests.factories import NOW

ANSWER = (
    '<QuestionFormAnswers xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/'
    '2005-10-01/QuestionFormAnswers.xsd">{}</QuestionFormAnswers>'
)
FIELD = "<Answer><QuestionIdentifier>{}</QuestionIdentifier><FreeText>{}</FreeText></Answer>"


class Refused(Exception):
    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message or code)
        self.code = code


class StubbedTurk:
    """A provider without a socket. `faults[operation]` lists faults: before, after, refused, unheard.

    "Unheard" is a yes that was meant for another request: nothing was done.
    """

    def __init__(self, *, balance: Decimal = Decimal(100)) -> None:
        self.balance = balance
        self.hits: dict[str, dict[str, Any]] = {}
        self.assignments: dict[str, dict[str, Any]] = {}
        self.bonuses: list[dict[str, Any]] = []
        self.tokens: dict[str, str] = {}
        self.faults: dict[str, list[str]] = {}
        self.calls: list[str] = []
        self.letters: list[tuple[str, str, str]] = []
        self.strangers: set[str] = {"ANOBODY"}  # workers that the provider does not know
        self.blocked: dict[str, str] = {}
        self.notifications: dict[str, Any] = {}
        self.qualified: dict[str, list[str]] = {}
        self.qualification_types: dict[str, str] = {}
        self.qualification_terms: dict[str, dict[str, Any]] = {}
        self.qualification_values: dict[tuple[str, str], int] = {}  # of (type, worker); 1 if not here
        self.qualification_requests: dict[str, tuple[str, str]] = {}  # type and worker, by the request's id
        self.feedback: dict[str, str] = {}  # what workers read with decided work
        self.end_reasons: dict[str, str] = {}  # what the operator writes of HITs that they took down
        self.reasons: list[tuple[str, str]] = []  # shown to workers when something was taken or denied
        self._ids = count(1)
        self._client = make_client("mturk", aws_access_key_id="k", aws_secret_access_key="s")
        send_reasons(self._client.meta.events)
        self._stubber = Stubber(self._client)
        self._stubber.activate()
        self._turn = Lock()
        self.provider = BotoProvider(self)

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        """Offer every operation of the API as a method, as the client does that BotoProvider expects."""
        if operation.startswith("_"):
            raise AttributeError(operation)
        return lambda **params: self._call(operation, params)

    def submit(self, hit: str, **answers: str) -> tuple[str, str]:
        """Submit work of a new worker. Returns the ids of the assignment and of the worker."""
        number = next(self._ids)
        assignment, worker = f"ASSIGNMENT{number:020}", f"AWORKER{number}"
        self.assignments[assignment] = {
            "AssignmentId": assignment,
            "WorkerId": worker,
            "HITId": hit,
            "AssignmentStatus": "Submitted",
            "AcceptTime": NOW,
            "SubmitTime": NOW + timedelta(minutes=1),
            "Answer": ANSWER.format("".join(FIELD.format(*item) for item in answers.items())),
        }
        return assignment, worker

    def reject(self, assignment: str) -> None:
        self.assignments[assignment]["AssignmentStatus"] = "Rejected"

    def _call(self, operation: str, params: dict[str, Any]) -> Any:
        self.calls.append(operation)
        fault = (self.faults.get(operation) or [""]).pop(0)
        try:
            if fault == "before":
                raise Refused("ServiceFault")
            if fault == "refused":
                raise Refused("InvalidParameterValue", "Not today.")
            answer = {} if fault == "unheard" else getattr(self, f"_{operation}")(**params)
            if fault == "after":
                raise Refused("ServiceFault")
        except Refused as refusal:
            return self._answer(operation, params, refusal=refusal)
        return self._answer(operation, params, answer)

    def _answer(
        self, operation: str, params: dict[str, Any], answer: Any = None, *, refusal: Refused | None = None
    ) -> Any:
        """Answer a call; locked, because the stubber gives its answers in their order."""
        with self._turn:
            if refusal is None:
                self._stubber.add_response(operation, answer, params)
            else:
                self._stubber.add_client_error(
                    operation,
                    service_error_code="ServiceFault" if refusal.code == "ServiceFault" else "RequestError",
                    service_message=str(refusal),
                    http_status_code=500 if refusal.code == "ServiceFault" else 400,
                    expected_params=params,
                    modeled_fields={"TurkErrorCode": f"AWS.MechanicalTurk.{refusal.code}"},
                )
            return getattr(self._client, operation)(**params)

    def _get_account_balance(self) -> Any:
        return {"AvailableBalance": f"{self.balance:.2f}"}

    def _create_hit(self, *, UniqueRequestToken: str, **terms: Any) -> Any:
        if UniqueRequestToken in self.tokens:
            raise Refused("HitAlreadyExists", f"It made {self.tokens[UniqueRequestToken]}.")
        cost = Decimal(terms["Reward"]) * terms["MaxAssignments"]
        if cost > self.balance:
            raise Refused("InsufficientFunds")
        self.balance -= cost
        hit = f"HIT{next(self._ids):027}"
        self.tokens[UniqueRequestToken] = hit
        self.hits[hit] = {
            "HITId": hit,
            "RequesterAnnotation": terms["RequesterAnnotation"],
            "MaxAssignments": terms["MaxAssignments"],
            "expired": False,
            "seen": False,
            "HITTypeId": "TYPE" + hashlib.sha256(terms["Title"].encode()).hexdigest()[:26].upper(),
            "Question": terms["Question"],
            "Expiration": NOW + timedelta(seconds=terms["LifetimeInSeconds"]),
        }
        return {"HIT": self._describe(hit)}

    def _get_hit(self, *, HITId: str) -> Any:
        if HITId not in self.hits:
            raise Refused("HITDoesNotExist", f"HIT {HITId} does not exist.")
        return {"HIT": self._describe(HITId)}

    def _list_review_policy_results_for_hit(self, *, HITId: str, PolicyLevels: list[str], **_: Any) -> Any:
        about = {"ActionId": "ACTION", "SubjectId": HITId, "SubjectType": "HIT"}
        told = [self.end_reasons[HITId]] if HITId in self.end_reasons else []
        results = [{**about, "Key": "TakenDownBecause", "Value": reason} for reason in told]
        return {"HITId": HITId, f"{PolicyLevels[0]}ReviewReport": {"ReviewResults": results}}

    def _list_hits(self, **page: Any) -> Any:
        return self._page("HITs", [self._describe(hit) for hit in reversed(self.hits)], page)

    def _update_expiration_for_hit(self, *, HITId: str, ExpireAt: Any) -> Any:
        self.hits[HITId]["expired"] = ExpireAt == 0
        self.hits[HITId]["Expiration"] = ExpireAt or NOW
        return {}

    def _create_additional_assignments_for_hit(
        self, *, HITId: str, NumberOfAdditionalAssignments: int, UniqueRequestToken: str
    ) -> Any:
        if UniqueRequestToken in self.tokens:
            raise Refused("InvalidParameterValue", "The token has been used.")
        self.tokens[UniqueRequestToken] = HITId
        self.hits[HITId]["MaxAssignments"] += NumberOfAdditionalAssignments
        return {}

    def _list_reviewable_hits(self, *, Status: str, **page: Any) -> Any:
        described = [self._describe(hit) for hit in self.hits]
        return self._page(
            "HITs", [{"HITId": row["HITId"]} for row in described if row["HITStatus"] == Status], page
        )

    def _update_hit_review_status(self, *, HITId: str, Revert: bool) -> Any:
        if self._describe(HITId)["HITStatus"] != "Reviewable":
            raise Refused("InvalidHITState")
        self.hits[HITId]["seen"] = True
        return {}

    def _notify_workers(self, *, Subject: str, MessageText: str, WorkerIds: list[str]) -> Any:
        self.letters += [
            (worker, Subject, MessageText) for worker in WorkerIds if worker not in self.strangers
        ]
        failed = [
            {
                "WorkerId": worker,
                "NotifyWorkersFailureCode": "HardFailure",
                "NotifyWorkersFailureMessage": "We have no such worker.",
            }
            for worker in WorkerIds
            if worker in self.strangers
        ]
        return {"NotifyWorkersFailureStatuses": failed}

    def _create_worker_block(self, *, WorkerId: str, Reason: str) -> Any:
        if WorkerId in self.strangers:
            raise Refused("InvalidParameterValue", "There is no such worker.")
        self.blocked[WorkerId] = Reason
        return {}

    def _delete_worker_block(self, *, WorkerId: str) -> Any:
        self.blocked.pop(WorkerId, None)
        return {}

    def _list_worker_blocks(self, **page: Any) -> Any:
        rows = [{"WorkerId": worker, "Reason": reason} for worker, reason in self.blocked.items()]
        return self._page("WorkerBlocks", rows, page)

    def _update_notification_settings(self, *, HITTypeId: str, Notification: Any, Active: bool) -> Any:
        self.notifications[HITTypeId] = Notification
        return {}

    def _create_qualification_type(self, *, Name: str, QualificationTypeStatus: str, **terms: Any) -> Any:
        if Name in self.qualification_types.values():
            raise Refused("QualificationTypeAlreadyExists", "You have one with this name.")
        external_id = f"QUALIFICATION{next(self._ids):020}"
        self.qualification_types[external_id] = Name
        self.qualification_terms[external_id] = terms
        return {"QualificationType": {"QualificationTypeId": external_id, "Name": Name}}

    def _update_qualification_type(self, *, QualificationTypeId: str, **terms: Any) -> Any:
        if QualificationTypeId not in self.qualification_types:
            raise Refused("QualificationTypeDoesNotExist")
        self.qualification_terms[QualificationTypeId] |= terms
        return {"QualificationType": {"QualificationTypeId": QualificationTypeId}}

    def _list_qualification_types(
        self, *, Query: str, MustBeRequestable: bool, MustBeOwnedByCaller: bool, **page: Any
    ) -> Any:
        rows = [
            {"QualificationTypeId": external_id, "Name": name}
            for external_id, name in self.qualification_types.items()
            if Query in name
        ]
        return self._page("QualificationTypes", rows, page)

    def ask_for_qualification(self, qualification_type: str, *, worker: str) -> str:
        """Ask for a qualification as a worker. Returns the id of the request."""
        request = f"REQUEST{next(self._ids):020}"
        self.qualification_requests[request] = (qualification_type, worker)
        return request

    def _associate_qualification_with_worker(
        self,
        *,
        QualificationTypeId: str,
        WorkerId: str,
        IntegerValue: int,
        SendNotification: bool,
        Reason: str = "",
    ) -> Any:
        if WorkerId in self.strangers:
            raise Refused("InvalidParameterValue", f"There is no worker {WorkerId}.")
        self.reasons += [(WorkerId, Reason)] if Reason else []
        self._give(QualificationTypeId, WorkerId, IntegerValue)
        return {}

    def _give(self, qualification_type: str, worker: str, value: int) -> None:
        held = self.qualified.setdefault(qualification_type, [])
        if worker not in held:
            held.append(worker)
        self.qualification_values[qualification_type, worker] = value

    def _disassociate_qualification_from_worker(
        self, *, QualificationTypeId: str, WorkerId: str, Reason: str = ""
    ) -> Any:
        if WorkerId in self.strangers:
            raise Refused("InvalidParameterValue", f"There is no worker {WorkerId}.")
        if WorkerId not in self.qualified.get(QualificationTypeId, []):
            raise Refused("QualificationDoesNotExist")
        self.qualified[QualificationTypeId].remove(WorkerId)
        self.reasons.append((WorkerId, Reason))
        return {}

    def _list_qualification_requests(self, *, QualificationTypeId: str, **page: Any) -> Any:
        rows = [
            {"QualificationRequestId": request, "QualificationTypeId": wanted, "WorkerId": worker}
            for request, (wanted, worker) in self.qualification_requests.items()
            if wanted == QualificationTypeId
        ]
        return self._page("QualificationRequests", rows, page)

    def _accept_qualification_request(self, *, QualificationRequestId: str, IntegerValue: int) -> Any:
        if QualificationRequestId not in self.qualification_requests:
            raise Refused("QualificationRequestDoesNotExist")
        self._give(*self.qualification_requests.pop(QualificationRequestId), IntegerValue)
        return {}

    def _reject_qualification_request(self, *, QualificationRequestId: str, Reason: str) -> Any:
        if QualificationRequestId not in self.qualification_requests:
            raise Refused("QualificationRequestDoesNotExist")
        _, worker = self.qualification_requests.pop(QualificationRequestId)
        self.reasons.append((worker, Reason))
        return {}

    def _list_workers_with_qualification_type(
        self, *, QualificationTypeId: str, Status: str, **page: Any
    ) -> Any:
        rows = [
            {
                "WorkerId": worker,
                "Status": Status,
                "IntegerValue": self.qualification_values.get((QualificationTypeId, worker), 1),
            }
            for worker in self.qualified.get(QualificationTypeId, [])
        ]
        return self._page("Qualifications", rows, page)

    def _list_assignments_for_hit(self, *, HITId: str, **page: Any) -> Any:
        if HITId not in self.hits:
            raise Refused("HITDoesNotExist", f"HIT {HITId} does not exist.")
        rows = [row for row in self.assignments.values() if row["HITId"] == HITId]
        return self._page("Assignments", rows, page)

    def _get_assignment(self, *, AssignmentId: str) -> Any:
        if AssignmentId not in self.assignments:
            raise Refused("AssignmentDoesNotExist")
        return {"Assignment": self.assignments[AssignmentId]}

    def _approve_assignment(
        self, *, AssignmentId: str, RequesterFeedback: str = "", OverrideRejection: bool = False
    ) -> Any:
        wanted = ("Submitted", "Rejected") if OverrideRejection else ("Submitted",)
        if self.assignments[AssignmentId]["AssignmentStatus"] not in wanted:
            raise Refused("InvalidAssignmentState")
        self.assignments[AssignmentId]["AssignmentStatus"] = "Approved"
        self.feedback[AssignmentId] = RequesterFeedback
        return {}

    def _reject_assignment(self, *, AssignmentId: str, RequesterFeedback: str) -> Any:
        if self.assignments[AssignmentId]["AssignmentStatus"] != "Submitted":
            raise Refused("InvalidAssignmentState")
        self.assignments[AssignmentId]["AssignmentStatus"] = "Rejected"
        self.feedback[AssignmentId] = RequesterFeedback
        return {}

    def _send_bonus(self, *, UniqueRequestToken: str, **payment: Any) -> Any:
        if UniqueRequestToken in self.tokens:
            raise Refused("InvalidParameterValue", "The token has been used.")
        if Decimal(payment["BonusAmount"]) > self.balance:
            raise Refused("InsufficientFunds")
        if payment["AssignmentId"] not in self.assignments:
            raise Refused("AssignmentDoesNotExist")
        if self.assignments[payment["AssignmentId"]]["WorkerId"] != payment["WorkerId"]:
            raise Refused("InvalidParameterValue", "Another worker did it.")
        self.tokens[UniqueRequestToken] = payment["AssignmentId"]
        self.balance -= Decimal(payment["BonusAmount"])
        self.bonuses.append(payment)
        return {}

    def _list_bonus_payments(self, *, HITId: str, **page: Any) -> Any:
        of_hit = [row for row in self.bonuses if self.assignments[row["AssignmentId"]]["HITId"] == HITId]
        return self._page("BonusPayments", of_hit, page)

    def _describe(self, hit: str) -> dict[str, Any]:
        row = self.hits[hit]
        handed_in = [work for work in self.assignments.values() if work["HITId"] == hit]
        done = len(handed_in)
        left = 0 if row["expired"] else row["MaxAssignments"] - done
        return {
            "HITId": hit,
            "RequesterAnnotation": row["RequesterAnnotation"],
            "HITTypeId": row["HITTypeId"],
            "HITStatus": "Assignable" if left > 0 else "Reviewing" if row["seen"] else "Reviewable",
            "Question": row["Question"],
            "Expiration": row["Expiration"],
            "MaxAssignments": row["MaxAssignments"],
            "NumberOfAssignmentsAvailable": left,
            "NumberOfAssignmentsPending": 0,
            "NumberOfAssignmentsCompleted": sum(
                work["AssignmentStatus"] != "Submitted" for work in handed_in
            ),
        }

    def _page(self, name: str, rows: list[Any], page: dict[str, Any]) -> dict[str, Any]:
        start, size = int(page.get("NextToken", 0)), page["MaxResults"]
        more = {"NextToken": str(start + size)} if start + size < len(rows) else {}
        shown = rows[start : start + size]
        return {name: shown, "NumResults": len(shown), **more}
