"""Filters of lists. An unknown parameter is refused: a typo must not mean "no filter"."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request

from hits.api.pagination import ByAge
from hits.data.services import batch_files
from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

LONGEST = 200


class Filters(serializers.Serializer[Any]):
    """A serializer of query parameters: each field is a filter, and its source is the lookup."""

    # Parameters of the list's pages; they are no lookups.
    paging: ClassVar[tuple[str, ...]] = ("cursor", "page_size")

    page_size = serializers.IntegerField(required=False, min_value=1, max_value=ByAge.max_page_size)


class Nothing(Filters):
    paging: ClassVar[tuple[str, ...]] = ()

    page_size = None  # type: ignore[assignment]


class StudyFilters(Filters):
    name = serializers.CharField(required=False, max_length=LONGEST)
    lab = serializers.CharField(required=False, max_length=LONGEST)


class BatchFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")
    account = serializers.UUIDField(required=False, source="account__public_id")
    status = serializers.ChoiceField(Batch.Status.choices, required=False)
    task = serializers.CharField(required=False, max_length=32)


class HITFilters(Filters):
    batch = serializers.UUIDField(required=False, source="batch__public_id")
    status = serializers.ChoiceField(HIT.Status.choices, required=False)
    number = serializers.IntegerField(required=False, min_value=1, max_value=1_000_000)


class AssignmentFilters(Filters):
    batch = serializers.UUIDField(required=False, source="hit__batch__public_id")
    study = serializers.UUIDField(required=False, source="hit__batch__study__public_id")
    hit = serializers.UUIDField(required=False, source="hit__public_id")
    status = serializers.ChoiceField(Assignment.Status.choices, required=False)
    worker = serializers.CharField(
        required=False, max_length=16, source="worker__pseudonym", help_text="A pseudonym."
    )
    kept_out = serializers.BooleanField(required=False)
    submitted_since = serializers.DateTimeField(required=False, source="submitted_at__gte")


class WorkerFilters(Filters):
    pseudonym = serializers.CharField(required=False, max_length=16)
    account = serializers.UUIDField(required=False, source="account__public_id")


class MessageFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")
    account = serializers.UUIDField(required=False, source="account__public_id")


class BonusFilters(Filters):
    batch = serializers.UUIDField(required=False, source="assignment__hit__batch__public_id")
    study = serializers.UUIDField(required=False, source="assignment__hit__batch__study__public_id")
    assignment = serializers.UUIDField(required=False, source="assignment__public_id")
    worker = serializers.CharField(
        required=False, max_length=16, source="assignment__worker__pseudonym", help_text="A pseudonym."
    )
    status = serializers.ChoiceField(Bonus.Status.choices, required=False)


class LedgerFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")
    batch = serializers.UUIDField(required=False, source="batch__public_id")


class ExportFilters(Nothing):
    shape = serializers.ChoiceField(
        list(batch_files.SHAPES.items()),
        required=False,
        help_text="Without it, as it was handed in.",
    )
    kind = serializers.ChoiceField(
        list(batch_files.KINDS.items()), required=False, help_text="Without it, JSON Lines."
    )
    include_excluded = serializers.BooleanField(
        required=False,
        help_text="Include work that was rejected, or kept out of the data by a reviewer; never data that "
        "their worker had removed.",
    )


def read_query(request: Request, filters: type[Filters]) -> dict[str, Any]:
    """Return the query parameters as lookups. Raises ValidationError for one that is unknown or repeated."""
    known = {*filters().fields, *filters.paging}
    unknown = {name: ["There is no such parameter here."] for name in set(request.query_params) - known}
    twice = {name: ["Give it only once."] for name, given in request.query_params.lists() if len(given) > 1}
    if unknown or twice:
        raise ValidationError({**twice, **unknown})
    asked = filters(data={name: value for name, value in request.query_params.items() if name in known})
    asked.is_valid(raise_exception=True)
    return {name: value for name, value in asked.validated_data.items() if name not in filters.paging}


class ByFields(BaseFilterBackend):
    def filter_queryset(self, request: Request, queryset: Any, view: Any) -> Any:
        return queryset.filter(**read_query(request, view.filters)) if view.action == "list" else queryset
