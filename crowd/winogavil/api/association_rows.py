"""Picture sets, the words that people gave to pictures, who solved them, and reports of words."""

from typing import Any

from django.db.models import Case, QuerySet, When
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.winogavil import domain
from crowd.winogavil.admin.reports import DECIDE
from crowd.winogavil.models import Association, CueReport, PictureSet, Solution
from crowd.winogavil.queries import reaches_own
from crowd.winogavil.services.withdrawal import decide_report
from hits.api.authentication import user_of
from hits.api.filters import Filters
from hits.api.listings import JSON, Listing, public_id_of
from hits.api.request_permissions import Need
from hits.datasets.columns import FLAG, INTEGER, MOMENT, ROWS, TEXT, column, user_column
from hits.identity.api_tokens import Scope
from hits.work.queries.taken_out import taken_out_by_its_worker

LARGEST = 2**62
REPORTS = "winogavil.view_cuereport"
SEE = "winogavil.view_association"


class PictureSetFilters(Filters):
    study = serializers.UUIDField(required=False, source="item__study__public_id")
    task = serializers.CharField(required=False, max_length=32, source="item__task")


class AssociationFilters(Filters):
    study = serializers.UUIDField(required=False, source="item__study__public_id")
    item = serializers.UUIDField(required=False, source="item__public_id")
    source: Any = serializers.ChoiceField(Association.Source.choices, required=False)
    cue = serializers.CharField(required=False, max_length=200)
    picture_set = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST, source="picture_set_id"
    )
    is_selected = serializers.BooleanField(required=False, source="is_solved")


class SolutionFilters(Filters):
    study = serializers.UUIDField(required=False, source="association__item__study__public_id")
    association = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST, source="association_id"
    )
    worker = serializers.CharField(required=False, max_length=16, source="worker__pseudonym")


class CueReportFilters(Filters):
    study = serializers.UUIDField(required=False, source="association__item__study__public_id")
    association = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST, source="association_id"
    )
    status = serializers.ChoiceField(CueReport.Status.choices, required=False)
    reason = serializers.ChoiceField(CueReport.Reason.choices, required=False)


class PictureSetViewSet(Listing):
    """The sets of pictures for which spymasters find words, or workers in the creator's test."""

    queryset: QuerySet[PictureSet] = PictureSet.objects.select_related("item__study").prefetch_related(
        "places__picture"
    )
    permissions = ("winogavil.view_pictureset",)
    study_path = "item__study"
    number = True
    filters = PictureSetFilters
    columns = (
        column("number", INTEGER, "the number of the set on this site", of="pk"),
        column("item", TEXT, "the item that workers are asked", of="item.public_id"),
        column("study", TEXT, "the study", of="item.study.public_id"),
        column("task", TEXT, "the task that it is for", of="item.task"),
        column("recipe", JSON, "how it was drawn; empty for one made by hand"),
        column("wanted", INTEGER, "how many answers are still wanted", of="item.wanted"),
        column("in_use", FLAG, "false while a picture of it is away", of=lambda row: _is_in_use(row.item)),
        column(
            "pictures",
            ROWS,
            "its pictures, in the order shown",
            column("position", INTEGER, "its place, from 0"),
            column("picture", INTEGER, "the number of the picture", of="picture_id"),
            column("sha256", TEXT, "SHA-256 of the picture", of="picture.sha256"),
            column("concept", TEXT, "its concept", of="picture.concept"),
            of=lambda row: row.places.all(),
        ),
    )


