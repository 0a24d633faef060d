"""Views that list, show, draft and export batches."""

from typing import ClassVar

from django.db.models import Prefetch, QuerySet
from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import mixins
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits.admin.data.take_files import send_lines
from hits.api.authentication import user_of
from hits.api.batches.batch_calls import Verbs
from hits.api.batches.batch_serializers import (
    BatchSerializer,
    EventSerializer,
    FiguresSerializer,
    WagesSerializer,
)
from hits.api.batches.drafts import DraftInput
from hits.api.filters import BatchFilters, ExportFilters, Filters, read_query
from hits.api.idempotency import PatchMixin, Repeatable
from hits.api.request_permissions import Need, need
from hits.batches.queries.hourly_pay import pay_of
from hits.batches.queries.tally import batches_with_counts, progress_of
from hits.batches.services import drafting
from hits.core.errors import RuleBroken
from hits.data.services import batch_files
from hits.data.services.batch_files import RAW
from hits.identity.api_tokens import Scope
from hits.studies.models import Batch
from hits.work import access

# What programs get that ask for nothing else, since before there was a choice.
EXPORTED = {"shape": RAW, "kind": "jsonl", "include_excluded": False}
STEER = need(Scope.LAUNCH, "steer_batch")


class BatchViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Repeatable, PatchMixin, Verbs):
    queryset = Batch.objects.all()
    serializer_class = BatchSerializer
    input_class = DraftInput
    filters = BatchFilters
    queries: ClassVar[dict[str, type[Filters]]] = {"export": ExportFilters, "events": Filters}
    needs: ClassVar[dict[str, Need]] = {
        "list": need(Scope.READ, "view_batch"),
        "retrieve": need(Scope.READ, "view_batch"),
        "events": need(Scope.READ, "view_batch"),
        "wages": need(Scope.READ, "view_batch"),
        "figures": need(Scope.READ, "view_batch"),
        "create": need(Scope.DRAFT, "add_batch"),
        "partial_update": need(Scope.DRAFT, "change_batch"),
        "destroy": need(Scope.DRAFT, "delete_batch"),
        "export": need(Scope.EXPORT, "export_batch"),
        "launch": need(Scope.LAUNCH, "launch_batch"),
        **dict.fromkeys(("pause", "resume", "release_pilot", "drain", "cancel", "extend", "top_up"), STEER),
    }

    admin_pages = {
        "hits_batch_add": "create",
        "hits_batch_copy": "create",
        "hits_batch_change": "partial_update",
        "hits_batch_step": "partial_update",
        "hits_batch_own_people": "partial_update",
        "hits_batch_delete": "destroy",
        "hits_batch_launch": "launch",
        "hits_batch_export": "export",
    }

    def get_queryset(self) -> QuerySet[Batch]:
        rows = batches_with_counts().select_related("study", "account", "source_batch", "launched_by")
        user = self.request.user
        excluded = Prefetch("exclude_batches", access.visible(Batch.objects.order_by("pk"), user))
        return access.visible(rows.prefetch_related(excluded), user)

    def partial_update(self, request: Request, public_id: str) -> Response:
        """Change a draft. A launched batch keeps its terms."""
        return super().partial_update(request, public_id)

    def destroy(self, request: Request, public_id: str) -> Response:
        """Delete a draft and its own items."""
        drafting.delete_draft(batch=self.get_object())
        return Response(status=204)

    @extend_schema(responses=EventSerializer(many=True))
    @action(detail=True)
    def events(self, request: Request, public_id: str) -> Response:
        """List what was done to the batch, and by whom, oldest first."""
        return self.answer_page(self.get_object().events.select_related("by"), EventSerializer)

    @extend_schema(responses=FiguresSerializer)
    @action(detail=True)
    def figures(self, request: Request, public_id: str) -> Response:
        """Show the batch's progress in numbers."""
        batch = self.get_object()
        told = {
            "progress": progress_of(batch),
            "figures": batch.figures,
            "is_stale": batch.is_stale,
        }
        return Response(FiguresSerializer(told).data)

    @extend_schema(responses=WagesSerializer)
    @action(detail=True)
    def wages(self, request: Request, public_id: str) -> Response:
        """Show what the batch's approved work pays an hour, beside the study's floor."""
        batch = self.get_object()
        if not batch.is_launched:
            raise RuleBroken("not_launched", "This batch is a draft. Nobody has worked in it.")
        return Response(WagesSerializer(pay_of(batch)).data)

    @extend_schema(
        responses={(200, "application/jsonl"): OpenApiTypes.STR, (200, "text/csv"): OpenApiTypes.STR}
    )
    @action(detail=True)
    def export(self, request: Request, public_id: str) -> StreamingHttpResponse:
        """Stream the batch's work under pseudonyms. The first line of JSON Lines describes the file."""
        batch, now = self.get_object(), timezone.now()
        asked = {**EXPORTED, **read_query(request, ExportFilters)}
        kind = asked["kind"]
        lines = batch_files.send_batch(batch=batch, by=user_of(request), now=now, **asked)
        answer = send_lines(lines, name=batch_files.name_of(batch, kind=kind, now=now), kind=kind)
        answer["Cache-Control"] = "no-store"
        return answer
