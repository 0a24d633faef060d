"""Consent texts, what was withdrawn, and association lists."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.api.batches.drafts import NamedRow
from hits.api.filters import Filters
from hits.api.listings import Listing
from hits.api.request_permissions import Need
from hits.api.verbs import Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from hits.studies.models import Study
from qualifications.admin.consent import PUBLISH, PUBLISHING
from qualifications.admin.consent import VIEW as LOOK
from qualifications.admin.swow import REMOVING
from qualifications.models import Consent, ConsentText, SwowList
from qualifications.services import consenting

PSEUDONYM = 16


class StudyFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")


class WithdrawalFilters(Filters):
    study = serializers.UUIDField(required=False, source="text__study__public_id")
    worker = serializers.CharField(required=False, max_length=PSEUDONYM, source="worker__pseudonym")


class ConsentDraft(serializers.Serializer[Any]):
    study = NamedRow(Study.objects.all())
    title = serializers.CharField(max_length=ConsentText._meta.get_field("title").max_length)
    text = serializers.CharField(max_length=consenting.LONGEST)
    asks_demographics = serializers.BooleanField(default=False, help_text="Ask workers about themselves too.")


class SeenText(serializers.Serializer[Any]):
    seen = serializers.CharField(
        required=False,
        max_length=128,
        help_text="The digest of the text that you have read; refused if it reads otherwise by now.",
    )


class ConsentTextViewSet(Listing):
    """The texts that workers are asked to agree to."""

    needs = {"create": Need(Scope.DRAFT, (LOOK, PUBLISH))}

    queryset: QuerySet[ConsentText] = ConsentText.objects.select_related("study")
    permissions = (LOOK,)
    study_path = "study"
    filters = StudyFilters
    admin_pages = {"qualifications_consent_draft": "create"}
    columns = (
        column("public_id", TEXT, "the text's id"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("version", INTEGER, "its number in the study"),
        column("title", TEXT, "its title"),
        column("text", TEXT, "the text"),
        column("asks_demographics", FLAG, "whether workers are asked about themselves too"),
        column("digest", TEXT, "what tells this wording from any other", of=consenting.digest_of),
        column("created_at", MOMENT, "when it was written"),
        column("published_at", MOMENT, "when it came into force; null for a draft"),
    )
    verbs = {
        "publish": Verb(
            action=PUBLISHING,
            about="Publish the draft. It never changes then, and every worker is asked to agree to it.",
            scope=Scope.LAUNCH,
            body=SeenText,
        )
    }

    @extend_schema(request=ConsentDraft)
    def create(self, request: Request) -> Response:
        """Write the study's one draft, or change it. No worker sees it before it is published."""
        values = self.read(ConsentDraft)
        draft = consenting.write_draft(**values, by=user_of(request), now=timezone.now())
        answer = self.answer_row(pk=draft.pk)
        answer.status_code = status.HTTP_201_CREATED
        return answer


class WithdrawalViewSet(Listing):
    """Consents that workers have withdrawn."""

    queryset: QuerySet[Consent] = Consent.objects.filter(withdrawn_at__isnull=False).select_related(
        "worker", "text__study"
    )
    permissions = (LOOK,)
    study_path = "text__study"
    filters = WithdrawalFilters
    columns = (
        column("public_id", TEXT, "the consent's id"),
        column("study", TEXT, "the study", of="text.study.public_id"),
        column("text", TEXT, "the version that was agreed to", of="text.public_id"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("given_at", MOMENT, "when the worker agreed"),
        column("withdrawn_at", MOMENT, "when the worker withdrew"),
        column("takes_work_out", FLAG, "whether the work leaves the data too"),
        column("taken_out_at", MOMENT, "when the last of it did"),
    )


class AssociationListViewSet(Listing):
    """The association lists from which test questions and concepts are drawn."""

    queryset: QuerySet[SwowList] = SwowList.objects.exclude(status=SwowList.Status.LEAVING)
    permissions = ("qualifications.view_swowlist",)
    study_path = None
    columns = (
        column("public_id", TEXT, "the list's id"),
        column("name", TEXT, "its name"),
        column("language", TEXT, "its language"),
        column("kind", TEXT, "the form of its file"),
        column("status", TEXT, "importing, ready or failed"),
        column("problem", TEXT, "why it failed"),
        column("sha256", TEXT, "SHA-256 of the file"),
        column("licence", TEXT, "its licence"),
        column("words_count", INTEGER, "how many words it has"),
        column("cues_count", INTEGER, "how many of them are cues"),
        column("edges_count", INTEGER, "how many associations it has"),
        column("imported_at", MOMENT, "when it was read"),
    )
    verbs = {
        "remove": Verb(
            action=REMOVING,
            scope=Scope.DRAFT,
            about="Remove the list. What was drawn from it stays. This cannot be undone.",
        )
    }