class AssociationViewSet(Listing):
    """The words that people gave to pictures, with what a model and solvers made of them."""

    queryset: QuerySet[Association] = (
        Association.objects.filter(item__task=domain.SOLVE)
        .select_related("item__study")
        .prefetch_related("places__picture")
        .annotate(is_solved=Case(When(final_at=None, then=None), default=reaches_own()))
    )
    permissions = (SEE,)
    study_path = "item__study"
    number = True
    filters = AssociationFilters
    columns = (
        column("number", INTEGER, "the number of the association on this site", of="pk"),
        column("item", TEXT, "the item that solvers are asked", of="item.public_id"),
        column("study", TEXT, "the study", of="item.study.public_id"),
        column("source", TEXT, "file, worker, player, recorded, test or swow"),
        column("picture_set", INTEGER, "the set that its author was shown", of="picture_set_id"),
        column("cue", TEXT, "the word"),
        column("fool_score", INTEGER, "how far it misled the model, in per cent; null before it was asked"),
        column("asked_at", MOMENT, "when the model had answered"),
        column("solvable_numerator", INTEGER, "its solvers' mean is this", of="solvers_numerator"),
        column("solvable_denominator", INTEGER, "over this", of="solvers_denominator"),
        column(
            "is_selected",
            FLAG,
            "whether people solve it well enough; null before it is final",
            of="is_solved",
        ),
        column("final_at", MOMENT, "when its last wanted solver had answered"),
        column(
            "in_use",
            FLAG,
            "false while a picture of it is away, it is reported, or its author's work is kept out",
            of=lambda row: _is_in_use(row.item),
        ),
        column(
            "candidates",
            ROWS,
            "the pictures, in the order shown",
            column("position", INTEGER, "its place, from 0"),
            column("picture", INTEGER, "the number of the picture; null in recordings", of="picture_id"),
            column(
                "sha256",
                TEXT,
                "SHA-256 of the picture",
                of=lambda place: place.picture and place.picture.sha256,
            ),
            column("label", TEXT, "its concept when it was shown"),
            column("chosen", FLAG, "whether the author chose it"),
            column("predicted", FLAG, "whether the model did; null before it was asked"),
            of=lambda row: row.places.all(),
        ),
    )


class SolutionViewSet(Listing):
    """The answers of solvers that count, from when an association is final."""

    queryset: QuerySet[Solution] = (
        Solution.objects.filter(association__item__task=domain.SOLVE)
        .exclude(taken_out_by_its_worker("assignment"))
        .select_related("worker", "assignment")
    )
    permissions = (SEE,)
    study_path = "association__item__study"
    number = True
    filters = SolutionFilters
    columns = (
        column("number", INTEGER, "the number of the solution on this site", of="pk"),
        column("association", INTEGER, "the number of the association", of="association_id"),
        column("worker", TEXT, "the solver's pseudonym", of="worker.pseudonym"),
        column(
            "assignment",
            TEXT,
            "the work; null in recordings",
            of=public_id_of("assignment"),
        ),
        column("picked", JSON, "the places picked, from 0"),
        column("numerator", INTEGER, "the Jaccard index with the author's choice is this"),
        column("denominator", INTEGER, "over this"),
    )


class CueReportViewSet(Listing):
    """The reports of words. Nobody is asked a word with an open report; a decision can be changed."""

    queryset: QuerySet[CueReport] = CueReport.objects.select_related(
        "association__item__study", "worker", "decided_by"
    )
    permissions = (REPORTS,)
    study_path = "association__item__study"
    number = True
    filters = CueReportFilters
    needs = {
        "uphold": Need(Scope.REVIEW, (REPORTS, DECIDE)),
        "dismiss": Need(Scope.REVIEW, (REPORTS, DECIDE)),
    }
    columns = (
        column("number", INTEGER, "the number of the report on this site", of="pk"),
        column("study", TEXT, "the study", of="association.item.study.public_id"),
        column("association", INTEGER, "the number of the association", of="association_id"),
        column("cue", TEXT, "the word", of="association.cue"),
        column("worker", TEXT, "the reporter's pseudonym", of="worker.pseudonym"),
        column("reason", TEXT, "inappropriate or other"),
        column("text", TEXT, "the reporter's words"),
        column("status", TEXT, "open, upheld or dismissed"),
        column("reported_at", MOMENT, "when it was reported"),
        column("decided_at", MOMENT, "when it was decided"),
        user_column("decided_by", "who decided"),
    )

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def uphold(self, request: Request, pk: str) -> Response:
        """Uphold the report. The word stays away."""
        return self._decide(request, uphold=True)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def dismiss(self, request: Request, pk: str) -> Response:
        """Dismiss the report. The word is asked again."""
        return self._decide(request, uphold=False)

    def _decide(self, request: Request, *, uphold: bool) -> Response:
        row = self.get_object()
        decide_report(report=row, uphold=uphold, by=user_of(request), now=timezone.now())
        return self.answer_row(pk=row.pk)


def _is_in_use(item: Any) -> bool:
    return item.pulled_at is None
