"""Serializers that show batches."""

from typing import Any

from rest_framework import serializers

from hits.api.fields import PublicId, UserName
from hits.batches.models import BatchEvent
from hits.batches.services import drafting
from hits.studies.models import Batch


class CostSerializer(serializers.Serializer[Any]):
    """The highest possible cost: every place filled, every bonus earned."""

    rewards = serializers.DecimalField(13, 2)
    fees = serializers.DecimalField(13, 2)
    bonuses = serializers.DecimalField(13, 2)
    bonus_fees = serializers.DecimalField(13, 2)
    total = serializers.DecimalField(13, 2)


class BatchSerializer(serializers.ModelSerializer[Batch]):
    study = PublicId()
    account = PublicId()
    source_batch = PublicId()
    exclude_batches = PublicId(many=True)
    launched_by = UserName()
    currency = serializers.CharField(help_text="Of all its amounts: the study's.")
    cost = CostSerializer()
    places = serializers.IntegerField(help_text="Assignments when every place is filled.")
    submitted = serializers.IntegerField()

    class Meta:
        model = Batch
        fields = (
            "public_id",
            *(name for names in drafting.STEPS.values() for name in names),
            "status",
            "problem",
            "places",
            "submitted",
            "currency",
            "cost",
            "reserved",
            "created_at",
            "launched_at",
            "launched_by",
            "pilot_released_at",
            "cancelled_at",
        )
        read_only_fields = fields


class EventSerializer(serializers.ModelSerializer[BatchEvent]):
    by = UserName()

    class Meta:
        model = BatchEvent
        fields = ("kind", "words", "by", "at")


class ProgressSerializer(serializers.Serializer[Any]):
    hits = serializers.IntegerField()
    hits_sent = serializers.IntegerField()
    places = serializers.IntegerField()
    submitted = serializers.IntegerField()
    approved = serializers.IntegerField()
    bonuses_owed = serializers.DecimalField(13, 2)
    bonuses_paid = serializers.DecimalField(13, 2)


class WageBarSerializer(serializers.Serializer[Any]):
    start = serializers.DecimalField(13, 2)
    end = serializers.DecimalField(13, 2, allow_null=True)
    count = serializers.IntegerField()


class WagesSerializer(serializers.Serializer[Any]):
    """The hourly pay of approved work, bonuses included. Without a floor, nothing is below it."""

    floor = serializers.DecimalField(
        13, 2, allow_null=True, help_text="The study's, an hour, in its currency."
    )
    approved = serializers.IntegerField()
    measured = serializers.IntegerField(help_text="How many of them have a time.")
    median = serializers.DecimalField(13, 2, allow_null=True)
    tenth = serializers.DecimalField(
        13, 2, allow_null=True, help_text="Tenth percentile: nine of ten earn at least this."
    )
    is_low = serializers.BooleanField(help_text="The tenth percentile is below the floor.")
    below = serializers.IntegerField(help_text="How many are below the floor.")
    due = serializers.IntegerField(help_text="How many top-ups a person could propose now.")
    total = serializers.DecimalField(13, 2, help_text="What these come to.")
    bars = WageBarSerializer(many=True)


class FiguresSerializer(serializers.Serializer[Any]):
    progress = ProgressSerializer(help_text="Counted now.")
    figures = serializers.DictField(help_text="Counted a moment ago, with times, wages and what was spent.")
    is_stale = serializers.BooleanField(help_text="Something has changed since the figures were counted.")
