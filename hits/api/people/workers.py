"""Views of workers, under their pseudonyms, and of blocks. A block covers the whole account."""

from typing import Any

from django.db.models import Prefetch
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.api.fields import PublicId, UserName
from hits.api.filters import WorkerFilters
from hits.api.request_permissions import need
from hits.api.resources import Resource
from hits.core.errors import RuleBroken
from hits.identity.api_tokens import Scope
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.people.services import blocking

OVER = (Block.Status.LIFTED, Block.Status.REFUSED)


class BlockSerializer(serializers.ModelSerializer[Block]):
    by = UserName()

    class Meta:
        model = Block
        fields = ("kind", "status", "reason", "by", "made_at", "lifted_at", "problem")
        read_only_fields = ("status", "made_at", "lifted_at", "problem")


class LiftInput(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(Block.Kind.choices)


class WorkerSerializer(serializers.ModelSerializer[Worker]):
    account = PublicId()
    blocked = serializers.SerializerMethodField(help_text="The kinds of block that are not over.")

    class Meta:
        model = Worker
        fields = ("public_id", "pseudonym", "account", "blocked", "created_at")

    def get_blocked(self, worker: Worker) -> list[str]:
        return [block.kind for block in worker.blocks.all()]


class WorkerViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    queryset = Worker.objects.select_related("account").prefetch_related(
        Prefetch("blocks", Block.objects.exclude(status__in=OVER).order_by("pk"))
    )
    serializer_class = WorkerSerializer
    filters = WorkerFilters
    admin_pages = {"hits_worker_block": "block"}
    needs = {
        "list": need(Scope.READ, "view_worker"),
        "retrieve": need(Scope.READ, "view_worker"),
        "blocks": need(Scope.READ, "view_worker", "view_block"),
        "block": need(Scope.WORKERS, "block_worker"),
        "lift": need(Scope.WORKERS, "block_worker"),
    }

    @extend_schema(responses=BlockSerializer(many=True))
    @action(detail=True)
    def blocks(self, request: Request, public_id: str) -> Response:
        """List this worker's blocks, including those that are over."""
        blocks = Block.objects.filter(worker=self.get_object()).select_related("by")
        return self.answer_page(blocks, BlockSerializer)

    @extend_schema(request=BlockSerializer, responses={201: BlockSerializer})
    @action(detail=True, methods=["post"])
    def block(self, request: Request, public_id: str) -> Response:
        """Block this worker on the whole account: softly (on this site only), or also at the provider."""
        worker, values = self.get_object(), self.read(BlockSerializer)
        block = blocking.block_worker(worker=worker, by=user_of(request), now=timezone.now(), **values)
        return Response(BlockSerializer(block).data, status=201)

    @extend_schema(request=LiftInput, responses=BlockSerializer)
    @action(detail=True, methods=["post"])
    def lift(self, request: Request, public_id: str) -> Response:
        """Lift this worker's block of one kind."""
        worker, kind = self.get_object(), self.read(LiftInput)["kind"]
        block = Block.objects.filter(worker=worker, kind=kind).exclude(status__in=OVER).first()
        if block is None:
            raise RuleBroken("not_blocked", "This worker is not blocked in this way.")
        blocking.lift_block(block=block, by=user_of(request), now=timezone.now())
        block.refresh_from_db()
        return Response(BlockSerializer(block).data)
