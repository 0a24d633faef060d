"""Views of HITs, and of actions on several HITs at once."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.api.fields import PublicId
from hits.api.filters import HITFilters
from hits.api.request_permissions import need
from hits.api.resources import Resource
from hits.batches.services import batch_lifecycle
from hits.identity.api_tokens import Scope
from hits.work.models.hits import HIT

MOST_HITS = 1000
LONGEST_S = 31_536_000


class HITSerializer(serializers.ModelSerializer[HIT]):
    batch = PublicId()

    class Meta:
        model = HIT
        fields = (
            "public_id",
            "batch",
            "number",
            "status",
            "max_assignments",
            "sent_at",
            "expires_at",
            "closed_at",
            "problem",
        )


class ChosenHITs(serializers.Serializer[Any]):
    hits = serializers.ListField(child=serializers.UUIDField(), min_length=1, max_length=MOST_HITS)


class LongerHITs(ChosenHITs):
    seconds = serializers.IntegerField(min_value=60, max_value=LONGEST_S)


class WiderHITs(ChosenHITs):
    places = serializers.IntegerField(min_value=1, max_value=1000, help_text="More places on each HIT.")


class Changed(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="How many HITs have a change on its way to the provider.")


class HITViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    queryset = HIT.objects.select_related("batch")
    serializer_class = HITSerializer
    filters = HITFilters
    needs = {
        "list": need(Scope.READ, "view_hit"),
        "retrieve": need(Scope.READ, "view_hit"),
        "expire": need(Scope.LAUNCH, "steer_batch"),
        "extend": need(Scope.LAUNCH, "steer_batch"),
        "add_places": need(Scope.LAUNCH, "steer_batch"),
    }

    @extend_schema(request=ChosenHITs, responses=Changed)
    @action(detail=False, methods=["post"])
    def expire(self, request: Request) -> Response:
        """Let no further worker start these HITs. Workers who have started may finish."""
        return self._change(ChosenHITs, batch_lifecycle.expire_hits)

    @extend_schema(request=LongerHITs, responses=Changed)
    @action(detail=False, methods=["post"])
    def extend(self, request: Request) -> Response:
        """Give these HITs more time to be started."""
        return self._change(LongerHITs, batch_lifecycle.extend_hits)

    @extend_schema(request=WiderHITs, responses=Changed)
    @action(detail=False, methods=["post"], url_path="add-places")
    def add_places(self, request: Request) -> Response:
        """Let more workers do each of these HITs."""
        return self._change(WiderHITs, batch_lifecycle.add_places)

    def _change(self, serializer: type[ChosenHITs], verb: Callable[..., int]) -> Response:
        values = self.read(serializer)
        asked = set(values.pop("hits"))
        hits = self.get_queryset().filter(public_id__in=asked)
        if hits.count() < len(asked):
            raise serializers.ValidationError({"hits": ["Some of these do not exist. Nothing was changed."]})
        rows = HIT.objects.filter(pk__in=hits.values("pk"))
        changed = verb(hits=rows, by=user_of(self.request), now=timezone.now(), **values)
        return Response({"changed": changed})
