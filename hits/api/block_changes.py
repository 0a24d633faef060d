"""Blocks of workers, and what can be done about each."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from hits.admin.people.worker_blocks import BLOCKS
from hits.api.filters import Filters
from hits.api.listings import Listing
from hits.api.verbs import Verb
from hits.datasets.columns import INTEGER, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.people.services import blocking
from hits.work import access


class BlockFilters(Filters):
    worker = serializers.CharField(
        required=False, max_length=16, source="worker__pseudonym", help_text="A pseudonym."
    )
    kind = serializers.ChoiceField(Block.Kind.choices, required=False)
    status = serializers.ChoiceField(Block.Status.choices, required=False)


class Lifting(serializers.Serializer[Any]):
    reason = serializers.CharField(
        required=False, allow_blank=True, max_length=blocking.LONGEST_REASON, help_text="For the record."
    )


class WorkerBlockViewSet(Listing):
    """Blocks of workers, with those that are over."""

    queryset: QuerySet[Block] = Block.objects.select_related("worker__account", "by")
    permissions = ("hits.view_worker", "hits.view_block")
    study_path = None
    number = True
    filters = BlockFilters
    columns = (
        column("number", INTEGER, "the number of the block on this site", of="pk"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("kind", TEXT, "soft: our pages alone; hard: the provider too"),
        column("status", TEXT, "intended, active, lifting, lifted or refused"),
        column("reason", TEXT, "why, for the record"),
        column("by", TEXT, "who made it", of="by.username"),
        column("made_at", MOMENT, "when it was made"),
        column("lifted_at", MOMENT, "when it was lifted"),
        column("lifted_because", TEXT, "why it was lifted, if somebody said"),
        column("problem", TEXT, "why the provider refused, or that it lists the block no longer"),
    )
    verbs = {
        "lift": Verb(
            action=BLOCKS.actions["lift"],
            about="Lift the block. Blocks of the other kind stay.",
            scope=Scope.WORKERS,
            body=Lifting,
        ),
        "again": Verb(
            action=BLOCKS.actions["again"],
            about="Ask the provider again after its refusal.",
            scope=Scope.WORKERS,
        ),
    }

    def get_queryset(self) -> QuerySet[Any]:
        """Blocks of workers whom the user may see."""
        workers = access.visible(Worker.objects.all(), self.request.user)
        return super().get_queryset().filter(worker__in=workers.values("pk"))
