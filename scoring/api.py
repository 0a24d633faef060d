"""Rivals, what they answered, and the scores of work, for notebooks.

Work that its worker had taken out of the data is told nowhere here.
"""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter

from hits.api.authentication import user_of
from hits.api.batches.drafts import NamedRow
from hits.api.filters import Filters
from hits.api.listings import JSON, Listing, public_id_of
from hits.api.request_permissions import Need
from hits.datasets.columns import FLAG, INTEGER, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from hits.studies.models import Study
from hits.work.queries.taken_out import taken_out_by_its_worker
from scoring.admin.rivals import CHANGE as CHANGE_RIVAL
from scoring.admin.studies import CHANGE
from scoring.attention_api import AttentionItemViewSet
from scoring.models import RegisteredRival, RivalQuery, Score, StudyRival, Verdict
from scoring.models.model_facts import MOST
from scoring.services.rescoring import rescore_study
from scoring.services.rival_selection import play_against
from scoring.services.stated_facts import state_facts

LONGEST = 64


class RivalFilters(Filters):
    name = serializers.CharField(required=False, max_length=LONGEST)
    kind = serializers.ChoiceField(RegisteredRival.Kind.choices, required=False)


class StudyRivalFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")
    rival = serializers.CharField(required=False, max_length=LONGEST, source="rival__name")


class QueryFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")
    assignment = serializers.UUIDField(required=False, source="assignment__public_id")
    item = serializers.UUIDField(required=False, source="item__public_id")


class VerdictFilters(Filters):
    study = serializers.UUIDField(required=False, source="rival_query__study__public_id")
    query = serializers.UUIDField(required=False, source="rival_query__public_id")
    rival = serializers.CharField(required=False, max_length=LONGEST, source="rival__name")


class ScoreFilters(Filters):
    study = serializers.UUIDField(required=False, source="item__study__public_id")
    batch = serializers.UUIDField(required=False, source="assignment__hit__batch__public_id")
    assignment = serializers.UUIDField(required=False, source="assignment__public_id")
    item = serializers.UUIDField(required=False, source="item__public_id")
    measure = serializers.CharField(required=False, max_length=32)


class StatedFacts(serializers.Serializer[Any]):
    """What a person says of a model. What is left out stays as it is."""

    pretraining_images = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=MOST
    )
    pretraining_captions = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=MOST
    )
    trained_for = serializers.CharField(required=False, allow_blank=True, max_length=200)


FACT_COLUMNS = (
    column("parameters", INTEGER, "how many numbers it has learned; null where that is not known"),
    column("pretraining_images", INTEGER, "how many images it has learned from"),
    column("pretraining_captions", INTEGER, "how many captions it has learned from"),
    column("trained_for", TEXT, "what it was trained for"),
)


class RivalViewSet(Listing):
    """The models that may answer beside people. They are added on the server, where their weights lie."""

    queryset: QuerySet[RegisteredRival] = RegisteredRival.objects.all()
    permissions = ("scoring.view_registeredrival",)
    needs = {"partial_update": Need(Scope.DRAFT, ("scoring.view_registeredrival", CHANGE_RIVAL))}
    admin_pages = {"scoring_registeredrival_change": "partial_update"}
    study_path = None
    number = True
    filters = RivalFilters
    columns = (
        column("number", INTEGER, "the number of the rival on this site", of="pk"),
        column("name", TEXT, "its name on this site"),
        column("kind", TEXT, "what it reads: captions, pictures, or text"),
        column("model", TEXT, "the model's own name"),
        column("source", TEXT, "where the weights came from"),
        column("weights_sha256", TEXT, "SHA-256 of the weights; empty until a packaged model was first read"),
        column("options", JSON, "how it is asked"),
        column("added_at", MOMENT, "when it was registered"),
        *FACT_COLUMNS,
    )

    @extend_schema(request=StatedFacts)
    def partial_update(self, request: Request, pk: str) -> Response:
        """State what is known of a model. Its parameters are counted when it is loaded."""
        rival, given = self.get_object(), self.read(StatedFacts)
        state_facts(rival=rival, facts=given, by=user_of(request), now=timezone.now())
        return self.answer_row(pk=rival.pk)


class RivalChoice(serializers.Serializer[Any]):
    study = NamedRow(Study.objects.all())
    rival = serializers.CharField(max_length=LONGEST, help_text="The name of a rival of this site.")
    is_paid = serializers.BooleanField(
        default=False, help_text="Pay bonuses on this rival from now on. What was asked before stays."
    )

    def validate_rival(self, name: str) -> RegisteredRival:
        if found := RegisteredRival.objects.filter(name=name).first():
            return found
        raise serializers.ValidationError("There is no rival of this name here.")


