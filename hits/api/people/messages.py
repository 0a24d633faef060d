"""Messages to workers, and their delivery."""

from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.api.fields import PublicId, UserName
from hits.api.filters import MessageFilters
from hits.api.idempotency import Repeatable
from hits.api.request_permissions import need
from hits.api.resources import Resource
from hits.core.errors import RuleBroken
from hits.identity.api_tokens import Scope
from hits.identity.models.workers import Worker
from hits.people.models import Message, Recipient
from hits.people.services import worker_letters
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from hits.work import access

MOST_WORKERS = 1000


class MessageSerializer(serializers.ModelSerializer[Message]):
    account = PublicId()
    study = PublicId()
    by = UserName()
    waiting = serializers.IntegerField()
    sent = serializers.IntegerField()
    failed = serializers.IntegerField()
    unknown = serializers.IntegerField(help_text="It is unknown whether these were delivered.")

    class Meta:
        model = Message
        fields = (
            "public_id",
            "account",
            "study",
            "subject",
            "text",
            "by",
            "made_at",
            "waiting",
            "sent",
            "failed",
            "unknown",
        )
        read_only_fields = fields


class MessageInput(serializers.Serializer[Any]):
    account = serializers.UUIDField()
    study = serializers.UUIDField(required=False, allow_null=True, default=None)
    workers = serializers.ListField(child=serializers.UUIDField(), min_length=1, max_length=MOST_WORKERS)
    subject = serializers.CharField(max_length=worker_letters.LONGEST_SUBJECT)
    text = serializers.CharField(max_length=worker_letters.LONGEST_TEXT)


class RetryInput(serializers.Serializer[Any]):
    status = serializers.ChoiceField([Recipient.Status.FAILED.value, Recipient.Status.UNKNOWN.value])
    sure = serializers.BooleanField(
        default=False, help_text="Needed where delivery is unknown: a worker may get the message twice."
    )


class MessageViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Repeatable, Resource):
    queryset = Message.objects.select_related("account", "study", "by")
    serializer_class = MessageSerializer
    input_class = MessageInput
    filters = MessageFilters
    admin_pages = {"hits_message_compose": "create", "hits_message_retry": "retry"}
    needs = {
        "list": need(Scope.READ, "view_message"),
        "retrieve": need(Scope.READ, "view_message"),
        "create": need(Scope.WORKERS, "send_message"),
        "retry": need(Scope.WORKERS, "view_message", "send_message"),
    }

    def get_queryset(self) -> QuerySet[Message]:
        """Messages of studies that the user sees, and messages that the user wrote."""
        user = self.request.user
        rows = Message.objects.select_related("account", "study", "by").annotate(
            waiting=_count(Recipient.Status.WAITING, Recipient.Status.SENDING),
            sent=_count(Recipient.Status.SENT),
            failed=_count(Recipient.Status.FAILED),
            unknown=_count(Recipient.Status.UNKNOWN),
        )
        if user.has_perm(access.SEES_ALL):
            return rows
        return rows.filter(Q(study__in=access.studies_of(user)) | Q(by=user.pk))

    def make(self, serializer: serializers.BaseSerializer[Any], *, public_id: UUID | None) -> Message:
        user, values = user_of(self.request), serializer.validated_data
        study = values["study"] and self.find(Study.objects.all(), field="study", public_id=values["study"])
        workers = access.visible(Worker.objects.filter(public_id__in=values["workers"]), user)
        if len(found := list(workers)) < len(set(values["workers"])):
            raise serializers.ValidationError({"workers": ["Some of these do not exist. Nothing was sent."]})
        account = Account.objects.filter(public_id=values["account"]).first()
        if account is None:
            raise serializers.ValidationError({"account": ["There is none with this id."]})
        return worker_letters.write_message(
            account=account,
            study=study,
            workers=found,
            subject=values["subject"],
            text=values["text"],
            by=user,
            now=timezone.now(),
            public_id=public_id,
        )

    @extend_schema(request=RetryInput, responses=MessageSerializer)
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, public_id: str) -> Response:
        """Send the message again to those whom it failed to reach, or perhaps did."""
        message, values = self.get_object(), self.read(RetryInput)
        status = values["status"]
        if status == Recipient.Status.UNKNOWN and not values["sure"]:
            raise RuleBroken(
                "not_sure", "A worker may get the message twice. Say so with sure, and it is sent again."
            )
        recipients = message.recipients.filter(status=status)
        worker_letters.retry_recipients(recipients=recipients, by=user_of(request))
        return self.answer_row(pk=message.pk)


def _count(*statuses: Recipient.Status) -> Count:
    return Count("recipients", filter=Q(recipients__status__in=statuses))
