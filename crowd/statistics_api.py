"""The statistics of a study in the REST API: the tables of all families, as their pages have them."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter

from crowd import family as families
from crowd.family import Family
from hits.api.authentication import user_of
from hits.api.filters import Filters, Nothing, read_query
from hits.api.request_permissions import Need
from hits.api.resources import Resource
from hits.api.told_tables import OnePage, StatTableSerializer, tell_table
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


class FamilyTableSerializer(StatTableSerializer):
    family = serializers.CharField()


class StatisticsViewSet(Resource):
    """The tables of a study's statistics."""

    queryset: QuerySet[Study] = Study.objects.all()
    serializer_class = FamilyTableSerializer
    pagination_class = OnePage  # type: ignore[assignment]
    filters = StatisticsFilters
    needs: ClassVar[Mapping[str, Need]] = {"list": Need(Scope.READ, ("hits.view_study",))}
    queries: ClassVar[Mapping[str, type[Filters]]] = {}

    @extend_schema(responses=FamilyTableSerializer(many=True))
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
        return OnePage().get_paginated_response(FamilyTableSerializer(told, many=True).data)


def _may_see(one: Family, user: User) -> bool:
    return user.has_perm(one.tables_permission) and not one.refuses_tables(user)


def _told(one: Family, study: Study) -> list[dict[str, Any]]:
    """Tables of a family; none where the study has nothing of it."""
    try:
        tables: list[StatTable] = import_string(one.tables)(study=study, now=timezone.now())
    except NoProject:
        return []
    return [{"family": one.key, **tell_table(table)} for table in tables]


router = SimpleRouter()
router.register("statistics", StatisticsViewSet, basename="statistics")

urlpatterns = router.urls
