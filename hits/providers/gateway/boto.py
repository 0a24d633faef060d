"""Client of the Requester API, through boto3."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from decimal import Decimal
from functools import cache
from traceback import walk_tb
from typing import Any, TypeVar
from uuid import UUID
from xml.sax.saxutils import escape

import boto3
import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError
from botocore.loaders import Loader

from hits.common.watching.timings import timed
from hits.core.domain.sameness import is_amazon
from hits.core.errors import CrowdError, ProviderRefused, ProviderUnavailable
from hits.providers.gateway.boto_qualifications import BotoQualifications, send_reasons
from hits.providers.gateway.calls import CALLS, told_by_errors
from hits.providers.gateway.interface import (
    HITSpec,
    NotDelivered,
    OfferedFilter,
    ProviderAssignment,
    ProviderBonus,
    ProviderHIT,
    ProviderVisit,
)
from hits.providers.gateway.pacing import LONGEST_EPOCH, Line, compare_epoch
from hits.providers.gateway.responses import (
    MALFORMED,
    AboutSomethingElse,
    expect,
    read_assignment,
    read_bonus,
    read_end_reason,
    read_hit,
    reading,
)
from hits.providers.gateway.standstill import refuse_to_tell

Read = TypeVar("Read")

PAGE_SIZE = 100
# Header of our own marketplace: its epoch, which changes when its data is restored from a copy.
EPOCH = "x-marketplace-epoch"
EVENTS = [
    "AssignmentAccepted",
    "AssignmentAbandoned",
    "AssignmentReturned",
    "AssignmentSubmitted",
    "AssignmentApproved",
    "AssignmentRejected",
    "HITReviewable",
    "HITExpired",
    "HITExtended",
    "HITDisposed",
]
QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/'
    '2006-07-14/ExternalQuestion.xsd"><ExternalURL>{url}</ExternalURL><FrameHeight>0</FrameHeight>'
    "</ExternalQuestion>"
)
# botocore repeats these by itself; if one still comes through, the outcome is unknown.
UNCLEAR = {"ThrottlingException", "ServiceFault", "InternalFailure", "ServiceUnavailable"}

# Given here, it is not put together anew for each call from twenty parts.
NAMED = Config(user_agent=f"crowd boto3/{boto3.__version__}")
PATIENT = NAMED.merge(
    Config(retries={"mode": "standard", "total_max_attempts": 5}, connect_timeout=5, read_timeout=30)
)
QUICK = NAMED.merge(
    Config(retries={"mode": "standard", "total_max_attempts": 1}, connect_timeout=2, read_timeout=4)
)


def make_client(
    *, endpoint: str, access_key_id: str, secret_access_key: str, allow_amazon: bool, quick: bool = False
) -> Any:
    """Return a client of the explicit endpoint. Amazon's own is refused unless it is switched on."""
    if is_amazon(endpoint) and not allow_amazon:
        raise ProviderRefused(
            f"{endpoint} is Amazon's own service and may cost real money. "
            "Set CROWD_ALLOW_AMAZON=true if that is what you want.",
            code="AmazonNotAllowed",
        )
    try:
        return _make_client(endpoint, access_key_id, secret_access_key, QUICK if quick else PATIENT)
    except ValueError as error:
        raise ProviderRefused(f"The endpoint cannot be used: {error}", code="BadEndpoint") from error


def _make_client(endpoint: str, access_key_id: str, secret_access_key: str, config: Config) -> Any:
    core = botocore.session.get_session()
    core.register_component("data_loader", _loader())
    client = boto3.session.Session(botocore_session=core).client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=endpoint,
        aws_access_key_id=access_key_id,
        aws_secret_access_key=secret_access_key,
        config=config,
    )
    send_reasons(client.meta.events)
    return client


@cache
def _loader() -> Loader:
    """Return the loader of the client's definitions, which are read once a process, not per client."""
    loader: Loader = botocore.session.get_session().get_component("data_loader")
    return loader