class StudyRivalViewSet(Listing):
    """The rivals that a study plays against."""

    needs = {"create": Need(Scope.DRAFT, ("scoring.view_studyrival", CHANGE))}

    queryset: QuerySet[StudyRival] = StudyRival.objects.select_related("study", "rival")
    permissions = ("scoring.view_studyrival",)
    study_path = "study"
    number = True
    filters = StudyRivalFilters
    admin_pages = {"scoring_rescore": "create", "scoring_play": "create"}
    columns = (
        column("number", INTEGER, "the number of this row", of="pk"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("rival", TEXT, "the rival's name", of="rival.name"),
        column("is_paid", FLAG, "whether bonuses are paid on this rival's answers"),
        column("added_at", MOMENT, "since when the study plays against it"),
    )

    @extend_schema(request=RivalChoice)
    def create(self, request: Request) -> Response:
        """Play against a rival: put all that was asked to it, or pay on it from now on.

        Sent again, it asks what the rival was not asked yet. Nothing that was paid changes.
        """
        given = self.read(RivalChoice)
        chosen = {"study": given["study"], "rival": given["rival"]}
        if given["is_paid"]:
            play_against(**chosen, by=user_of(request), now=timezone.now(), paid=True)
        else:
            rescore_study(**chosen, by=user_of(request), now=timezone.now())
        answer = self.answer_row(**chosen)
        answer.status_code = status.HTTP_201_CREATED
        return answer


class RivalQueryViewSet(Listing):
    """The words that workers asked rivals about, with the pictures in the order shown."""

    queryset: QuerySet[RivalQuery] = RivalQuery.objects.exclude(
        taken_out_by_its_worker("assignment")
    ).select_related("study", "assignment", "item", "paid_on")
    permissions = ("scoring.view_verdict",)
    study_path = "study"
    filters = QueryFilters
    columns = (
        column("public_id", TEXT, "the query's id"),
        column("study", TEXT, "the study", of="study.public_id"),
        column(
            "assignment",
            TEXT,
            "the work that asked; null if no worker did",
            of=public_id_of("assignment"),
        ),
        column("slot", INTEGER, "which word of that work it is"),
        column(
            "item",
            TEXT,
            "the item that people solve; null before there is one",
            of=public_id_of("item"),
        ),
        column("text", TEXT, "the word"),
        column("pictures", JSON, "SHA-256 and caption of each picture, in the order shown"),
        column("chosen", JSON, "the places that the worker chose, from 0"),
        column("paid_on", TEXT, "the rival on whose verdict bonuses are paid", of="paid_on.name"),
        column("asked_at", MOMENT, "when it was asked"),
    )


class VerdictViewSet(Listing):
    """The answers of rivals, each with what repeats it."""

    queryset: QuerySet[Verdict] = Verdict.objects.exclude(
        taken_out_by_its_worker("rival_query__assignment")
    ).select_related("rival", "rival_query")
    permissions = ("scoring.view_verdict",)
    study_path = "rival_query__study"
    number = True
    filters = VerdictFilters
    columns = (
        column("number", INTEGER, "the number of the verdict on this site", of="pk"),
        column("query", TEXT, "the query that it answers", of="rival_query.public_id"),
        column("rival", TEXT, "the rival's name", of="rival.name"),
        column("model", TEXT, "the model that answered"),
        column("weights_sha256", TEXT, "SHA-256 of its weights"),
        column("prompt", TEXT, "the text as the model was given it"),
        column("preprocessing", JSON, "how pictures and text were prepared"),
        column("candidates", JSON, "SHA-256 of the pictures, in the order shown"),
        column("scores", JSON, "the model's score of each of them"),
        column("places", JSON, "the places that the model chose, from 0"),
        column("model_score", INTEGER, "Jaccard index with the worker's choice, in whole per cent"),
        column("fool_score", INTEGER, "what is left to 100"),
        column("latency_ms", INTEGER, "milliseconds from the question to the answer"),
        column("code_version", TEXT, "the version of the code that answered"),
        column("device", TEXT, "the device that it ran on"),
        column("answered_at", MOMENT, "when it answered"),
    )


class ScoreViewSet(Listing):
    """What each answer is worth by each measure, as an exact share."""

    queryset: QuerySet[Score] = Score.objects.exclude(taken_out_by_its_worker("assignment")).select_related(
        "assignment__worker", "item"
    )
    permissions = ("hits.view_assignment",)
    study_path = "item__study"
    number = True
    filters = ScoreFilters
    columns = (
        column("number", INTEGER, "the number of the score on this site", of="pk"),
        column("assignment", TEXT, "the work", of="assignment.public_id"),
        column("worker", TEXT, "the worker's pseudonym", of="assignment.worker.pseudonym"),
        column("item", TEXT, "the item", of="item.public_id"),
        column("measure", TEXT, "the measure"),
        column("numerator", INTEGER, "the share is this over the denominator"),
        column("denominator", INTEGER, "at least 1"),
        column("scored_at", MOMENT, "when it was scored"),
    )


router = SimpleRouter()
router.register("rivals", RivalViewSet, basename="rival")
router.register("study-rivals", StudyRivalViewSet, basename="study-rival")
router.register("rival-queries", RivalQueryViewSet, basename="rival-query")
router.register("verdicts", VerdictViewSet, basename="verdict")
router.register("scores", ScoreViewSet, basename="score")
router.register("attention-items", AttentionItemViewSet, basename="attention-item")

urlpatterns = router.urls
