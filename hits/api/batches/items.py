"""A draft's own items, from a file."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.request_permissions import need
from hits.api.resources import Resource
from hits.batches.services import drafting
from hits.identity.api_tokens import Scope
from hits.studies.models import Batch
from hits.work.queries.items import answers_wanted


class ItemsInput(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="CSV or JSON, as the task describes it.")


class ItemsState(serializers.Serializer[Any]):
    added = serializers.IntegerField(help_text="Items that this request added; negative if it removed some.")
    items = serializers.IntegerField(help_text="Items of its own that the draft has now.")
    answers_wanted = serializers.IntegerField()


class ItemsViewSet(Resource):
    """Items of a draft. Files are sent as multipart forms, so these views have that parser."""

    queryset: QuerySet[Batch] = Batch.objects.select_related("study", "account")
    serializer_class = ItemsState
    parser_classes = (MultiPartParser,)
    admin_pages = {"hits_batch_items": "add_items"}
    needs = {
        "items": need(Scope.READ, "view_batch"),
        "add_items": need(Scope.DRAFT, "change_batch"),
        "remove_items": need(Scope.DRAFT, "change_batch"),
    }

    @extend_schema(responses=ItemsState)
    @action(detail=True)
    def items(self, request: Request, public_id: str) -> Response:
        """Show how many items of its own the batch has, and how many answers it still needs."""
        return _state(self.get_object())

    @extend_schema(request=ItemsInput, responses={201: ItemsState})
    @items.mapping.post
    def add_items(self, request: Request, public_id: str) -> Response:
        """Add the items of a file to a draft: all of its lines, or none."""
        batch, values = self.get_object(), self.read(ItemsInput)
        if values["file"].size > drafting.MOST_BYTES:
            raise serializers.ValidationError({"file": ["The file is too large. Cut it into several."]})
        added = drafting.add_items(batch=batch, content=values["file"].read())
        return _state(batch, added=added, status=201)

    @extend_schema(request=None, responses=ItemsState)
    @items.mapping.delete
    def remove_items(self, request: Request, public_id: str) -> Response:
        """Remove all items that are the draft's own."""
        batch = self.get_object()
        return _state(batch, added=-drafting.remove_items(batch=batch))


def _state(batch: Batch, *, added: int = 0, status: int = 200) -> Response:
    state = {"added": added, "items": batch.items.count(), "answers_wanted": answers_wanted(batch)}
    return Response(ItemsState(state).data, status=status)
