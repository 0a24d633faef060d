"""Attention items, for notebooks: what is known of which item, stated, taken over, and removed."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits import families
from hits.admin.actions import Call
from hits.api.authentication import user_of
from hits.api.batches.drafts import NamedRow
from hits.api.filters import Filters
from hits.api.listings import JSON, Listing
from hits.api.request_permissions import Need
from hits.api.verbs import Done
from hits.core.errors import RuleBroken
from hits.datasets.columns import INTEGER, MOMENT, TEXT, column, user_column
from hits.identity.api_tokens import Scope
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.models.known_answers import KnownAnswer
from hits.work.services.attention_items import NOT_MIXED, KnownChoice, forget_answers, know_answers
from scoring.admin.attention_actions import CHANGE, MOST_AT_ONCE, VIEW, AttentionTask, take_over

LONGEST = 300
MAY_CHANGE = Need(Scope.DRAFT, (VIEW, CHANGE))


class AttentionFilters(Filters):
    study = serializers.UUIDField(required=False, source="item__study__public_id")
    task = serializers.CharField(required=False, max_length=32, source="item__task")
    item = serializers.UUIDField(required=False, source="item__public_id")


class ChoiceInput(serializers.Serializer[Any]):
    """What is known of one question about the item, in the words of the files on quality."""

    question = serializers.CharField(max_length=LONGEST, allow_blank=True, default="")
    about = serializers.CharField(max_length=LONGEST, allow_blank=True, default="")
    label = serializers.CharField(max_length=LONGEST)  # type: ignore[assignment]


class KnownInput(serializers.Serializer[Any]):
    study = NamedRow(Study.objects.all())
    item = serializers.UUIDField()
    choices = serializers.ListField(child=ChoiceInput(), min_length=1, max_length=200)


class TakeInput(serializers.Serializer[Any]):
    study = NamedRow(Study.objects.all())
    task = serializers.CharField(max_length=32)
    least = serializers.IntegerField(
        min_value=2, max_value=100, help_text="How many people at least have all said the same."
    )
    most = serializers.IntegerField(
        min_value=1, max_value=MOST_AT_ONCE, help_text="How many items at most become attention items."
    )


class AttentionItemViewSet(Listing):
    """Items with known answers, which workers meet among the others. Answers to them count nowhere."""

    queryset: QuerySet[KnownAnswer] = KnownAnswer.objects.select_related("item__study", "known_by")
    permissions = (VIEW,)
    study_path = "item__study"
    number = True
    filters = AttentionFilters
    needs: ClassVar[Mapping[str, Need]] = {
        "create": MAY_CHANGE,
        "take": MAY_CHANGE,
        "forget": MAY_CHANGE,
    }
    columns = (
        column("number", INTEGER, "the number of the row on this site", of="pk"),
        column("study", TEXT, "the study", of="item.study.public_id"),
        column("task", TEXT, "the task", of="item.task"),
        column("item", TEXT, "the item", of="item.public_id"),
        column("choices", JSON, "what is known: question, which thing of the item, and answer"),
        column("known_at", MOMENT, "since when"),
        user_column("known_by", "who stated it"),
    )

    @extend_schema(request=KnownInput)
    def create(self, request: Request) -> Response:
        """State what is known of an item: it becomes an attention item. Sent again, it is there once."""
        given = self.read(KnownInput)
        study = given["study"]
        item = get_object_or_404(Item, study=study, public_id=given["item"])
        known = [KnownChoice(**choice) for choice in given["choices"]]
        _check_stated(study, item, known)
        know_answers({item.pk: known}, study=study, task=item.task, by=user_of(request), now=timezone.now())
        row = self.get_queryset().get(item=item)
        return Response(self.get_serializer(row).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=TakeInput, responses=Done)
    @action(detail=False, methods=["post"])
    def take(self, request: Request) -> Response:
        """Make attention items of finished items that people have all answered alike."""
        given = self.read(TakeInput)
        if not families.mixes_attention(given["task"]):
            raise RuleBroken("no_attention_items", NOT_MIXED)
        row = AttentionTask(study=given["study"], task=families.get(given["task"]))
        call = Call(rows=[row], by=user_of(request), now=timezone.now(), values=given)
        return Response(Done({"message": take_over(call).said, "problems": []}).data)

    @extend_schema(request=None, responses=Done)
    @action(detail=True, methods=["post"])
    def forget(self, request: Request, pk: str) -> Response:
        """Make the item an ordinary one again. Answers to it are evidence no more."""
        item = self.get_object().item
        count = forget_answers([item.pk], study=item.study, by=user_of(request), now=timezone.now())
        return Response(Done({"message": f"Attention items: {count} fewer.", "problems": []}).data)


def _check_stated(study: Study, item: Item, known: list[KnownChoice]) -> None:
    """Raise ValidationError for an answer that nobody could give: the page offers those that are given."""
    # numpy is slow to load, and most processes never need it.
    from scoring.queries.attention_candidates import choices_about  # noqa: PLC0415

    if not families.mixes_attention(item.task):
        raise RuleBroken("no_attention_items", NOT_MIXED)
    about = choices_about(study, families.get(item.task), item.public_id)
    if about is None:
        raise RuleBroken("needs_answers", "Nobody has answered this item yet.")
    wrong = [one for one in known if one.label not in about.offered.get((one.question, one.about), ())]
    if wrong:
        offered = [
            {"question": question, "about": thing, "labels": list(labels)}
            for (question, thing), labels in about.offered.items()
        ]
        raise serializers.ValidationError({"choices": f"The answers to this item are: {offered}."})
