"""Who took part in a study: counted when a researcher asks, and told as it was counted last."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.api.filters import Nothing, read_query
from hits.api.request_permissions import Need
from hits.api.resources import Resource
from hits.api.told_tables import OnePage, StatTableSerializer, tell_table
from hits.api.verbs import Done, Verb, run_verb
from hits.identity.api_tokens import Scope
from hits.studies.models import Study
from hits.work.access import studies_of
from qualifications.admin.demographics import COUNTS, ON_REQUEST, note_taken
from qualifications.admin.people_tables import people_table
from qualifications.queries.counted_people import latest_count

LOOK = "hits.view_study"
COUNTING = Verb(action=ON_REQUEST.actions["count"], about="", scope=Scope.REVIEW)


class CountsAsked(Nothing):
    study = serializers.UUIDField()


class CountedStudy(serializers.Serializer[Any]):
    study = serializers.UUIDField()


class PeopleCountSerializer(StatTableSerializer):
    counted_at = serializers.DateTimeField()
    counted_by = serializers.CharField(allow_null=True)


class PeopleCountsViewSet(Resource):
    """Who took part in a study, in figures alone: what one person says of themselves is told nowhere."""

    queryset: QuerySet[Study] = Study.objects.all()
    serializer_class = PeopleCountSerializer
    pagination_class = OnePage  # type: ignore[assignment]
    filters = CountsAsked
    needs: ClassVar[Mapping[str, Need]] = {
        "list": Need(Scope.READ, (LOOK, COUNTS)),
        "create": Need(COUNTING.scope, (LOOK, COUNTS)),
    }
    verbs: ClassVar[Mapping[str, Verb]] = {"create": COUNTING}

    @extend_schema(responses=PeopleCountSerializer(many=True))
    def list(self, request: Request) -> Response:
        """Tell the last count of who took part; nothing before the first. That it was taken is on record."""
        study = self._find(read_query(request, CountsAsked)["study"])
        count = latest_count(study)
        if count is None:
            return OnePage().get_paginated_response([])
        note_taken(study, by=user_of(request), now=timezone.now())
        told = {
            **tell_table(people_table(count.figures)),
            "counted_at": count.counted_at,
            "counted_by": count.counted_by and count.counted_by.username,
        }
        return OnePage().get_paginated_response(PeopleCountSerializer([told], many=True).data)

    @extend_schema(request=CountedStudy, responses=Done)
    def create(self, request: Request) -> Response:
        """Count who took part. A count that would tell of fewer than five people is refused."""
        study = self._find(self.read(CountedStudy)["study"])
        return run_verb(COUNTING, study, body={}, request=request)

    def _find(self, public_id: Any) -> Study:
        return get_object_or_404(studies_of(self.request.user), public_id=public_id)
