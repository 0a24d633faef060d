"""Read-only views of bonuses and accounts."""

from rest_framework import mixins, serializers

from hits.api.fields import Pseudonym, PublicId
from hits.api.filters import BonusFilters, Filters
from hits.api.request_permissions import need
from hits.api.resources import Resource
from hits.identity.api_tokens import Scope
from hits.ledger.models.bonuses import Bonus
from hits.providers.models.accounts import Account


class BonusSerializer(serializers.ModelSerializer[Bonus]):
    assignment = PublicId()
    batch = PublicId(source="assignment.hit.batch")
    worker = Pseudonym(source="assignment.worker")

    class Meta:
        model = Bonus
        fields = (
            "public_id",
            "assignment",
            "batch",
            "worker",
            "rule",
            "amount",
            "currency",
            "reason",
            "status",
            "problem",
            "owed_at",
            "approved_at",
            "sent_at",
            "confirmed_at",
        )


class BonusViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """Bonuses, read-only: a person approves them in the admin, and no token can."""

    queryset = Bonus.objects.select_related("assignment__hit__batch", "assignment__worker")
    serializer_class = BonusSerializer
    filters = BonusFilters
    needs = {
        "list": need(Scope.READ, "view_bonus"),
        "retrieve": need(Scope.READ, "view_bonus"),
    }


class AccountSerializer(serializers.ModelSerializer[Account]):
    class Meta:
        model = Account
        fields = ("public_id", "name", "environment", "fee_schedule", "currency", "created_at")


class AccountViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """Accounts that batches can be launched on, without their credentials."""

    queryset = Account.objects.connected()
    serializer_class = AccountSerializer
    filters = Filters
    needs = {
        "list": need(Scope.READ, "view_account"),
        "retrieve": need(Scope.READ, "view_account"),
    }

    def get_queryset(self):  # type: ignore[no-untyped-def]  # noqa: ANN201
        """Accounts belong to no study: the permission alone decides."""
        return Account.objects.connected()
