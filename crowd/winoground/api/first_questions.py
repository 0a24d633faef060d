"""The first questions: pairs that a worker has to tell apart before caption matching."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.pictures.models import Picture
from crowd.winoground.admin.onboarding import (
    ACTIONS,
    DIFFERS,
    MATCHES,
    QuestionForm,
    project_of,
    store_picture,
    words_of,
)
from crowd.winoground.api.projects import LOOK, ResultsForKeepers
from crowd.winoground.domain import RIGHT
from crowd.winoground.models import FirstQuestion, Project
from crowd.winoground.models.examples import LONGEST_CAPTION
from crowd.winoground.queries.examples import KEEP
from crowd.winoground.services.first_questions import add_question, change_question
from hits.admin.projects.project_page import pages_of
from hits.api.authentication import user_of
from hits.api.filters import Filters
from hits.api.listings import Listing
from hits.api.parsing import PlainJSON
from hits.api.request_permissions import Need
from hits.api.verbs import Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of
from scoring.queries.vote_tallies import tallies

MAY_KEEP = Need(Scope.DRAFT, (LOOK, KEEP))


class FirstQuestionFilters(Filters):
    study = serializers.UUIDField(required=False, source="item__study__public_id")
    is_asked = serializers.BooleanField(
        required=False, source="item__pulled_at__isnull", help_text="Whether workers are asked it."
    )


class FirstQuestionInput(serializers.Serializer[Any]):
    caption = serializers.CharField(max_length=LONGEST_CAPTION)
    is_match = serializers.BooleanField(help_text="Whether the caption matches the image, beyond doubt.")
    picture = serializers.FileField(help_text="PNG, JPEG or WebP.")


class NewFirstQuestion(FirstQuestionInput):
    study = serializers.UUIDField()


class FirstQuestionViewSet(ResultsForKeepers, Listing):
    """The first questions with the right answers. A worker who is wrong twice is never let in."""

    queryset: QuerySet[FirstQuestion] = FirstQuestion.objects.select_related("item__study", "picture")
    permissions = (LOOK,)
    study_path = "item__study"
    number = True
    filters = FirstQuestionFilters
    parser_classes = (PlainJSON, MultiPartParser)
    input_class = FirstQuestionInput
    needs = {"create": MAY_KEEP, "partial_update": MAY_KEEP}
    admin_pages = {
        "winoground_write_first_question": "create",
        "winoground_first_question": "partial_update",
    }
    columns = (
        column("number", INTEGER, "the number of the question on this site", of="pk"),
        column("study", TEXT, "the study", of="item.study.public_id"),
        column("picture_sha256", TEXT, "SHA-256 of the image", of="picture.sha256"),
        column("caption", TEXT, "the caption"),
        column("is_match", FLAG, "whether they match"),
        column("item", TEXT, "the item of the workers", of="item.public_id"),
        column("right", INTEGER, "how many were right", of=lambda row: row.tally.yes if row.tally else 0),
        column("answers", INTEGER, "of so many", of=lambda row: row.tally.answers if row.tally else 0),
        column("pulled_at", MOMENT, "since when nobody new is asked; null: it is asked", of="item.pulled_at"),
    )
    verbs = {
        key: Verb(
            action=replace(ACTIONS[key], permissions=[KEEP]),
            scope=Scope.DRAFT,
            about=about,
            logged=project_of,
        )
        for key, about in (
            ("away", "Take the question away. It can be put back."),
            ("back", "Ask the question again."),
        )
    }

    def paginate_queryset(self, queryset: Any) -> Any:
        return _with_answers(super().paginate_queryset(queryset) or [])

    def get_object(self) -> FirstQuestion:
        row: FirstQuestion = super().get_object()
        _with_answers([row])
        return row

    @extend_schema(request={"multipart/form-data": NewFirstQuestion})
    def create(self, request: Request) -> Response:
        """Write a first question. Sent again, it is there once."""
        given = dict(self.read(NewFirstQuestion))
        projects = Project.objects.filter(study__in=studies_of(request.user))
        project = get_object_or_404(projects, study__public_id=given.pop("study"))
        form, picturing = self._read_form(given)
        assert picturing is not None  # noqa: S101 - the body has a picture
        row = add_question(project=project, picturing=picturing, **words_of(form))
        answer = self._tell(project, row)
        answer.status_code = status.HTTP_201_CREATED
        return answer

    @extend_schema(request={"multipart/form-data": FirstQuestionInput})
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change a first question. One that a worker was asked is taken away, and another takes its place."""
        found = self.get_object()
        body = FirstQuestionInput(data=request.data, partial=True)
        body.is_valid(raise_exception=True)
        now = {"caption": found.caption, "is_match": found.is_match}
        form, picturing = self._read_form({**now, **body.validated_data})
        project = project_of(found)
        row = change_question(
            question=found, project=project, picturing=picturing, now=timezone.now(), **words_of(form)
        )
        return self._tell(project, row)

    def _read_form(self, given: dict[str, Any]) -> tuple[QuestionForm, Callable[[], Picture] | None]:
        """Return the page's form, filled in, and what stores the picture if there is one."""
        picture = given.pop("picture", None)
        sent = {**given, "is_match": MATCHES if given["is_match"] else DIFFERS}
        form = QuestionForm(sent, MultiValueDict({"picture": [picture]} if picture else {}))
        form.fields["picture"].required = False
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        upload = form.cleaned_data["picture"]
        return form, partial(store_picture, upload, by=user_of(self.request)) if upload else None

    def _tell(self, project: Project, row: FirstQuestion) -> Response:
        """Write into the project's history what the page would, and answer with the row."""
        pages_of(Project).log_change(self.request, project, f"First question “{row.caption}” was kept.")
        found = self.get_queryset().get(pk=row.pk)
        return Response(self.get_serializer(_with_answers([found])[0]).data)


def _with_answers(rows: Sequence[Any]) -> Sequence[Any]:
    """Return the questions, each with its tally."""
    found = tallies([row.item_id for row in rows], measures=[RIGHT])
    for row in rows:
        row.tally = found.get((row.item_id, RIGHT))
    return rows
