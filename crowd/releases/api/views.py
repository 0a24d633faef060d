from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import FileResponse, Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.winogavil.releases.api.filters import FileFilters, ReleaseFilters
from crowd.winogavil.releases.api.prediction_serializers import (
    LineSerializer,
    PredictionInput,
    PredictionSerializer,
    ReleaseSerializer,
)
from crowd.winogavil.releases.models import Release
from crowd.winogavil.releases.queries.model_table import table
from crowd.winogavil.releases.services import prediction_scores, taking
from hits.api.authentication import user_of
from hits.api.filters import Filters, read_query
from hits.api.request_permissions import Need
from hits.api.resources import Resource
from hits.core.errors import RuleBroken
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of

LOOK = Need(Scope.EXPORT, ("winogavil_releases.view_release",))
TAKE = Need(Scope.EXPORT, ("winogavil_releases.view_release", "hits.export_batch"))
PREDICT = Need(Scope.EXPORT, ("winogavil_releases.view_release", "winogavil_releases.add_prediction"))


class ReleaseViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """The data of a study, frozen in files. They are made and published in the admin."""

    queryset: QuerySet[Release] = Release.objects.select_related("study", "made_by", "released_by")
    serializer_class = ReleaseSerializer
    # Predictions come as a form with a file.
    parser_classes = (MultiPartParser,)
    filters = ReleaseFilters
    queries: ClassVar[dict[str, type[Filters]]] = {"download": FileFilters}
    needs: ClassVar[dict[str, Need]] = {
        "list": LOOK,
        "retrieve": LOOK,
        "download": TAKE,
        "predictions": LOOK,
        "add_prediction": PREDICT,
    }

    def get_queryset(self) -> QuerySet[Release]:
        rows = Release.objects.select_related("study", "made_by", "released_by")
        return rows.filter(study__in=studies_of(self.request.user))

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    @action(detail=True)
    def download(self, request: Request, public_id: str) -> FileResponse:
        """Take one file of a release that is ready."""
        release, name = self.get_object(), read_query(request, FileFilters)["name"]
        file = taking.open_file(release=release, name=name, by=user_of(request), now=timezone.now())
        if file is None:
            raise Http404
        answer = FileResponse(file, as_attachment=True, filename=taking.download_name(release, name))
        answer["Cache-Control"] = "no-store"
        return answer

    @extend_schema(responses=LineSerializer(many=True))
    @action(detail=True)
    def predictions(self, request: Request, public_id: str) -> Response:
        """Show models beside people and chance: mean Jaccard indices by the number of candidates."""
        release = self.get_object()
        if not release.is_complete:
            raise RuleBroken("not_ready", "Predictions are held against a release that is ready.")
        return Response(LineSerializer(table(release), many=True).data)

    @extend_schema(request=PredictionInput, responses={201: PredictionSerializer})
    @predictions.mapping.post
    def add_prediction(self, request: Request, public_id: str) -> Response:
        """Score a model's predictions: all lines of the file, or none."""
        release, values = self.get_object(), self._read(request)
        added = prediction_scores.add_prediction(
            release=release, by=user_of(request), now=timezone.now(), **values
        )
        return Response(PredictionSerializer(added).data, status=201)

    def _read(self, request: Request) -> dict[str, Any]:
        values: dict[str, Any] = self.read(PredictionInput)
        if values["file"].size > prediction_scores.MOST_BYTES:
            most = prediction_scores.MOST_BYTES // 1024 // 1024
            raise serializers.ValidationError({"file": [f"The file has more than {most} MB."]})
        return values
