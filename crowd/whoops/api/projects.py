"""Projects of weird images, the categories of images, samples and models' scores."""

from django.db.models import Q, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.whoops.annotate.admin.annotations import DECIDE as DECIDE_ANNOTATIONS
from crowd.whoops.annotate.admin.annotations import LOOK as LOOK_AT_ANNOTATIONS
from crowd.whoops.annotate.services.annotation_decisions import undo_decision
from crowd.whoops.api import designers, judging
from crowd.whoops.api.designers import DesignerPlaces
from crowd.whoops.api.filters import ProjectRowFilters
from crowd.whoops.api.judging import QuestionImports
from crowd.whoops.control.services import comparison
from crowd.whoops.images.admin.categories import MERGING
from crowd.whoops.judge.admin.samples import LOOK as LOOK_AT_QUESTIONS
from crowd.whoops.judge.admin.samples import sample_tables
from crowd.whoops.models import Category, MatchingScores, Project, Sample
from crowd.whoops.results.admin.statistics import ADD, REMOVE
from crowd.whoops.results.services.matching_scores import MATCHING
from crowd.whoops.review.queries.readable_reviews import CHECK
from crowd.whoops.review.services.harm_review import undo_review
from hits.api.admin_forms.admin_rows import AdminRows
from hits.api.admin_forms.project_settings import ProjectSettings, Rules
from hits.api.admin_forms.result_uploads import ResultUploads
from hits.api.authentication import user_of
from hits.api.fields import Empty
from hits.api.listings import Listing
from hits.api.request_permissions import Need
from hits.api.told_tables import StatTableSerializer, answer_tables
from hits.api.verbs import Done
from hits.datasets.columns import FLAG, INTEGER, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of

LOOK = "whoops.view_project"
RULES = (
    column("control_wanted", INTEGER, "people in the control group, for each image"),
    column("control_needed", INTEGER, "so many of them must see what is weird"),
    column("reviews_wanted", INTEGER, "reviewers who check each image for harm"),
    column("annotations_wanted", INTEGER, "workers who annotate each image"),
    column("judges_wanted", INTEGER, "workers who judge each question"),
    column("image_pay", TEXT, "pay for each accepted image, in the study's currency"),
    column("negatives", INTEGER, "per cent of answers that are wrong on purpose"),
    column("second_filter", TEXT, "the second text filter"),
    column("grows_by_itself", FLAG, "whether launched batches grow without a click"),
    column("guide", TEXT, "words to designers"),
)


class WhoopsRules(Rules):
    class Meta:
        model = Project
        fields = ("study", *(one.name for one in RULES))


class WhoopsProjectViewSet(QuestionImports, DesignerPlaces, ProjectSettings, Listing):
    """Studies with weird images, and the rules for them."""

    queryset: QuerySet[Project] = Project.objects.select_related("study")
    permissions = (LOOK,)
    input_class = WhoopsRules
    verbs = judging.VERBS
    needs = {
        **judging.NEEDS,
        **designers.NEEDS,
        "undo_comparison": Need(Scope.REVIEW, (LOOK, CHECK)),
        "undo_review": Need(Scope.REVIEW, (LOOK, CHECK)),
        "undo_annotation": Need(Scope.REVIEW, (LOOK, LOOK_AT_ANNOTATIONS, DECIDE_ANNOTATIONS)),
    }
    admin_pages = {
        **judging.PAGES,
        **designers.PAGES,
        "whoops_compare_undo": "undo_comparison",
        "whoops_review_undo": "undo_review",
        "whoops_held_undo": "undo_annotation",
    }
    columns = (
        column("number", INTEGER, "the number of the project on this site", of="pk"),
        column("study", TEXT, "the study", of="study.public_id"),
        *RULES,
    )

    @extend_schema(request=Empty, responses=Done)
    @action(detail=True, methods=["post"], url_path="undo-comparison")
    def undo_comparison(self, request: Request, pk: str) -> Response:
        """Take back your last comparison of a control answer, with what followed from it."""
        project, now = self._project(), timezone.now()
        undone = comparison.undo_decision(project=project, by=user_of(request), now=now)
        return _told(f"Undone: the control answer {undone.pk} of {undone.image} waits again.")

    @extend_schema(request=Empty, responses=Done)
    @action(detail=True, methods=["post"], url_path="undo-review")
    def undo_review(self, request: Request, pk: str) -> Response:
        """Take back your last review, unless the image has gone on because of it."""
        image = undo_review(project=self._project(), by=user_of(request), now=timezone.now())
        return _told(f"Undone: {image} waits for your review again.")

    @extend_schema(request=Empty, responses=Done)
    @action(detail=True, methods=["post"], url_path="undo-annotation")
    def undo_annotation(self, request: Request, pk: str) -> Response:
        """Hold back again the last flagged annotation that you decided about."""
        project = self._project()
        undone = undo_decision(project=project, by=user_of(request), now=timezone.now())
        words = f"Annotation {undone.pk} of {undone.image}: held back again."
        self.pages().log_change(request, project, words)
        return _told(words)

    def _project(self) -> Project:
        project: Project = self.get_object()
        self.read(Empty)
        return project


