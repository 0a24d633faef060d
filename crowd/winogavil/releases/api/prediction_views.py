from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.releases.api.views import LOOK, VIEW
from crowd.releases.models import Release
from crowd.winogavil.releases.admin.prediction_actions import PREDICTIONS
from crowd.winogavil.releases.api.prediction_serializers import (
    LineSerializer,
    PredictionInput,
    UploadedPredictionSerializer,
)
from crowd.winogavil.releases.models import Prediction
from crowd.winogavil.releases.queries.model_table import table
from crowd.winogavil.releases.services import prediction_scores
from hits.api.authentication import user_of
from hits.api.filters import Filters
from hits.api.listings import Listing, public_id_of
from hits.api.request_permissions import Need
from hits.api.resources import Resource
from hits.api.verbs import Verb
from hits.core.errors import RuleBroken
from hits.datasets.columns import INTEGER, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of

ROW = "the id of its row, by which it is deleted"


class PredictionFilters(Filters):
    release = serializers.UUIDField(required=False, source="release__public_id")
    study = serializers.UUIDField(required=False, source="release__study__public_id")


class PredictionViewSet(Listing):
    """Models' predictions on releases, as they were uploaded."""

    queryset = Prediction.objects.select_related("release", "made_by")
    permissions = (VIEW,)
    scope = Scope.EXPORT
    study_path = "release__study"
    filters = PredictionFilters
    columns = (
        column("public_id", TEXT, ROW),
        column("release", TEXT, "the release", of=public_id_of("release")),
        column("model", TEXT, "the model's name"),
        column("notes", TEXT, "what tells it from others"),
        column("sha256", TEXT, "of the file as it was uploaded"),
        column("rows", INTEGER, "how many associations it covers"),
        column("made_by", TEXT, "who uploaded it", of="made_by.username"),
        column("made_at", MOMENT, "when"),
    )
    verbs: ClassVar[dict[str, Verb]] = {
        "remove": Verb(
            action=PREDICTIONS.actions["delete"],
            scope=Scope.EXPORT,
            about="Delete a model's predictions. This cannot be undone.",
        )
    }


PREDICT = Need(Scope.EXPORT, (VIEW, "winogavil_releases.add_prediction"))


class ReleasePredictionViewSet(Resource):
    """Models beside people on a release of associations."""

    queryset: QuerySet[Release] = Release.objects.select_related("study")
    # Predictions come as a form with a file.
    parser_classes = (MultiPartParser,)
    admin_pages = {"winogavil_releases_predict": "add_prediction"}
    needs: ClassVar[dict[str, Need]] = {"predictions": LOOK, "add_prediction": PREDICT}

    def get_queryset(self) -> QuerySet[Release]:
        rows = Release.objects.select_related("study").filter(family="winogavil")
        return rows.filter(study__in=studies_of(self.request.user))

    @extend_schema(responses=LineSerializer(many=True))
    @action(detail=True)
    def predictions(self, request: Request, public_id: str) -> Response:
        """Show models beside people and chance: mean Jaccard indices by the number of candidates."""
        release = self.get_object()
        if not release.is_complete:
            raise RuleBroken("not_ready", "Predictions are held against a release that is ready.")
        return Response(LineSerializer(table(release), many=True).data)

    @extend_schema(request=PredictionInput, responses={201: UploadedPredictionSerializer})
    @predictions.mapping.post
    def add_prediction(self, request: Request, public_id: str) -> Response:
        """Score a model's predictions: all lines of the file, or none."""
        release, values = self.get_object(), self._read(request)
        added = prediction_scores.add_prediction(
            release=release, by=user_of(request), now=timezone.now(), **values
        )
        return Response(UploadedPredictionSerializer(added).data, status=201)

    def _read(self, request: Request) -> dict[str, Any]:
        values: dict[str, Any] = self.read(PredictionInput)
        if values["file"].size > prediction_scores.MOST_BYTES:
            most = prediction_scores.MOST_BYTES // 1024 // 1024
            raise serializers.ValidationError({"file": [f"The file has more than {most} MB."]})
        return values
