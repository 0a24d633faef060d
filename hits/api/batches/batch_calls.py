"""Actions on a launched batch. Each verb is idempotent by the batch's state."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.api.batches.batch_serializers import BatchSerializer
from hits.api.fields import Empty
from hits.api.hits import LONGEST_S
from hits.api.resources import Resource
from hits.batches.services import batch_lifecycle, launching
from hits.core.errors import RuleBroken
from hits.studies.models import Batch
from hits.work.models.hits import HIT


class LaunchInput(serializers.Serializer[Any]):
    confirm = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=128,
        help_text="The batch's title, where the launch costs real money.",
    )


class ExtendInput(serializers.Serializer[Any]):
    seconds = serializers.IntegerField(min_value=60, max_value=LONGEST_S)


class TopUpInput(serializers.Serializer[Any]):
    hits = serializers.IntegerField(required=False, min_value=1, max_value=100_000, help_text="More HITs.")
    places = serializers.IntegerField(
        required=False, min_value=1, max_value=1000, help_text="More workers for each HIT that is open."
    )

    after = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text="With hits: the highest number that a HIT of the batch has. If it has grown, nothing is "
        "added, so that the request can be sent again.",
    )

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if ("hits" in values) == ("places" in values) or ("after" in values and "hits" not in values):
            raise serializers.ValidationError("Give either hits, with or without after, or places.")
        return values


class Verbs(Resource):
    """The views that launch a batch and steer it afterwards."""

    @extend_schema(request=LaunchInput, responses=BatchSerializer)
    @action(detail=True, methods=["post"])
    def launch(self, request: Request, public_id: str) -> Response:
        """Launch a draft. Its terms never change after that."""
        batch, values = self.get_object(), self.read(LaunchInput)
        confirmed = values["confirm"].strip() == batch.title
        launching.launch_batch(batch=batch, by=user_of(request), confirmed=confirmed, now=timezone.now())
        return self._answer(batch)

    @extend_schema(request=Empty, responses=BatchSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, public_id: str) -> Response:
        """Send no more HITs and let no further worker start. Workers who have started may finish."""
        return self._do(batch_lifecycle.pause_batch)

    @extend_schema(request=Empty, responses=BatchSerializer)
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, public_id: str) -> Response:
        """Go on with a paused batch."""
        return self._do(batch_lifecycle.resume_batch)

    @extend_schema(request=Empty, responses=BatchSerializer)
    @action(detail=True, methods=["post"], url_path="release-pilot")
    def release_pilot(self, request: Request, public_id: str) -> Response:
        """Send the HITs that waited for the pilot."""
        return self._do(batch_lifecycle.release_pilot)

    @extend_schema(request=Empty, responses=BatchSerializer)
    @action(detail=True, methods=["post"])
    def drain(self, request: Request, public_id: str) -> Response:
        """End the batch in good order: no further worker starts, and work that was started counts."""
        return self._do(batch_lifecycle.drain_batch)

    @extend_schema(request=Empty, responses=BatchSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, public_id: str) -> Response:
        """Cancel a draft at once, or a launched batch once all started work is finished."""
        return self._do(batch_lifecycle.cancel_batch)

    @extend_schema(request=ExtendInput, responses=BatchSerializer)
    @action(detail=True, methods=["post"])
    def extend(self, request: Request, public_id: str) -> Response:
        """Give all HITs of the batch more time to be started."""
        batch, values = self.get_object(), self.read(ExtendInput)
        batch_lifecycle.extend_hits(hits=_sent(batch), by=user_of(request), now=timezone.now(), **values)
        return self._answer(batch)

    @extend_schema(request=TopUpInput, responses=BatchSerializer)
    @action(detail=True, methods=["post"], url_path="top-up")
    def top_up(self, request: Request, public_id: str) -> Response:
        """Add further HITs, or more places for workers on each open HIT."""
        batch, values = self.get_object(), self.read(TopUpInput)
        by, now = user_of(request), timezone.now()
        if "hits" in values:
            count, after = values["hits"], values.get("after")
            batch_lifecycle.add_hits(batch=batch, count=count, after=after, by=by, now=now)
        else:
            batch_lifecycle.add_places(
                hits=batch.hits.filter(status=HIT.Status.OPEN), by=by, now=now, **values
            )
        return self._answer(batch)

    def _do(self, verb: Callable[..., Any]) -> Response:
        batch = self.get_object()
        verb(batch=batch, by=user_of(self.request), now=timezone.now())
        return self._answer(batch)

    def _answer(self, batch: Batch) -> Response:
        return self.answer_row(pk=batch.pk)


def _sent(batch: Batch) -> Any:
    if not batch.is_launched:
        raise RuleBroken("not_launched", "This batch is a draft. Launch it first.")
    return batch.hits.filter(status__in=(HIT.Status.OPEN, HIT.Status.CLOSED))
