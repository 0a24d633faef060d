"""Views of studies and of the ledger."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from rest_framework import mixins, serializers

from hits.admin.studies.copying import COPYING
from hits.api.authentication import user_of
from hits.api.fields import PublicId, UserName
from hits.api.filters import LedgerFilters, StudyFilters
from hits.api.idempotency import PatchMixin, Repeatable
from hits.api.request_permissions import need
from hits.api.resources import Resource
from hits.api.verbs import Verb, give_verbs
from hits.batches.services.budgets import grant_budget, refuse_new_currency
from hits.identity.api_tokens import Scope
from hits.identity.models.users import User
from hits.ledger.models.transfers import LedgerEntry
from hits.studies.models import FIXED_BY_LAUNCH, Study


class StudySerializer(serializers.ModelSerializer[Study]):
    budget_left = serializers.DecimalField(13, 2, read_only=True, allow_null=True)
    members = serializers.ListField(
        child=serializers.CharField(max_length=150),
        max_length=100,
        required=False,
        write_only=True,
        help_text="User names of all who see the study. Its creator is one of them.",
    )

    class Meta:
        model = Study
        fields = (
            "public_id",
            "name",
            "lab",
            "language",
            "time_zone",
            "grant_code",
            "bonus_rules",
            "currency",
            "budget",
            "reserved",
            "budget_left",
            "wage_floor",
            "rejections_a_day",
            "large_bonus",
            "many_bonuses",
            "large_run",
            "members",
            "own_people",
            "created_at",
        )
        read_only_fields = ("reserved",)
        extra_kwargs = {"rejections_a_day": {"max_value": 1_000_000}}

    def validate_members(self, names: list[str]) -> list[User]:
        found = {user.username: user for user in User.objects.filter(username__in=names, is_staff=True)}
        if unknown := sorted(set(names) - set(found)):
            raise serializers.ValidationError(f"There is no user called {', '.join(unknown)}.")
        return list(found.values())

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        study: Any = self.instance
        changed = [
            name
            for name in FIXED_BY_LAUNCH
            if study and values.get(name, getattr(study, name)) != getattr(study, name)
        ]
        if changed and study.batches.filter(launched_at__isnull=False).exists():
            raise serializers.ValidationError(
                dict.fromkeys(
                    changed, "It is fixed by the first launch. Make another study for something else."
                )
            )
        return values

    def to_representation(self, study: Study) -> dict[str, Any]:
        shown = super().to_representation(study)
        return {**shown, "members": sorted(user.username for user in study.members.all())}

    def create(self, values: dict[str, Any]) -> Study:
        members = values.pop("members", [])
        with transaction.atomic():
            study = Study.objects.create(**values)
            study.members.set({*members, user_of(self.context["request"])})
            grant_budget(study=study, by=user_of(self.context["request"]), now=timezone.now())
        return study

    def update(self, study: Study, values: dict[str, Any]) -> Study:
        """Save only the fields that were sent: a launch may be booking money on the same row."""
        members = values.pop("members", None)
        for name, value in values.items():
            setattr(study, name, value)
        with transaction.atomic():
            if "currency" in values:
                refuse_new_currency(study)
            study.save(update_fields=list(values))
            grant_budget(study=study, by=user_of(self.context["request"]), now=timezone.now())
            if members is not None:
                study.members.set(members)
        return study


class StudyCopy(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=128, help_text="The name of the new study.")
    budget = serializers.DecimalField(13, 2, min_value=0, help_text="In the study's currency.")
    same_people = serializers.BooleanField(
        default=True, help_text="Whether the members of the study are members of the new one."
    )


VERBS = {
    "copy": Verb(
        action=COPYING,
        about="Make a study with the settings of this one: no people, work, money or data go along.",
        scope=Scope.DRAFT,
        body=StudyCopy,
    )
}


class StudyViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Repeatable, PatchMixin, Resource):
    queryset = Study.objects.prefetch_related("members")
    serializer_class = StudySerializer
    filters = StudyFilters
    admin_pages = {"hits_study_add": "create", "hits_study_settings": "partial_update"}
    needs = {
        "list": need(Scope.READ, "view_study"),
        "retrieve": need(Scope.READ, "view_study"),
        "create": need(Scope.DRAFT, "add_study"),
        "partial_update": need(Scope.DRAFT, "change_study"),
    }
    verbs = VERBS


give_verbs(StudyViewSet, VERBS, look=need(Scope.READ, "view_study"))


class LedgerEntrySerializer(serializers.ModelSerializer[LedgerEntry]):
    study = PublicId()
    batch = PublicId()
    bonus = PublicId()
    by = UserName()

    currency = serializers.CharField(source="study.currency", read_only=True)

    class Meta:
        model = LedgerEntry
        fields = (
            "study",
            "batch",
            "bonus",
            "kind",
            "source",
            "target",
            "amount",
            "currency",
            "grant_code",
            "words",
            "by",
            "at",
        )


class LedgerViewSet(mixins.ListModelMixin, Resource):
    """The ledger: each row moves an amount from one book of a study to another. Rows are only ever added."""

    queryset: QuerySet[LedgerEntry] = LedgerEntry.objects.select_related("study", "batch", "bonus", "by")
    serializer_class = LedgerEntrySerializer
    filters = LedgerFilters
    needs = {"list": need(Scope.READ, "view_ledgerentry")}
