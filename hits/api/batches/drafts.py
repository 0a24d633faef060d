"""A draft as it comes in: checked field by field, then written by the one service that may."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Model, QuerySet
from rest_framework import serializers

from hits import families
from hits.api.authentication import user_of
from hits.batches.services import drafting
from hits.core.errors import RuleBroken
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study
from hits.work import access

MOST_EXCLUSIONS = 200
LONGEST_S = 31_536_000


class NamedRow(serializers.UUIDField):
    """A row that the body names by its public id; a row that the user may not see counts as missing."""

    def __init__(self, rows: QuerySet[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rows = rows

    def to_internal_value(self, data: Any) -> Any:
        public_id = super().to_internal_value(data)
        rows = self._rows.all()
        if rows.model is not Account:
            rows = access.visible(rows, self.context["request"].user)
        row: Model | None = rows.filter(public_id=public_id).first()
        if row is None:
            raise serializers.ValidationError("There is none with this id.")
        return row


class DraftInput(serializers.ModelSerializer[Batch]):
    study = NamedRow(Study.objects.all())
    account = NamedRow(Account.objects.connected())
    task = serializers.CharField(max_length=32)
    source_batch = NamedRow(Batch.objects.all(), required=False, allow_null=True)
    exclude_batches = serializers.ListField(
        child=serializers.UUIDField(), max_length=MOST_EXCLUSIONS, required=False
    )

    class Meta:
        model = Batch
        fields = tuple(name for names in drafting.STEPS.values() for name in names)
        extra_kwargs = {
            **{name: {"required": False} for name in ("title", "description", "reward", "requirements")},
            **{name: {"max_value": LONGEST_S} for name in ("estimated_s", "duration_s", "lifetime_s")},
            "pilot_hits": {"max_value": 100_000},
        }

    def validate_task(self, task: str) -> str:
        if task not in families.offered():
            raise serializers.ValidationError(f"The tasks are {', '.join(families.offered())}.")
        return task

    def validate_exclude_batches(self, asked: list[UUID]) -> list[Batch]:
        """Find all named batches in one query, however many they are."""
        found = list(access.visible(Batch.objects.filter(public_id__in=asked), self.context["request"].user))
        if len(found) < len(set(asked)):
            raise serializers.ValidationError("Some of these do not exist.")
        return found

    def create(self, values: dict[str, Any]) -> Batch:
        """Create a draft; sent again with the same key, return the draft of the first request."""
        exclusions = values.pop("exclude_batches", [])
        key: UUID | None = values.pop("public_id", None)
        with transaction.atomic():
            user = user_of(self.context["request"])
            draft = drafting.start_draft(by=user, key=key, **values)
            if not access.may_see(draft, user):
                raise RuleBroken(
                    "key_used", "This key was used for a draft of another study. Take another key."
                )
            if exclusions:
                drafting.save_step(
                    batch=draft,
                    step="people",
                    values={"exclude_batches": [*exclusions, *draft.exclude_batches.all()]},
                )
        return draft

    def _excluded_unseen(self, draft: Batch) -> list[Batch]:
        """Excluded batches that this user cannot see: a colleague's exclusions stay."""
        seen = access.visible(Batch.objects.all(), self.context["request"].user)
        return list(draft.exclude_batches.exclude(pk__in=seen))

    def update(self, batch: Batch, values: dict[str, Any]) -> Batch:
        """Save the values. Raises RuleBroken if the batch is no draft any more, and then saves nothing."""
        with transaction.atomic():
            draft = drafting.lock_draft(batch)
            if "exclude_batches" in values:
                values["exclude_batches"] += self._excluded_unseen(draft)
            drafting.save_values(draft, values)
        return draft