class BotoProvider(BotoQualifications):
    """The Requester API as a Provider. Without a line, calls leave at once, and no answer is recorded.

    Without an account, no standstill ever keeps it from telling the provider something.
    """

    def __init__(self, client: Any, *, line: Line | None = None, account_id: int | None = None) -> None:
        self._client = client
        self._line = line
        self._account_id = account_id

    def get_balance(self) -> Decimal:
        return self._ask("get_account_balance", lambda answer: Decimal(answer["AvailableBalance"]))

    def cost_of(self, *, reward: Decimal, places: int) -> Decimal:
        raise ProviderRefused("The Requester API does not say what work costs.", code="NotTold")

    def list_filters(self) -> Iterator[OfferedFilter]:
        return iter(())

    def create_hit(self, spec: HITSpec, *, token: UUID) -> ProviderHIT:
        try:
            created = self._ask(
                "create_hit",
                lambda answer: read_hit(answer["HIT"]),
                Title=spec.title,
                Description=spec.description,
                Keywords=spec.keywords,
                Reward=f"{spec.reward:.2f}",
                Question=QUESTION.format(url=escape(spec.question_url)),
                MaxAssignments=spec.max_assignments,
                AssignmentDurationInSeconds=spec.duration_s,
                LifetimeInSeconds=spec.lifetime_s,
                AutoApprovalDelayInSeconds=spec.auto_approval_s,
                RequesterAnnotation=spec.annotation,
                QualificationRequirements=list(spec.requirements),
                UniqueRequestToken=str(token),
            )
        except ProviderRefused as refusal:
            if refusal.code != "HitAlreadyExists":
                raise
            return self._find_repeated(refusal, annotation=spec.annotation)
        return self._check_ours(created, annotation=spec.annotation)

    def get_hit(self, external_id: str) -> ProviderHIT:
        def read(answer: Any) -> ProviderHIT:
            hit = read_hit(answer["HIT"])
            expect(hit.external_id, external_id)
            return hit

        return self._ask("get_hit", read, HITId=external_id)

    def get_end_reason(self, external_id: str) -> str:
        def read(answer: Any) -> str:
            expect(answer["HITId"], external_id)
            return read_end_reason(answer)

        return self._ask(
            "list_review_policy_results_for_hit",
            read,
            HITId=external_id,
            PolicyLevels=["HIT"],
            RetrieveActions=False,
            RetrieveResults=True,
            MaxResults=PAGE_SIZE,
        )

    def expire_hit(self, external_id: str) -> None:
        self._call("update_expiration_for_hit", HITId=external_id, ExpireAt=0)

    def extend_hit(self, external_id: str, *, expires_at: datetime) -> None:
        self._call("update_expiration_for_hit", HITId=external_id, ExpireAt=expires_at)

    def add_places(self, external_id: str, *, places: int, token: UUID) -> None:
        self._call(
            "create_additional_assignments_for_hit",
            HITId=external_id,
            NumberOfAdditionalAssignments=places,
            UniqueRequestToken=str(token),
        )

    def list_reviewable(self) -> Iterator[str]:
        return self._pages("list_reviewable_hits", "HITs", lambda row: str(row["HITId"]), Status="Reviewable")

    def mark_seen(self, external_id: str) -> None:
        """Mark the HIT as seen. There is no token for this: a refusal is checked against the HIT."""
        try:
            self._call("update_hit_review_status", HITId=external_id, Revert=False)
        except ProviderRefused:
            if self.get_hit(external_id).status not in ("Reviewing", "Disposed"):
                raise

    def list_hits(self) -> Iterator[ProviderHIT]:
        return self._pages("list_hits", "HITs", read_hit)

    def list_assignments(self, hit_external_id: str) -> Iterator[ProviderAssignment]:
        def read(row: Any) -> ProviderAssignment:
            assignment = read_assignment(row)
            expect(assignment.hit_external_id, hit_external_id)
            return assignment

        return self._pages("list_assignments_for_hit", "Assignments", read, HITId=hit_external_id)

    def get_assignment(self, external_id: str) -> ProviderAssignment:
        def read(answer: Any) -> ProviderAssignment:
            assignment = read_assignment(answer["Assignment"])
            expect(assignment.external_id, external_id)
            return assignment

        return self._ask("get_assignment", read, AssignmentId=external_id)

    def find_visit(self, external_id: str) -> ProviderVisit:
        raise ProviderRefused("Visits are proven by tickets and events here.", code="NotVerified")

    def approve_assignment(self, external_id: str, *, feedback: str = "", override: bool = False) -> None:
        parameters: dict[str, Any] = {"AssignmentId": external_id}
        if feedback:
            parameters["RequesterFeedback"] = feedback
        if override:
            parameters["OverrideRejection"] = True
        self._review("approve_assignment", "Approved", parameters)

    def reject_assignment(self, external_id: str, *, feedback: str, category: str = "") -> None:
        parameters = {"AssignmentId": external_id, "RequesterFeedback": feedback}
        self._review("reject_assignment", "Rejected", parameters)

    def prepare_bonus(self, *, assignment_external_id: str, amount: Decimal) -> str:
        return ""

    def send_bonus(
        self,
        *,
        assignment_external_id: str,
        worker_external_id: str,
        amount: Decimal,
        reason: str,
        token: UUID,
        prepared: str = "",
    ) -> None:
        self._call(
            "send_bonus",
            AssignmentId=assignment_external_id,
            WorkerId=worker_external_id,
            BonusAmount=f"{amount:.2f}",
            Reason=reason,
            UniqueRequestToken=str(token),
        )

    def list_bonuses(self, *, hit_external_id: str) -> Iterator[ProviderBonus]:
        return self._pages("list_bonus_payments", "BonusPayments", read_bonus, HITId=hit_external_id)

    def list_bonuses_of(self, assignment_external_id: str) -> Sequence[ProviderBonus]:
        hit = self.get_assignment(assignment_external_id).hit_external_id
        listed = self.list_bonuses(hit_external_id=hit)
        return [paid for paid in listed if paid.assignment_external_id == assignment_external_id]

    def notify_workers(
        self, *, subject: str, text: str, worker_external_ids: Sequence[str]
    ) -> list[NotDelivered]:
        return self._ask(
            "notify_workers",
            lambda answer: [
                NotDelivered(
                    worker_external_id=row["WorkerId"],
                    reason=f"{row.get('NotifyWorkersFailureCode', '')}: "
                    f"{row.get('NotifyWorkersFailureMessage', '')}",
                )
                for row in answer.get("NotifyWorkersFailureStatuses", [])
            ],
            Subject=subject,
            MessageText=text,
            WorkerIds=list(worker_external_ids),
        )

    def block_worker(self, external_id: str, *, reason: str) -> None:
        self._call("create_worker_block", WorkerId=external_id, Reason=reason)

    def unblock_worker(self, external_id: str) -> None:
        self._call("delete_worker_block", WorkerId=external_id)

    def list_blocked(self) -> Iterator[str]:
        return self._pages("list_worker_blocks", "WorkerBlocks", lambda row: str(row["WorkerId"]))

    def notify_events(self, hit_type_id: str, *, transport: str, destination: str) -> None:
        notification = {
            "Destination": destination,
            "Transport": transport,
            "Version": "2014-08-15",
            "EventTypes": EVENTS,
        }
        self._call(
            "update_notification_settings", HITTypeId=hit_type_id, Notification=notification, Active=True
        )

    def subscribe_hooks(self, *, target: str) -> str:
        raise ProviderRefused("The Requester API tells of events by HIT type.", code="NoHooks")

    def _review(self, operation: str, wanted: str, parameters: dict[str, Any]) -> None:
        """Approve or reject. There is no token for this: a refusal is checked against the assignment."""
        try:
            self._call(operation, **parameters)
        except ProviderRefused:
            if self.get_assignment(parameters["AssignmentId"]).status != wanted:
                raise

    def _find_repeated(self, refusal: ProviderRefused, *, annotation: str) -> ProviderHIT:
        """Return the HIT that the refusal names if it has our annotation; otherwise raise the refusal."""
        for candidate in re.findall(r"\b[A-Z0-9]{20,}\b", str(refusal)):
            hit = self.get_hit(candidate)
            if hit.annotation == annotation:
                return hit
        raise refusal

    def _check_ours(self, created: ProviderHIT, *, annotation: str) -> ProviderHIT:
        """Return the created HIT. One with another annotation is not ours: the token asks again."""
        if created.annotation == annotation:
            return created
        known = self.get_hit(created.external_id)  # some answers leave the annotation out
        with reading("create_hit"):
            expect(known.annotation, annotation)
        return known

    def _pages(
        self, operation: str, member: str, read: Callable[[Any], Read], **parameters: Any
    ) -> Iterator[Read]:
        """Yield the rows of all pages. A page is read whole before any row of it is believed.

        A provider may name a next page after each that has rows, so that an empty one ends the list. Our own
        marketplace never makes a page shorter than was asked but for the last: that call is spared.
        """
        token: dict[str, str] = {}
        seen: set[str] = set()

        def read_page(page: Any) -> tuple[list[Read], str]:
            rows, following = [read(row) for row in page[member]], page.get("NextToken", "")
            # The number must agree: botocore reads an object in place of the list as an empty list.
            if page.get("NumResults", len(rows) or None) != len(rows) or following in seen:
                raise AboutSomethingElse
            is_last = len(rows) < PAGE_SIZE and _epoch_of(page) != ""
            return rows, "" if is_last else following

        while True:
            rows, following = self._ask(operation, read_page, MaxResults=PAGE_SIZE, **parameters, **token)
            yield from rows
            if not following:
                return
            seen.add(following)
            token = {"NextToken": following}

    def _call(self, operation: str, **parameters: Any) -> Any:
        return self._ask(operation, lambda answer: answer, **parameters)

    def _ask(self, operation: str, read: Callable[[Any], Read], **parameters: Any) -> Read:
        if self._account_id is not None:
            refuse_to_tell(operation, account_id=self._account_id)
        line = self._line.turn() if self._line else nullcontext()
        with line, timed(CALLS, operation) as outcome, told_by_errors(outcome):
            answer = self._send(operation, **parameters)
            self._hear(answer)
            with reading(operation):
                return read(answer)

    def _hear(self, answer: Any) -> None:
        """Note the provider's epoch: restored data is not believed before both sides were compared."""
        epoch = _epoch_of(answer)
        if self._line is not None:
            self._line.heard(epoch)
        elif self._account_id is not None:
            compare_epoch(epoch, account_id=self._account_id)

    def _send(self, operation: str, **parameters: Any) -> Any:
        try:
            return getattr(self._client, operation)(**parameters)
        except ClientError as error:
            self._hear(error.response)
            raise _translate(error) from error
        except ParamValidationError as error:
            raise ProviderRefused(str(error), code="ParameterValidation") from error
        except (BotoCoreError, *MALFORMED) as error:
            if isinstance(error, TypeError) and not _is_of_the_answer(error):
                raise ProviderRefused(str(error), code="ParameterValidation") from error
            raise ProviderUnavailable(f"{operation}: {type(error).__name__}") from error