class CategoryWords(serializers.ModelSerializer[Category]):
    class Meta:
        model = Category
        fields = ("name", "about")


class WeirdCategoryViewSet(AdminRows, Listing):
    """What images go against: the list that all studies share, and the lists of some studies."""

    queryset: QuerySet[Category] = Category.objects.select_related("project__study")
    permissions = ("whoops.view_category",)
    study_path = None
    number = True
    input_class = CategoryWords
    merging = MERGING
    filters = ProjectRowFilters
    columns = (
        column("number", INTEGER, "the number of the category on this site", of="pk"),
        column(
            "study",
            TEXT,
            "the study whose own it is; null: all studies share it",
            of=lambda row: row.project and row.project.study.public_id,
        ),
        column("name", TEXT, "its name"),
        column("about", TEXT, "what it is about"),
        column("origin", TEXT, "paper, ours or added"),
    )

    def get_queryset(self) -> QuerySet[Category]:
        own = Q(project__study__in=studies_of(self.request.user))
        return super().get_queryset().filter(Q(project=None) | own)


class SampleViewSet(Listing):
    """Samples of questions with answers, drawn by lot for verification."""

    queryset: QuerySet[Sample] = Sample.objects.select_related("project__study", "drawn_by")
    permissions = (LOOK,)
    study_path = "project__study"
    number = True
    filters = ProjectRowFilters
    needs = {"tables": Need(Scope.READ, (LOOK, LOOK_AT_QUESTIONS))}
    columns = (
        column("number", INTEGER, "the number of the sample on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("seed", INTEGER, "the seed of the lot"),
        column("wanted", INTEGER, "how many were drawn"),
        column("pool", INTEGER, "from how many"),
        column("pool_sha256", TEXT, "SHA-256 of their keys in alphabetical order"),
        column("drawn_by", TEXT, "who drew it", of="drawn_by.username"),
        column("drawn_at", MOMENT, "when"),
    )

    @extend_schema(responses=StatTableSerializer(many=True))
    @action(detail=True)
    def tables(self, request: Request, pk: str) -> Response:
        """Tell how far all samples of the study are, and of this one who verified what."""
        sample = self.get_object()
        return answer_tables(sample_tables(sample.project, sample.pk))


class MatchingScoresViewSet(ResultUploads, Listing):
    """Models whose scores of detailed and underspecified captions were uploaded."""

    queryset: QuerySet[MatchingScores] = MatchingScores.objects.select_related("project__study")
    permissions = (LOOK,)
    study_path = "project__study"
    number = True
    filters = ProjectRowFilters
    results = MATCHING
    add, drop = ADD, REMOVE
    admin_pages = {"whoops_upload_matching": "upload", "whoops_replace_matching": "replace"}
    columns = (
        column("number", INTEGER, "the number of the scores on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("name", TEXT, "the model"),
        column("about", TEXT, "what is said of it"),
        column("added_at", MOMENT, "when they were uploaded"),
    )


def _told(words: str) -> Response:
    return Response(Done({"message": words, "problems": []}).data)
