"""Prolific as a provider: a HIT is a study, its assignments are submissions, its bonuses have no reasons."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar, cast
from uuid import UUID

from hits.core.errors import NothingDone, ProviderRefused, ProviderUnavailable
from hits.providers.capabilities import PROLIFIC
from hits.providers.gateway.interface import (
    HITSpec,
    NotDelivered,
    OfferedFilter,
    ProviderAssignment,
    ProviderBonus,
    ProviderHIT,
    ProviderVisit,
)
from hits.providers.prolific.participant_groups import ParticipantGroups
from hits.providers.prolific.prolific_answers import (
    CLOSED,
    OVER,
    Row,
    read_bonuses,
    read_filter,
    read_study,
    read_submission,
    read_visit,
)
from hits.providers.prolific.prolific_client import GONE, ProlificClient
from hits.providers.prolific.study_bodies import annotation_in, cents, study_body

Read = TypeVar("Read")
DRAFT = "UNPUBLISHED"
# Marks of our studies in their internal names.
OURS = "crowd:"
# The event of a hook that says that a submission has changed.
CHANGES = "submission.status.change"
# A category where a person gave none, as for a decision that is told again.
OTHER = "OTHER"


class ProlificProvider(ParticipantGroups):
    def __init__(self, client: ProlificClient, *, workspace_id: str, project_id: str) -> None:
        self._client, self._workspace_id, self._project_id = client, workspace_id, project_id

    def get_balance(self) -> Decimal:
        return self._client.ask(
            "get_balance",
            f"workspaces/{self._workspace_id}/balance/",
            lambda row: Decimal(int(row["available_balance"])) / 100,
        )

    def cost_of(self, *, reward: Decimal, places: int) -> Decimal:
        body = {"reward": cents(reward), "total_available_places": places}
        path, read = "study-cost-calculator/", _total
        return cast(Decimal, self._client.tell("get_cost", path, body, repeats=True, read=read))

    def list_filters(self) -> Iterator[OfferedFilter]:
        def read(answer: Any) -> list[OfferedFilter]:
            return [read_filter(row) for row in answer["results"]]

        about = {"workspace_id": self._workspace_id}
        yield from self._client.ask("list_filters", "filters/", read, **about)

    # Studies.

    def create_hit(self, spec: HITSpec, *, token: UUID) -> ProviderHIT:
        """Make the study and publish it. It knows no tokens, so that our mark is looked for first."""
        marked = (row for row in self._studies() if annotation_in(row["internal_name"]) == spec.annotation)
        found = next(marked, None)
        if found is None:
            body = study_body(spec, project_id=self._project_id, blocked_group=self._blocked_group())
            found = self._client.tell("create_study", "studies/", body, read=_study_row)
        if found["status"] == DRAFT:
            self._steer(found["id"], "PUBLISH", unless=lambda status: status != DRAFT)
        return self.get_hit(found["id"])

    def get_hit(self, external_id: str) -> ProviderHIT:
        row = self._of_study("get_study", f"studies/{external_id}/", _whole)
        return self._with_counts(row)

    def get_end_reason(self, external_id: str) -> str:
        return ""

    def expire_hit(self, external_id: str) -> None:
        """Pause the study: whoever is at work may finish."""
        self._steer(external_id, "PAUSE", unless=lambda status: status in (*OVER, "PAUSED"))

    def extend_hit(self, external_id: str, *, expires_at: datetime) -> None:
        """Let people start again. The end of that time is ours to keep: Prolific has none."""
        self._steer(external_id, "START", unless=lambda status: status == "ACTIVE")

    def add_places(self, external_id: str, *, places: int, token: UUID) -> None:
        known = self.get_hit(external_id)
        body = {"total_available_places": known.max_assignments + places}
        self._client.tell("add_places", f"studies/{external_id}/", body, method="PATCH")

    def list_reviewable(self) -> Iterator[str]:
        for row in self._studies():
            if row["status"] == "AWAITING REVIEW":
                yield row["id"]

    def mark_seen(self, external_id: str) -> None:
        """End a study that is over: it is finished then, and listed as such. A paused one stays so."""
        status = self._status(external_id)
        if status not in CLOSED:
            raise ProviderRefused("The study goes on.", code="NotOver")
        if status == "AWAITING REVIEW":
            self._steer(external_id, "STOP", unless=lambda status: status == "COMPLETED")

    def list_hits(self) -> Iterator[ProviderHIT]:
        for row in self._studies():
            yield self.get_hit(row["id"])

    # Submissions.

    def list_assignments(self, hit_external_id: str) -> Iterator[ProviderAssignment]:
        listed = self._client.pages(
            "list_submissions",
            "submissions/",
            lambda row: read_submission(row, study_id=hit_external_id),
            study=hit_external_id,
        )
        return (found for found in listed if found is not None)

    def get_assignment(self, external_id: str) -> ProviderAssignment:
        found = self._submission(external_id, lambda row: read_submission(row, study_id=str(row["study_id"])))
        if found is None:
            raise ProviderRefused("It was not handed in.", code="NotSubmitted")
        return found

    def find_visit(self, external_id: str) -> ProviderVisit:
        return self._submission(external_id, read_visit)

    def approve_assignment(self, external_id: str, *, feedback: str = "", override: bool = False) -> None:
        if override:
            raise ProviderRefused(
                "Prolific does not say how a rejection is taken back: do it in its web app.",
                code="NoOverride",
            )
        self._review(external_id, {"action": "APPROVE"}, wanted="Approved")

    def reject_assignment(self, external_id: str, *, feedback: str, category: str = "") -> None:
        shortest = PROLIFIC.rejection.shortest
        if len(feedback) < shortest:
            raise ProviderRefused(
                f"Prolific asks for at least {shortest} characters that tell the participant why.",
                code="ShortReason",
            )
        body = {"action": "REJECT", "message": feedback, "rejection_category": category or OTHER}
        self._review(external_id, body, wanted="Rejected")

    # Money.

    def prepare_bonus(self, *, assignment_external_id: str, amount: Decimal) -> str:
        """Set the payment up, and compare what Prolific has understood to the cent."""
        study = self._submission(assignment_external_id, lambda row: str(row["study_id"]))
        body = {"study_id": study, "csv_bonuses": f"{assignment_external_id},{amount:.2f}"}
        try:
            made, understood = self._client.tell(
                "prepare_bonus",
                "submissions/bonus-payments/",
                body,
                read=lambda row: (str(row["id"]), int(row["amount"])),
            )
        except NothingDone:
            raise
        except ProviderUnavailable as error:
            raise NothingDone(str(error)) from error
        if understood != cents(amount):
            raise ProviderRefused(
                f"Prolific would pay {understood} cents where {cents(amount)} were meant. Nothing was paid.",
                code="OtherAmount",
            )
        return str(made)

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
        if not prepared:
            raise ProviderRefused("A payment at Prolific is set up first.", code="NotPrepared")
        self._client.tell("pay_bonus", f"bulk-bonus-payments/{prepared}/pay/")

    def list_bonuses(self, *, hit_external_id: str) -> Iterator[ProviderBonus]:
        for found in self.list_assignments(hit_external_id):
            yield from self.list_bonuses_of(found.external_id)

    def list_bonuses_of(self, assignment_external_id: str) -> Sequence[ProviderBonus]:
        return self._submission(assignment_external_id, read_bonuses)

    # Messages and events.

    def notify_workers(
        self, *, subject: str, text: str, worker_external_ids: Sequence[str]
    ) -> list[NotDelivered]:
        """Write to all in one call. Prolific says of nobody whether it reached them."""
        body = {"ids": list(worker_external_ids), "body": f"{subject}\n\n{text}"}
        self._client.tell("send_messages", "messages/bulk/", body)
        return []

    def notify_events(self, hit_type_id: str, *, transport: str, destination: str) -> None:
        raise ProviderRefused("Prolific's hooks are set up for a whole workspace.", code="NoEventsByType")

    def subscribe_hooks(self, *, target: str) -> str:
        """Ask for changes of submissions. The workspace's secret is kept if it has one: others may use it."""
        secret = self._hook_secret()
        listed = self._client.pages(
            "list_subscriptions",
            "hooks/subscriptions/",
            lambda row: (str(row["event_type"]), str(row["target_url"])),
            size_as="limit",
            workspace_id=self._workspace_id,
        )
        if (CHANGES, target) not in listed:
            about = {"workspace_id": self._workspace_id, "event_type": CHANGES, "target_url": target}
            made, proof = self._client.tell_and_hear(
                "subscribe",
                "hooks/subscriptions/",
                about,
                header="X-Hook-Secret",
                read=lambda row: str(row["id"]),
            )
            self._client.tell("confirm_subscription", f"hooks/subscriptions/{made}/", {"secret": proof})
        return secret

    def _hook_secret(self) -> str:
        def read(answer: Any) -> str:
            own = (row for row in answer["results"] if str(row["workspace_id"]) == self._workspace_id)
            return next((str(row["value"]) for row in own), "")

        if known := self._client.ask("get_hook_secrets", "hooks/secrets/", read):
            return known
        about = {"workspace_id": self._workspace_id}
        made: str = self._client.tell(
            "make_hook_secret", "hooks/secrets/", about, read=lambda row: str(row["value"])
        )
        return made

    def _studies(self) -> Iterator[dict[str, str]]:
        """The project's studies that are ours."""
        listed = self._client.pages("list_studies", f"projects/{self._project_id}/studies/", _study_row)
        return (row for row in listed if annotation_in(row["internal_name"]).startswith(OURS))

    def _status(self, external_id: str) -> str:
        return self._of_study("get_study", f"studies/{external_id}/", lambda row: str(row["status"]))

    def _with_counts(self, row: Row) -> ProviderHIT:
        path = f"studies/{row['id']}/submissions/counts/"
        return self._of_study("get_submission_counts", path, lambda counts: read_study(row, counts))

    def _steer(self, external_id: str, action: str, *, unless: Callable[[str], bool]) -> None:
        """Bring a study into a state. A refusal is believed only if it is not in that state already."""
        try:
            self._client.tell(
                f"{action.lower()}_study", f"studies/{external_id}/transition/", {"action": action}
            )
        except ProviderRefused:
            status = self._status(external_id)
            if not unless(status):
                raise

    def _review(self, external_id: str, body: dict[str, Any], *, wanted: str) -> None:
        """Decide on a submission, which may be done twice. One that is not handed in yet is decided later.

        The page that hands it in and our decision can pass each other; and what was given back or ran out
        of time is never told as approved.
        """
        before = self._submission(external_id, lambda row: str(row["status"]))
        if before in ("RESERVED", "ACTIVE"):
            raise NothingDone("review_submission: it is not handed in yet")
        try:
            self._client.tell(
                "review_submission", f"submissions/{external_id}/transition/", body, repeats=True
            )
        except ProviderRefused:
            if self.get_assignment(external_id).status != wanted:
                raise

    def _submission(self, external_id: str, read: Callable[[Any], Read]) -> Read:
        try:
            return self._client.ask("get_submission", f"submissions/{external_id}/", read)
        except ProviderRefused as refusal:
            raise _named(refusal, "AssignmentDoesNotExist") from refusal

    def _of_study(self, operation: str, path: str, read: Callable[[Any], Read]) -> Read:
        try:
            return self._client.ask(operation, path, read)
        except ProviderRefused as refusal:
            raise _named(refusal, "HITDoesNotExist") from refusal


def _named(refusal: ProviderRefused, code: str) -> ProviderRefused:
    """The refusal, with the code that says what is not there."""
    if refusal.code != str(GONE):
        return refusal
    return ProviderRefused(str(refusal), code=code, is_only_answer=refusal.is_only_answer)


def _study_row(row: Any) -> dict[str, str]:
    return {name: str(row.get(name) or "") for name in ("id", "internal_name", "status")}


def _total(row: Any) -> Decimal:
    return Decimal(int(row["total_cost"])) / 100


def _whole(row: Any) -> Row:
    return {**row, "id": str(row["id"])}