def _epoch_of(answer: Any) -> str:
    """The epoch that our own marketplace names in each answer; nothing from another provider."""
    about = answer.get("ResponseMetadata", {}) if isinstance(answer, Mapping) else {}
    return str(about.get("HTTPHeaders", {}).get(EPOCH, ""))[:LONGEST_EPOCH]


def _is_of_the_answer(error: Exception) -> bool:
    """Whether botocore's parser failed: it reads an answer of another shape without an error of its own."""
    frames = (frame for frame, _ in walk_tb(error.__traceback__))
    return any(frame.f_globals.get("__name__") == "botocore.parsers" for frame in frames)


def _translate(error: ClientError) -> CrowdError:
    details = error.response["Error"]
    about = error.response.get("ResponseMetadata", {})
    status = about.get("HTTPStatusCode", 400)
    turk_code = str(error.response.get("TurkErrorCode", ""))
    code = turk_code.rpartition(".")[2] or details["Code"]
    if status >= 500 or details["Code"] in UNCLEAR:
        return ProviderUnavailable(f"{error.operation_name}: {details['Code']}")
    is_only_answer = about.get("RetryAttempts") == 0  # where nobody counted, there may have been others
    return ProviderRefused(details.get("Message") or code, code=code, is_only_answer=is_only_answer)
