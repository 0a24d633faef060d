"""The base of all views: it limits rows to those the user may see, and checks the request's parameters."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from hits.api.authentication import user_of
from hits.api.filters import ByFields, Filters, Nothing, read_query
from hits.api.pagination import ByAge
from hits.api.request_permissions import IsAllowed, Need
from hits.work import access


class Resource(GenericViewSet[Any]):
    """A view of rows by their public ids; rows that the user may not see count as missing."""

    needs: ClassVar[Mapping[str, Need]]
    filters: ClassVar[type[Filters]] = Filters
    # Query parameters of the other actions; a list takes its filters.
    queries: ClassVar[Mapping[str, type[Filters]]] = {}
    # The forms of the admin that programs send here: the names of their addresses, each with the action that
    # takes it, or with the method and the address of another resource.
    admin_pages: ClassVar[Mapping[str, str]] = {}
    lookup_field = "public_id"
    permission_classes = (IsAllowed,)
    pagination_class = ByAge
    filter_backends = (ByFields,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        read_query(request, self.query_of(self.action))

    def query_of(self, action: str | None) -> type[Filters]:
        if action == "list":
            return self.filters
        return self.queries.get(str(action), Nothing)

    def get_queryset(self) -> QuerySet[Any]:
        return access.visible(super().get_queryset(), self.request.user)

    def read(self, serializer: type[serializers.BaseSerializer[Any]]) -> Any:
        """Return the checked body. Raises ValidationError before anything has happened."""
        given = serializer(data=self.request.data, context=self.get_serializer_context())
        given.is_valid(raise_exception=True)
        return given.validated_data

    def answer_page(self, rows: QuerySet[Any], serializer: type[serializers.BaseSerializer[Any]]) -> Response:
        """Answer with a page of a list that belongs to one row."""
        page = self.paginate_queryset(rows)
        context = self.get_serializer_context()
        return self.get_paginated_response(serializer(page, many=True, context=context).data)

    def answer_row(self, **key: Any) -> Response:
        """Answer with the current row and everything that its list shows."""
        row = get_object_or_404(self.get_queryset(), **key)
        return Response(self.get_serializer(row).data)

    def find(self, rows: QuerySet[Any], *, field: str, public_id: Any) -> Any:
        """Find a row that the body names. Raises ValidationError if there is none that the user may see."""
        found = access.visible(rows, user_of(self.request)).filter(public_id=public_id).first()
        if found is None:
            raise serializers.ValidationError({field: ["There is none with this id."]})
        return found
