"""Workers' appeals, and their answers."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from hits.admin.review.appeals import ANSWERING
from hits.api.fields import YesNo
from hits.api.filters import Filters
from hits.api.listings import Listing
from hits.api.verbs import Verb
from hits.datasets.columns import MOMENT, TEXT, column, user_column
from hits.identity.api_tokens import Scope
from hits.review.models import Appeal
from hits.review.services import appeal_handling


class AppealFilters(Filters):
    study = serializers.UUIDField(required=False, source="assignment__hit__batch__study__public_id")
    batch = serializers.UUIDField(required=False, source="assignment__hit__batch__public_id")
    assignment = serializers.UUIDField(required=False, source="assignment__public_id")
    worker = serializers.CharField(
        required=False, max_length=16, source="worker__pseudonym", help_text="A pseudonym."
    )
    status = serializers.ChoiceField(Appeal.Status.choices, required=False)


class Answer(serializers.Serializer[Any]):
    granted = YesNo(help_text="Whether the worker is right.")
    amount = serializers.DecimalField(
        10,
        2,
        required=False,
        allow_null=True,
        help_text="What is owed besides, if it is granted. Nothing is paid before a run of two people.",
    )
    answer = serializers.CharField(
        max_length=appeal_handling.LONGEST, help_text="The worker reads it. It cannot be changed later."
    )


class AppealViewSet(Listing):
    """Questions of workers about their work and pay."""

    queryset: QuerySet[Appeal] = Appeal.objects.select_related(
        "worker", "answered_by", "assignment__account", "assignment__worker", "assignment__hit__batch__study"
    )
    permissions = ("hits.view_appeal",)
    study_path = Appeal.study_path
    filters = AppealFilters
    admin_pages = {"hits_appeal_change": "answer", "hits_appeal_answer": "answer"}
    columns = (
        column("public_id", TEXT, "the appeal's id"),
        column("study", TEXT, "the study", of="assignment.hit.batch.study.public_id"),
        column("batch", TEXT, "the batch", of="assignment.hit.batch.public_id"),
        column("assignment", TEXT, "the work that it is about", of="assignment.public_id"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("text", TEXT, "what the worker asks"),
        column("status", TEXT, "open, granted, answered or withdrawn"),
        column("made_at", MOMENT, "when it was made"),
        column("answer", TEXT, "what the worker reads"),
        user_column("answered_by", "who answered; null before that"),
        column("answered_at", MOMENT, "when it was answered"),
    )
    verbs = {
        "answer": Verb(
            action=ANSWERING,
            about="Answer the appeal. Of two people who answer, the second is refused.",
            scope=Scope.REVIEW,
            body=Answer,
        )
    }
