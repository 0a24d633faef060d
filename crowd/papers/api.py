"""Studies set up as in a paper, for notebooks: figures with their origins, and what new drafts start with."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter

from crowd import family as families
from crowd.papers.admin.setup_form import SetupForm, as_offered
from crowd.papers.admin.setup_pages import LOOK, find_paper, permissions_of, said_of
from crowd.papers.models import PaperSetup
from crowd.papers.parts import Cell, SetupPart, SetupRow, in_reading_order, parts_of
from crowd.papers.services.paper_setup import set_up
from hits.api.authentication import user_of
from hits.api.filters import Filters, Nothing, read_query
from hits.api.listings import JSON, Listing
from hits.api.request_permissions import Need
from hits.api.resources import Resource
from hits.api.told_tables import OnePage
from hits.api.verbs import Done
from hits.datasets.columns import FLAG, INTEGER, MOMENT, TEXT, column, user_column
from hits.identity.api_tokens import Scope
from hits.studies.models import StartingTerms, Study
from hits.work.access import studies_of

PAPERS = [(one.key, one.paper.name) for one in families.registered() if one.paper]


class StudyFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")


class FiguresAsked(Nothing):
    study = serializers.UUIDField()
    family = serializers.ChoiceField(PAPERS)


class PaperFigures(serializers.Serializer[Any]):
    study = serializers.UUIDField()
    family = serializers.ChoiceField(PAPERS)
    figures = serializers.DictField(
        child=serializers.JSONField(),
        required=False,
        default=dict,
        help_text="Figures that are to differ from what is offered, by their keys.",
    )


class PaperFigureSerializer(serializers.Serializer[Any]):
    """A figure of a paper beside that of the study."""

    part = serializers.CharField(help_text="What kind of figure it is.")
    row = serializers.CharField(help_text="What it belongs to.")
    origin = serializers.CharField(help_text="Where the paper says it.")
    note = serializers.CharField(help_text="What to know of it.")
    key = serializers.CharField(help_text="Its name in the body that puts figures in place.")
    name = serializers.CharField()
    paper = serializers.CharField(help_text="What the paper says.")
    now = serializers.CharField(help_text="What the study has.")
    differs = serializers.BooleanField()
    offered = serializers.JSONField(help_text="What is put in place unless the body says otherwise.")
    kept = serializers.CharField(help_text="Why it stays as it is; empty where it is put in place.")


class PaperFiguresViewSet(Resource):
    """The figures of a paper beside those of a study."""

    queryset: QuerySet[Study] = Study.objects.all()
    serializer_class = PaperFigureSerializer
    pagination_class = OnePage  # type: ignore[assignment]
    filters = FiguresAsked
    admin_pages: ClassVar[Mapping[str, str]] = {"papers_set_up": "create"}
    # What each part needs beyond this is asked for when figures are put in place.
    needs: ClassVar[Mapping[str, Need]] = {
        "list": Need(Scope.READ, (LOOK,)),
        "create": Need(Scope.DRAFT, (LOOK, "hits.change_study")),
    }

    @extend_schema(responses=PaperFigureSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List every figure of a family's paper with its origin, beside what the study has."""
        asked = read_query(request, FiguresAsked)
        parts = self._parts(asked)
        told = PaperFigureSerializer(_told(parts, SetupForm(parts=parts)), many=True)
        return OnePage().get_paginated_response(told.data)

    @extend_schema(request=PaperFigures, responses=Done)
    def create(self, request: Request) -> Response:
        """Set a study up as in a paper: all figures, or none. Sent again, it changes nothing."""
        given = self.read(PaperFigures)
        family, paper = find_paper(given["family"])
        parts = self._parts(given)
        if lacking := [name for name in permissions_of(parts) if not user_of(request).has_perm(name)]:
            self.permission_denied(request, f"You lack the permission {', '.join(lacking)}.")
        form = SetupForm(_sent(SetupForm(parts=parts), given["figures"]), parts=parts)
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        by, now = user_of(request), timezone.now()
        changes = set_up(
            study=parts[0].study, family=family, paper=paper, values=form.cleaned_data, by=by, now=now
        )
        return Response(Done({"message": said_of(changes), "problems": []}).data)

    def _parts(self, asked: Mapping[str, Any]) -> Sequence[SetupPart]:
        study = get_object_or_404(studies_of(self.request.user), public_id=asked["study"])
        family, paper = find_paper(asked["family"])
        return parts_of(family, paper=paper, study=study)


class PaperSetupViewSet(Listing):
    """The papers that studies were last set up as in."""

    queryset: QuerySet[PaperSetup] = PaperSetup.objects.select_related("study", "set_up_by")
    permissions = ("papers.view_papersetup",)
    study_path = "study"
    number = True
    filters = StudyFilters
    columns = (
        column("number", INTEGER, "the number of the row on this site", of="pk"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("family", TEXT, "the family whose paper it is"),
        column("set_up_at", MOMENT, "when"),
        user_column("set_up_by", "who set it up"),
    )


class StartingTermsViewSet(Listing):
    """What new drafts of studies start with, where a set-up has changed it. Null: as the task has it."""

    queryset: QuerySet[StartingTerms] = StartingTerms.objects.select_related("study")
    permissions = (LOOK,)
    study_path = "study"
    number = True
    filters = StudyFilters
    columns = (
        column("number", INTEGER, "the number of the row on this site", of="pk"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("task", TEXT, "the task"),
        column("reward", TEXT, "pay for an assignment, in the study's currency"),
        column("workers_per_hit", INTEGER, "workers for each HIT"),
        column("items_each", INTEGER, "items in an assignment"),
        column("duration_s", INTEGER, "seconds that a worker has"),
        column("requirements", JSON, "what the provider asks of workers"),
        column("english_speakers", FLAG, "whether workers must say that they speak English"),
    )


def _told(parts: Sequence[SetupPart], form: SetupForm) -> Iterator[dict[str, Any]]:
    for part in in_reading_order(parts):
        for row in part.rows():
            for cell in row.cells:
                yield {**_of_row(part, row), **_of_cell(cell, form.fields[cell.key])}


def _of_row(part: SetupPart, row: SetupRow) -> dict[str, Any]:
    return {"part": part.title, "row": row.name, "origin": row.origin, "note": row.note}


def _of_cell(cell: Cell, field: forms.Field) -> dict[str, Any]:
    return {
        "key": cell.key,
        "name": cell.label,
        "paper": cell.stated_in_words,
        "now": cell.now_in_words,
        "differs": cell.differs,
        "offered": field.prepare_value(field.initial),
        "kept": cell.kept,
    }


def _sent(form: SetupForm, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form as its page would send it, with these figures in place of what is offered."""
    if unknown := sorted(figures.keys() - form.fields.keys()):
        raise serializers.ValidationError({"figures": [f"There is no {one} here." for one in unknown]})
    return as_offered(form, figures)


router = SimpleRouter()
router.register("paper-figures", PaperFiguresViewSet, basename="paper-figure")
router.register("paper-setups", PaperSetupViewSet, basename="paper-setup")
router.register("starting-terms", StartingTermsViewSet, basename="starting-terms")

urlpatterns = router.urls
