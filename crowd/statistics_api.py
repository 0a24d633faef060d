"""The statistics of a study in the REST API: the tables of all families, as their pages have them."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter

from crowd import family as families
from crowd.family import Family
from hits.api.authentication import user_of
from hits.api.filters import Filters, Nothing, read_query
from hits.api.request_permissions import Need
from hits.api.resources import Resource
from hits.data.project_exports import NoProject
from hits.datasets.stat_table import StatTable
from hits.identity.api_tokens import Scope
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.access import studies_of

LONGEST_NAME = 64


class StatisticsFilters(Nothing):
    study = serializers.UUIDField()
    family = serializers.ChoiceField(
        [(one.key, one.name) for one in families.registered() if one.tables],
        required=False,
        help_text="Only tables of this family.",
    )
    table = serializers.CharField(required=False, max_length=LONGEST_NAME, help_text="Only tables so named.")


class StatColumnSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="The name of its values in each row.")
    title = serializers.CharField(help_text="Its head on the page; empty where files alone have it.")
    kind = serializers.CharField(help_text="text, words, integer, number, share (of 1), interval or money.")


class StatTableSerializer(serializers.Serializer[Any]):
    family = serializers.CharField()
    name = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField(help_text="What is counted, and how.")
    note = serializers.CharField()
    columns = StatColumnSerializer(many=True)
    rows = serializers.ListField(
        child=serializers.DictField(), help_text="Exact numbers by the names of the columns."
    )


class OnePage(BasePagination):
    """A list whose rows are few and counted together: all of them are its only page."""

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"next": None, "previous": None, "results": data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        nothing = {"type": "string", "nullable": True}
        return {
            "type": "object",
            "required": ["results"],
            "properties": {"next": nothing, "previous": nothing, "results": schema},
        }


class StatisticsViewSet(Resource):
    """The tables of a study's statistics."""

    queryset: QuerySet[Study] = Study.objects.all()
    serializer_class = StatTableSerializer
    pagination_class = OnePage  # type: ignore[assignment]
    filters = StatisticsFilters
    needs: ClassVar[Mapping[str, Need]] = {"list": Need(Scope.READ, ("hits.view_study",))}
    queries: ClassVar[Mapping[str, type[Filters]]] = {}

    @extend_schema(responses=StatTableSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List the tables of a study's statistics, each for whoever may see its page."""
        asked = read_query(request, StatisticsFilters)
        user = user_of(request)
        study = get_object_or_404(studies_of(user), public_id=asked["study"])
        key = asked.get("family")
        if key and not _may_see(families.get(key), user):
            raise PermissionDenied
        told = [
            table
            for one in families.registered()
            if one.tables and key in (None, one.key) and _may_see(one, user)
            for table in _told(one, study)
            if asked.get("table") in (None, table["name"])
        ]
        return OnePage().get_paginated_response(StatTableSerializer(told, many=True).data)


def _may_see(one: Family, user: User) -> bool:
    return user.has_perm(one.tables_permission) and not one.refuses_tables(user)


def _told(one: Family, study: Study) -> list[dict[str, Any]]:
    """Tables of a family; none where the study has nothing of it."""
    try:
        tables: list[StatTable] = import_string(one.tables)(study=study, now=timezone.now())
    except NoProject:
        return []
    return [_table_of(one, table) for table in tables]


def _table_of(one: Family, table: StatTable) -> dict[str, Any]:
    return {
        "family": one.key,
        "name": table.name,
        "title": table.title,
        "about": table.about,
        "note": table.note,
        "columns": [column for column in table.columns if column.name],
        "rows": list(_finite(table.as_json())),
    }


def _finite(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows that JSON can hold: it has no words for infinity, nor for what is no number."""
    for row in rows:
        yield {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in row.items()
        }


router = SimpleRouter()
router.register("statistics", StatisticsViewSet, basename="statistics")

urlpatterns = router.urls
