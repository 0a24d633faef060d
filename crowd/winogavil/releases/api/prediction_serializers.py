"""Serializers of predictions and of the table of models."""

from typing import Any

from rest_framework import serializers

from crowd.winogavil.releases.models import Prediction
from hits.api.fields import PublicId, UserName


class LineSerializer(serializers.Serializer[Any]):
    """Means are in per cent, as strings of decimals; null where there is nothing of that size."""

    name = serializers.CharField()
    notes = serializers.CharField()
    associations = serializers.IntegerField(source="items")
    means = serializers.DictField(child=serializers.DecimalField(4, 1, allow_null=True))
    prediction = serializers.UUIDField(source="prediction.public_id", allow_null=True)


class PredictionInput(serializers.ModelSerializer[Prediction]):
    file = serializers.FileField(help_text="CSV or JSON with ID and prediction, or with ID and scores.")
    is_part = serializers.BooleanField(
        required=False, default=False, help_text="The file covers only a part of the release."
    )

    class Meta:
        model = Prediction
        fields = ("model", "notes", "file", "is_part")


class UploadedPredictionSerializer(serializers.ModelSerializer[Prediction]):
    release = PublicId()
    made_by = UserName()

    class Meta:
        model = Prediction
        fields = ("public_id", "release", "model", "notes", "sha256", "rows", "made_by", "made_at")
        read_only_fields = fields
