"""Annotations of images, and the questions that people judge about them."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.whoops.annotate.admin.annotations import DECIDE, LOOK
from crowd.whoops.annotate.services.annotation_decisions import (
    LONGEST_WHY,
    count_annotation,
    drop_annotation,
)
from crowd.whoops.api.filters import AnnotationFilters, QuestionFilters
from crowd.whoops.judge.admin.question_list import ACTIONS
from crowd.whoops.judge.queries.questions import with_standing
from crowd.whoops.models import Annotation, Project, Question
from hits.admin.projects.project_page import pages_of
from hits.api.authentication import user_of
from hits.api.listings import JSON, Listing, public_id_of
from hits.api.request_permissions import Need
from hits.api.verbs import Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, ROWS, TEXT, column, user_column
from hits.identity.api_tokens import Scope
from hits.work.queries.taken_out import taken_out_by_its_worker
from scoring.queries.vote_tallies import tallies

MAY_DECIDE = Need(Scope.REVIEW, (LOOK, DECIDE))


class CountInput(serializers.Serializer[Any]):
    seen = serializers.ChoiceField(
        Annotation.State.choices,
        required=False,
        help_text="Its state when you looked; refused if it is another one by now.",
    )


class DropInput(CountInput):
    why = serializers.CharField(max_length=LONGEST_WHY)


class ImageAnnotationViewSet(Listing):
    """What annotators wrote about images: three texts each. Only those that count are data."""

    queryset: QuerySet[Annotation] = (
        Annotation.objects.exclude(taken_out_by_its_worker("assignment"))
        .select_related("image__project", "worker", "assignment", "decided_by")
        .defer("worker__external_id")
    )
    permissions = (LOOK,)
    study_path = "image__project__study"
    number = True
    filters = AnnotationFilters
    needs = {"count": MAY_DECIDE, "drop": MAY_DECIDE}
    admin_pages = {"whoops_annotation_decide": "count"}
    columns = (
        column("number", INTEGER, "the number of the annotation on this site", of="pk"),
        column("image", TEXT, "the image", of="image.public_id"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("assignment", TEXT, "the work", of="assignment.public_id"),
        column("caption", TEXT, "what the image shows"),
        column("explanation", TEXT, "why it is strange"),
        column("underspecified", TEXT, "a caption that leaves out what is strange"),
        column("state", TEXT, "counted, held or dropped"),
        column("flags", JSON, "what text filters found"),
        column("why", TEXT, "why it was dropped"),
        user_column("decided_by", "who decided"),
        column("decided_at", MOMENT, "when it was decided"),
    )

    @extend_schema(request=CountInput)
    @action(detail=True, methods=["post"])
    def count(self, request: Request, pk: str) -> Response:
        """Count the annotation in the data, though it was held back or dropped."""
        found = self.get_object()
        seen = self.read(CountInput).get("seen", found.state)
        count_annotation(annotation=found, seen=seen, by=user_of(request), now=timezone.now())
        return self._tell(found, "It counts.")

    @extend_schema(request=DropInput)
    @action(detail=True, methods=["post"])
    def drop(self, request: Request, pk: str) -> Response:
        """Drop the annotation from the data, so that another worker is asked. Its worker is paid."""
        found, given, by = self.get_object(), self.read(DropInput), user_of(request)
        seen = given.get("seen", found.state)
        drop_annotation(annotation=found, seen=seen, why=given["why"], by=by, now=timezone.now())
        return self._tell(found, f"Dropped: another worker is asked. {found.why}")

    def _tell(self, found: Annotation, done: str) -> Response:
        """Write into the project's history what the page would, and answer with the row."""
        words = f"Annotation {found.pk} of {found.image}: {done}"
        pages_of(Project).log_change(self.request, found.image.project, words)
        return self.answer_row(pk=found.pk)


class JudgedQuestionViewSet(Listing):
    """Questions that people judge about images, with the votes that count."""

    queryset: QuerySet[Question] = Question.objects.select_related(
        "project__study", "image", "picture", "item"
    ).prefetch_related("options")
    permissions = ("whoops.view_question",)
    study_path = "project__study"
    number = True
    filters = QuestionFilters
    columns = (
        column("number", INTEGER, "the number of the question on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("kind", TEXT, "whether images are told apart, or explanations, answers or captions judged"),
        column("key", TEXT, "its name in files"),
        column("image", TEXT, "the image", of=public_id_of("image")),
        column("variant", TEXT, "weird, normal or natural: which of its pictures is shown"),
        column("picture_sha256", TEXT, "SHA-256 of the picture", of="picture.sha256"),
        column("text", TEXT, "the words of the question"),
        column("item", TEXT, "the item of the judges", of=public_id_of("item")),
        column("standing", TEXT, "waiting, asked, judged, away or withdrawn"),
        column("judges", INTEGER, "how many judges have answered", of="answered"),
        column(
            "options",
            ROWS,
            "what judges can mark",
            column("number", INTEGER, "its number in the question"),
            column("text", TEXT, "its words"),
            column("source", TEXT, "people, designer, or the name of a model"),
            column("label", FLAG, "what is known of it; null: only the judges can say"),
            column("yes", INTEGER, "how many marked it", of=lambda one: one.tally.yes if one.tally else 0),
            column("votes", INTEGER, "of so many", of=lambda one: one.tally.answers if one.tally else 0),
            of="counted",
        ),
        column("added_at", MOMENT, "when it was added"),
        column("withdrawn_at", MOMENT, "when it was withdrawn"),
    )
    verbs = {
        "withdraw": Verb(
            action=ACTIONS["withdraw"],
            scope=Scope.DRAFT,
            about="Withdraw the question. Its answers are kept, and no figure counts them.",
        ),
        "bring_back": Verb(
            action=ACTIONS["bring-back"],
            scope=Scope.DRAFT,
            about="Bring the question back. Its answers count again.",
        ),
    }

    def get_queryset(self) -> QuerySet[Question]:
        return with_standing(super().get_queryset())

    def paginate_queryset(self, queryset: Any) -> Any:
        return _with_votes(super().paginate_queryset(queryset) or [])

    def get_object(self) -> Question:
        row: Question = super().get_object()
        _with_votes([row])
        return row


def _with_votes(rows: Sequence[Any]) -> Sequence[Any]:
    """Return the questions, each with its options as `counted`, and these with their tallies."""
    found = tallies([row.item_id for row in rows if row.item_id])
    for row in rows:
        row.counted = list(row.options.all())
        for option in row.counted:
            option.tally = found.get((row.item_id, option.measure))
    return rows
