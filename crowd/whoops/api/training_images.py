"""The images of the annotators' test, with good answers."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.whoops.annotate.admin.training_images import HELP, KEEP, ImageForm, TextsForm
from crowd.whoops.annotate.domain.annotation_texts import LONGEST_TEXT, TEXTS
from crowd.whoops.annotate.services.training_images import (
    add_training_image,
    ask_training_image,
    mend_training_image,
)
from crowd.whoops.models import Project, TrainingImage
from hits.admin.projects.project_page import pages_of
from hits.api.authentication import user_of
from hits.api.fields import Empty
from hits.api.filters import Filters
from hits.api.listings import Listing
from hits.api.parsing import PlainJSON
from hits.api.request_permissions import Need
from hits.datasets.columns import INTEGER, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of

LOOK = "whoops.view_project"
MAY_KEEP = Need(Scope.DRAFT, (LOOK, KEEP))


class TrainingFilters(Filters):
    study = serializers.UUIDField(required=False, source="item__study__public_id")
    is_asked = serializers.BooleanField(
        required=False, source="item__pulled_at__isnull", help_text="Whether it is in the test."
    )


class GoodAnswers(serializers.Serializer[Any]):
    caption = serializers.CharField(max_length=LONGEST_TEXT, help_text=HELP["caption"])
    explanation = serializers.CharField(max_length=LONGEST_TEXT, help_text=HELP["explanation"])
    underspecified = serializers.CharField(max_length=LONGEST_TEXT, help_text=HELP["underspecified"])


class NewTrainingImage(GoodAnswers):
    study = serializers.UUIDField()
    picture = serializers.FileField(help_text="PNG, JPEG or WebP. It must not be part of the data.")


class TrainingImageViewSet(Listing):
    """Images of the annotators' test: in no data, and graded by a person beside good answers."""

    queryset: QuerySet[TrainingImage] = TrainingImage.objects.select_related("item__study", "picture")
    permissions = (LOOK,)
    study_path = "item__study"
    number = True
    filters = TrainingFilters
    parser_classes = (PlainJSON, MultiPartParser)
    input_class = GoodAnswers
    needs = {"create": MAY_KEEP, "partial_update": MAY_KEEP, "take_out": MAY_KEEP, "put_back": MAY_KEEP}
    admin_pages = {
        "whoops_training_add": "create",
        "whoops_training_mend": "partial_update",
        "whoops_training_ask": "take_out",
    }
    columns = (
        column("number", INTEGER, "the number of the image on this site", of="pk"),
        column("study", TEXT, "the study", of="item.study.public_id"),
        column("picture_sha256", TEXT, "SHA-256 of the picture", of="picture.sha256"),
        column("caption", TEXT, "a good caption"),
        column("explanation", TEXT, "a good explanation"),
        column("underspecified", TEXT, "a good underspecified caption"),
        column("item", TEXT, "the item of the test", of="item.public_id"),
        column(
            "pulled_at", MOMENT, "since when it is out of the test; null: it is asked", of="item.pulled_at"
        ),
    )

    @extend_schema(request={"multipart/form-data": NewTrainingImage})
    def create(self, request: Request) -> Response:
        """Add an image to the test, with good answers."""
        given = dict(self.read(NewTrainingImage))
        projects = Project.objects.filter(study__in=studies_of(request.user))
        project = get_object_or_404(projects, study__public_id=given.pop("study"))
        form = ImageForm(given, MultiValueDict({"picture": [given.pop("picture")]}))
        texts, by, now = _texts_of(form), user_of(request), timezone.now()
        upload = form.cleaned_data["picture"]
        row = add_training_image(project=project, upload=upload, texts=texts, by=by, now=now)
        pages_of(Project).log_change(request, project, f"Training image {row.pk} added.")
        answer = self.answer_row(pk=row.pk)
        answer.status_code = status.HTTP_201_CREATED
        return answer

    def partial_update(self, request: Request, pk: str) -> Response:
        """Change good answers. The picture stays: a worker may have written about it."""
        row = self.get_object()
        given = GoodAnswers(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        form = TextsForm({**{entry: getattr(row, entry) for entry in TEXTS}, **given.validated_data})
        mend_training_image(row=row, texts=_texts_of(form))
        self._tell(row, "changed.", about="Good answers of training image")
        return self.answer_row(pk=row.pk)

    @extend_schema(request=Empty)
    @action(detail=True, methods=["post"], url_path="take-out")
    def take_out(self, request: Request, pk: str) -> Response:
        """Take the image out of the test. Workers who have it can still submit."""
        return self._ask(is_asked=False, done="is out of the test. It can be put back at any time")

    @extend_schema(request=Empty)
    @action(detail=True, methods=["post"], url_path="put-back")
    def put_back(self, request: Request, pk: str) -> Response:
        """Put the image into the test again."""
        return self._ask(is_asked=True, done="is in the test again")

    def _ask(self, *, is_asked: bool, done: str) -> Response:
        row = self.get_object()
        self.read(Empty)
        with transaction.atomic():
            ask_training_image(row=row, is_asked=is_asked, now=timezone.now())
            self._tell(row, f"{done}.")
        return self.answer_row(pk=row.pk)

    def _tell(self, row: TrainingImage, done: str, *, about: str = "Training image") -> None:
        """Write into the project's history what the page would."""
        project = Project.objects.get(study=row.item.study_id)
        pages_of(Project).log_change(self.request, project, f"{about} {row.pk} {done}")


def _texts_of(form: TextsForm) -> Any:
    if not form.is_valid():
        raise serializers.ValidationError(form.errors.get_json_data())
    return form.texts
