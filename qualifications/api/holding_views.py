"""What workers did at gates, and what they hold of them."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.api.filters import Filters
from hits.api.listings import JSON, Listing, public_id_of
from hits.api.request_permissions import Need
from hits.api.verbs import Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from qualifications.admin.finding_gates import ATTEMPTS, GRADE, HOLDINGS
from qualifications.admin.holding_changes import HANDED, LONGEST
from qualifications.models import Attempt, Holding
from qualifications.services.grading import grade_by_hand

PSEUDONYM = 16


class AttemptFilters(Filters):
    study = serializers.UUIDField(required=False, source="gate__study__public_id")
    gate = serializers.UUIDField(required=False, source="gate__public_id")
    status = serializers.ChoiceField(Attempt.Status.choices, required=False)
    worker = serializers.CharField(required=False, max_length=PSEUDONYM, source="worker__pseudonym")


class HoldingFilters(Filters):
    study = serializers.UUIDField(required=False, source="gate__study__public_id")
    gate = serializers.UUIDField(required=False, source="gate__public_id")
    worker = serializers.CharField(required=False, max_length=PSEUDONYM, source="worker__pseudonym")


class Reason(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=LONGEST, help_text="The worker reads it if it is taken back.")


class Grade(serializers.Serializer[Any]):
    passed = serializers.BooleanField()
    words = serializers.CharField(
        max_length=LONGEST,
        required=False,
        default="",
        allow_blank=True,
        help_text="What the worker reads; needed if the test is not passed.",
    )


class AttemptViewSet(Listing):
    """The tests that workers have taken."""

    queryset: QuerySet[Attempt] = Attempt.objects.select_related("gate", "worker", "assignment")
    permissions = (ATTEMPTS,)
    study_path = "gate__study"
    filters = AttemptFilters
    needs = {"grade": Need(Scope.REVIEW, (ATTEMPTS, GRADE))}
    admin_pages = {"qualifications_grade": "grade", "qualifications_attempt_change": "grade"}
    columns = (
        column("public_id", TEXT, "the attempt's id"),
        column("gate", TEXT, "the gate", of="gate.public_id"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column(
            "assignment",
            TEXT,
            "the work of the test; null where the provider tested",
            of=public_id_of("assignment"),
        ),
        column("status", TEXT, "started, waiting, passed, failed or given_up"),
        column("findings", JSON, "what its scores came to when it was graded"),
        column("words", TEXT, "a person's words to the worker"),
        column("started_at", MOMENT, "when it was begun"),
        column("handed_in_at", MOMENT, "when it was submitted"),
        column("graded_at", MOMENT, "when it was graded"),
    )

    @extend_schema(request=Grade)
    @action(detail=True, methods=["post"])
    def grade(self, request: Request, public_id: str) -> Response:
        """Grade a submitted test by hand, also one that was graded before."""
        attempt, values = self.get_object(), self.read(Grade)
        grade_by_hand(attempt=attempt, by=user_of(request), now=timezone.now(), **values)
        return self.answer_row(pk=attempt.pk)


class HoldingViewSet(Listing):
    """What workers hold of gates."""

    queryset: QuerySet[Holding] = Holding.objects.select_related("gate__study", "worker")
    permissions = (HOLDINGS,)
    study_path = "gate__study"
    number = True
    filters = HoldingFilters
    admin_pages = {"qualifications_holding_change": "give"}
    columns = (
        column("number", INTEGER, "the number of the row on this site", of="pk"),
        column("gate", TEXT, "the gate", of="gate.public_id"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("is_held", FLAG, "whether the worker may do what the gate opens"),
        column("reason", TEXT, "why it was taken back"),
        column("revoked_at", MOMENT, "when it was taken back"),
        column("changed_at", MOMENT, "when it last changed"),
        column("is_told", FLAG, "whether the provider was told the present value"),
        column("problem", TEXT, "why the provider could not be told"),
    )
    verbs = {
        "give": Verb(
            action=HANDED["give"],
            about="Give what the gate opens, whatever the tests say.",
            scope=Scope.REVIEW,
            body=Reason,
        ),
        "revoke": Verb(
            action=HANDED["revoke"],
            about="Take back what the gate opens. Work that has been begun is paid.",
            scope=Scope.REVIEW,
            body=Reason,
        ),
        "again": Verb(
            action=HANDED["again"],
            about="Let the worker take the test once more.",
            scope=Scope.REVIEW,
            body=Reason,
        ),
    }
