"""Gates: read, made, changed, switched and given; and their types at the providers."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.filters import Filters
from hits.api.idempotency import PatchMixin, Repeatable
from hits.api.listings import JSON, Listing
from hits.api.request_permissions import Need
from hits.api.verbs import Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, TEXT, TEXTS, column
from hits.identity.api_tokens import Scope
from qualifications.admin.finding_gates import ADD, CHANGE, VIEW
from qualifications.admin.gate_actions import RETRYING, SWITCHING
from qualifications.admin.giving_by_name import GIVING, MOST
from qualifications.admin.holding_changes import GIVE, LONGEST
from qualifications.api.gate_input import GateInput
from qualifications.models import Gate, PlatformType

LONGEST_NAME = 128
LONGEST_WORKER_ID = 64


class GateFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")
    name = serializers.CharField(required=False, max_length=LONGEST_NAME)


class TypeFilters(Filters):
    study = serializers.UUIDField(required=False, source="gate__study__public_id")
    gate = serializers.UUIDField(required=False, source="gate__public_id")
    status = serializers.ChoiceField(PlatformType.Status.choices, required=False)


class Pseudonyms(serializers.ListField):
    """A list that the admin's form reads as one text."""

    child = serializers.CharField(max_length=LONGEST_WORKER_ID)

    def to_internal_value(self, data: Any) -> Any:
        return " ".join(super().to_internal_value(data))


class Named(serializers.Serializer[Any]):
    pseudonyms = Pseudonyms(
        min_length=1,
        max_length=MOST,
        help_text="Workers whom you may see, or worker ids of people who have not worked yet.",
    )
    reason = serializers.CharField(max_length=LONGEST, help_text="For the record; colleagues read it.")


class GateViewSet(Repeatable, PatchMixin, Listing):
    """The gates of studies: tests that a worker has to pass before some work opens."""

    input_class = GateInput
    needs = {
        "create": Need(Scope.DRAFT, (VIEW, ADD)),
        "partial_update": Need(Scope.DRAFT, (VIEW, CHANGE)),
    }

    queryset: QuerySet[Gate] = Gate.objects.select_related("study")
    permissions = (VIEW,)
    study_path = "study"
    filters = GateFilters
    admin_pages = {
        "qualifications_gate_add": "create",
        "qualifications_gate_edit": "partial_update",
        "qualifications_gate_switch": "on",
    }
    columns = (
        column("public_id", TEXT, "the gate's id"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("name", TEXT, "the name that workers see"),
        column("description", TEXT, "what the test is about"),
        column("grading", TEXT, "who grades it: its scores, a person, or the provider"),
        column("test_task", TEXT, "the task whose batches are its test; empty where the provider tests"),
        column("opens", TEXTS, "the tasks that it opens"),
        column("rules", JSON, "what the means of a test must reach"),
        column("items", INTEGER, "how many items must be scored before a test is graded"),
        column("floors", JSON, "what later work must not fall below"),
        column("retest_after_days", INTEGER, "after how many days a worker may try again; null: never"),
        column("test_duration_s", INTEGER, "seconds that a worker has for the provider's test"),
        column("passing_value", INTEGER, "the provider's test is passed above this score"),
        column("is_active", FLAG, "whether it keeps workers out"),
        column("created_at", MOMENT, "when it was made"),
    )
    verbs = {
        "on": Verb(
            action=SWITCHING.actions["on"],
            scope=Scope.LAUNCH,
            about="Switch the gate on. Only workers who have passed can then start what it opens.",
        ),
        "off": Verb(
            action=SWITCHING.actions["off"],
            scope=Scope.LAUNCH,
            about="Switch the gate off. It then keeps nobody out.",
        ),
        "give": Verb(
            action=GIVING.actions[GIVE],
            about="Give what the gate opens to workers, by pseudonym or worker id. Those not found are told.",
            scope=Scope.REVIEW,
            body=Named,
        ),
    }

    def create(self, request: Request, **kwargs: Any) -> Response:
        """Make a gate, once for each Idempotency-Key. It is off until it is switched on."""
        return super().create(request, **kwargs)

    def partial_update(self, request: Request, public_id: str) -> Response:
        """Change a gate. What workers or the provider rely on by now is fixed."""
        return super().partial_update(request, public_id)


class GateTypeViewSet(Listing):
    """The gates' qualification types at providers."""

    queryset: QuerySet[PlatformType] = PlatformType.objects.select_related("gate", "account")
    permissions = (VIEW,)
    study_path = "gate__study"
    number = True
    filters = TypeFilters
    admin_pages = {"qualifications_gate_retry": "retry"}
    columns = (
        column("number", INTEGER, "the number of the row on this site", of="pk"),
        column("gate", TEXT, "the gate", of="gate.public_id"),
        column("account", TEXT, "the account at whose provider it is", of="account.public_id"),
        column("status", TEXT, "intended, ready or refused"),
        column("external_id", TEXT, "the type's id at the provider"),
        column("problem", TEXT, "why the provider refused it"),
    )
    verbs = {
        "retry": Verb(action=RETRYING.actions["retry"], scope=Scope.DRAFT, about="Ask the provider again.")
    }
