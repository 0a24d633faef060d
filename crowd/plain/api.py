"""A study's own questions for notebooks: their pages, their rows, and what people have said of each row."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter

from crowd.plain.admin.row_actions import ACTIONS, CHANGE
from crowd.plain.models import Description, Project, Row, RowPicture
from crowd.plain.queries.described_pages import described
from crowd.plain.queries.results import AnsweredRow, agreement_of, answered_rows, said_of, with_answers
from crowd.plain.services.page_descriptions import describe_page, stamp_of
from crowd.plain.services.uploading import MOST_BYTES, add_rows
from hits.api.admin_forms.project_settings import ProjectSettings, Rules
from hits.api.authentication import user_of
from hits.api.filters import Filters
from hits.api.listings import JSON, Listing, public_id_of, serializer_of
from hits.api.request_permissions import Need
from hits.api.verbs import Done, Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, ROWS, TEXT, TEXTS, column
from hits.identity.api_tokens import Scope

LOOK = "plain.view_project"
MOST_VERSIONS = 32_767


class PlainRules(Rules):
    class Meta:
        model = Project
        fields = ("study", "answers_wanted", "answers_most", "sure_percent")


class DescriptionInput(serializers.Serializer[Any]):
    # Lengths are checked with all other faults of a page, each of which is named.
    text = serializers.CharField(trim_whitespace=False, help_text="The page, as it is written in the admin.")
    seen = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=64,
        help_text="The stamp of the page that you have read, empty if there was none; refused if it is old.",
    )


class SeenRows(serializers.Serializer[Any]):
    seen = serializers.IntegerField(
        required=False,
        min_value=0,
        help_text="How many rows waited when you looked; refused if it is another number by now.",
    )


class RowsInput(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="CSV, JSON or JSON Lines, with the columns that the page names.")


class DescriptionFilters(Filters):
    study = serializers.UUIDField(required=False, source="project__study__public_id")
    version = serializers.IntegerField(required=False, min_value=1, max_value=MOST_VERSIONS)


class RowFilters(Filters):
    study = serializers.UUIDField(required=False, source="description__project__study__public_id")
    version = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_VERSIONS, source="description__version"
    )
    is_asked = serializers.BooleanField(
        required=False, source="item__isnull", help_text="Whether workers are or were asked about it."
    )

    def validate_is_asked(self, asked: bool) -> bool:
        return not asked


class PlainProjectViewSet(ProjectSettings, Listing):
    """Studies with questions of their own: a described page, asked about each row."""

    queryset: QuerySet[Project] = Project.objects.select_related("study")
    permissions = (LOOK,)
    input_class = PlainRules
    needs = {"describe": Need(Scope.DRAFT, (LOOK, CHANGE)), "add_rows": Need(Scope.DRAFT, (LOOK, CHANGE))}
    admin_pages = {"plain_describe": "describe", "plain_upload": "add_rows"}
    columns = (
        column("number", INTEGER, "the number of the project on this site", of="pk"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("answers_wanted", INTEGER, "different people for each row"),
        column("answers_most", INTEGER, "how many at most, where rows are asked until they are sure"),
        column("sure_percent", INTEGER, "from how many per cent on an answer is sure"),
    )
    verbs = {
        "ask": Verb(
            action=ACTIONS["ask"],
            scope=Scope.DRAFT,
            about="Ask workers about every row that waits.",
            body=SeenRows,
        ),
        "drop": Verb(
            action=ACTIONS["drop"],
            scope=Scope.DRAFT,
            about="Delete the rows that wait. Rows that are asked stay.",
        ),
    }

    @extend_schema(request=DescriptionInput, responses=Done)
    @action(detail=True, methods=["post"])
    def describe(self, request: Request, pk: str) -> Response:
        """Keep a page, or tell every fault of it. A page by which workers are asked stays, as a version."""
        project, given = self.get_object(), self.read(DescriptionInput)
        kept = describe_page(
            project=project,
            text=given["text"],
            seen=given.get("seen", stamp_of(described(project))),
            by=user_of(request),
            now=timezone.now(),
        )
        return self._tell(project, f"The page was kept: {kept}.")

    @extend_schema(request=RowsInput, responses=Done)
    @action(detail=True, methods=["post"], url_path="rows", parser_classes=[MultiPartParser])
    def add_rows(self, request: Request, pk: str) -> Response:
        """Add the rows of a file: all of them, or none and what is wrong in each line."""
        project, file = self.get_object(), self.read(RowsInput)["file"]
        if file.size > MOST_BYTES:
            raise serializers.ValidationError({"file": ["The file is too large. Cut it into several."]})
        return self._tell(project, f"Rows added: {add_rows(project=project, content=file.read())}.")

    def _tell(self, project: Project, words: str) -> Response:
        self.pages().log_change(self.request, project, words)
        return Response(Done({"message": words, "problems": []}).data)


def _results_of(answered: AnsweredRow) -> Iterator[dict[str, Any]]:
    """Yield the result of each question that has a majority, and how many wrote a text."""
    for part in answered.row.description.page.questions:
        said = said_of(part, answered.answers)
        yield {
            "question": part.name,
            "answers": said.answers,
            "leaders": list(said.leaders),
            "is_tied": said.is_tied,
            "share": None if said.share is None else float(said.share),
            "mean": said.mean,
        }


RESULTS = (
    column("row", INTEGER, "the row's number in its version", of="row.number"),
    column("cells", JSON, "its cells, by column", of="row.cells"),
    column("role", TEXT, "the role whose people alone are asked; empty: anybody", of="row.role"),
    column(
        "questions",
        ROWS,
        "each question of the page",
        column("question", TEXT, "its name", of=lambda one: one["question"]),
        column("answers", INTEGER, "answers that count", of=lambda one: one["answers"]),
        column("leaders", TEXTS, "what most have said; several if tied", of=lambda one: one["leaders"]),
        column("is_tied", FLAG, "whether several lead", of=lambda one: one["is_tied"]),
        column("share", NUMBER, "the leaders' share of the answers", of=lambda one: one["share"]),
        column("mean", NUMBER, "of scales and numbers", of=lambda one: one["mean"]),
        of=lambda answered: list(_results_of(answered)),
    ),
)
AGREEMENT = (
    column("question", TEXT, "the question's name", of="part.name"),
    column("answers", INTEGER, "answers that count"),
    column("compared", INTEGER, "rows with at least two answers to it"),
    column("tied", INTEGER, "those whose majority is tied"),
    column(
        "equal",
        NUMBER,
        "share of equal pairs of answers to one row",
        of=lambda one: None if one.equal is None else float(one.equal),
    ),
    column(
        "alpha",
        NUMBER,
        "Krippendorff's alpha; null where it is not defined",
        of=lambda one: None if one.alpha is None else float(one.alpha),
    ),
    column("level", TEXT, "how answers are compared: as names, by rank, or by difference"),
    column("mean", NUMBER, "of scales and numbers"),
)
ResultSerializer = serializer_of(RESULTS, name="PlainResult")
AgreementSerializer = serializer_of(AGREEMENT, name="PlainAgreement")


class DescriptionViewSet(Listing):
    """The described pages of studies, each version that was asked and the newest."""

    queryset: QuerySet[Description] = Description.objects.select_related("project__study", "written_by")
    permissions = (LOOK,)
    study_path = "project__study"
    number = True
    filters = DescriptionFilters
    queries = {"results": Filters}
    needs = {"results": Need(Scope.READ, (LOOK,)), "agreement": Need(Scope.READ, (LOOK,))}
    columns = (
        column("number", INTEGER, "the number of the page on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("version", INTEGER, "its version in the study"),
        column("title", TEXT, "its title", of="page.title"),
        column("text", TEXT, "the page as it was written"),
        column("columns", TEXTS, "the columns that a row needs", of="page.columns"),
        column(
            "questions",
            ROWS,
            "its questions",
            column("name", TEXT, "the name in files"),
            column("kind", TEXT, "text, choice, choices, scale or number"),
            column("ask", TEXT, "the words"),
            column("options", TEXTS, "their codes", of=lambda part: [one.code for one in part.options]),
            of="page.questions",
        ),
        column("stamp", TEXT, "what tells it from any that is kept later", of=stamp_of),
        column("changed_at", MOMENT, "when it was kept"),
        column("asked_at", MOMENT, "when workers were first asked by it; null: not yet"),
    )

    @extend_schema(responses=ResultSerializer(many=True))
    @action(detail=True)
    def results(self, request: Request, pk: str) -> Response:
        """Tell what people have said of each row. Work that is kept out or rejected does not count."""
        description = self.get_object()
        asked = description.rows.filter(item__isnull=False).select_related("description", "item")
        page = self.paginate_queryset(asked)
        told = with_answers(description.page, page or ())
        return self.get_paginated_response(ResultSerializer(told, many=True).data)

    @extend_schema(responses=AgreementSerializer(many=True))
    @action(detail=True)
    def agreement(self, request: Request, pk: str) -> Response:
        """Tell how far people agree on each question, over all rows."""
        description = self.get_object()
        rows = [one.answers for one in answered_rows(description)]
        told = [agreement_of(part, rows) for part in description.page.questions]
        return Response(AgreementSerializer(told, many=True).data)


class PlainRowViewSet(Listing):
    """The rows that workers are asked about, and those that wait."""

    queryset: QuerySet[Row] = Row.objects.select_related(
        "description__project__study", "item"
    ).prefetch_related(Prefetch("pictures", RowPicture.objects.select_related("picture").order_by("pk")))
    permissions = (LOOK,)
    study_path = "description__project__study"
    number = True
    filters = RowFilters
    columns = (
        column("number", INTEGER, "the number of the row on this site", of="pk"),
        column("study", TEXT, "the study", of="description.project.study.public_id"),
        column("version", INTEGER, "the version of the page that it belongs to", of="description.version"),
        column("row", INTEGER, "its number in that version", of="number"),
        column("cells", JSON, "its cells, by column"),
        column("role", TEXT, "the role whose people alone are asked; empty: anybody"),
        column(
            "pictures",
            ROWS,
            "the pictures that its cells name",
            column("column", TEXT, "the column"),
            column("sha256", TEXT, "SHA-256 of the picture", of="picture.sha256"),
            of=lambda row: row.pictures.all(),
        ),
        column(
            "item",
            TEXT,
            "the item that people answer; null while it waits",
            of=public_id_of("item"),
        ),
        column("answers_wanted", INTEGER, "of how many people", of=lambda row: _item(row, "answers_needed")),
        column(
            "pulled_at",
            MOMENT,
            "since when nobody new is asked about it",
            of=lambda row: _item(row, "pulled_at"),
        ),
    )


def _item(row: Row, name: str) -> Any:
    return getattr(row.item, name) if row.item else None


router = SimpleRouter()
router.register("plain/projects", PlainProjectViewSet, basename="plain-project")
router.register("plain/pages", DescriptionViewSet, basename="plain-page")
router.register("plain/rows", PlainRowViewSet, basename="plain-row")

urlpatterns = router.urls
