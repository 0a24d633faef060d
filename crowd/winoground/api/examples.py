"""Examples of caption matching: read, written and changed, and moved between their states."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.core.exceptions import PermissionDenied
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

from crowd.winoground.admin.example_forms import ExampleForm
from crowd.winoground.admin.example_pages import ADD_TAG
from crowd.winoground.admin.example_verbs import ACTIONS
from crowd.winoground.models import Example, Project, Tag
from crowd.winoground.models.examples import LONGEST_REASON
from crowd.winoground.queries.examples import CHANGE, WRITE, examples_for, may_change
from crowd.winoground.services.example_writing import (
    PLAIN,
    KeptExample,
    WrittenExample,
    change_example,
    mark_ready,
    write_example,
)
from crowd.winoground.services.readiness import ASKED_OF_PICTURES
from crowd.winoground.services.tag_list import LONGEST as LONGEST_TAG
from hits.admin.projects.project_page import pages_of
from hits.api.admin_forms.project_settings import filled
from hits.api.authentication import user_of
from hits.api.fields import Empty
from hits.api.filters import Filters
from hits.api.idempotency import PARAMETER, named_id
from hits.api.listings import JSON, Listing, serializer_of
from hits.api.parsing import PlainJSON
from hits.api.request_permissions import Need
from hits.api.verbs import Verb, posted, write_history
from hits.core.errors import RuleBroken
from hits.datasets.columns import FLAG, INTEGER, MOMENT, ROWS, TEXT, TEXTS, column
from hits.identity.api_tokens import Scope
from hits.identity.models.users import User
from hits.work.access import studies_of

LOOK = "winoground.view_example"
MAY_CHANGE = Need(Scope.DRAFT, (LOOK, CHANGE))
MOST_TAGS = 50
IMAGES = ("image_0", "image_1")
SEEN = "The `changed_at` that you have read; refused if it has changed since."
PLACE: Mapping[str, Any] = {"required": False, "allow_blank": True, "max_length": 500}


class WhyTheyStay(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=LONGEST_REASON, help_text="Why the gendered words stay.")
    seen = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="The gendered words that you have read, each with its caption: 0:woman. Refused if there "
        "are others by now.",
    )


class AboutPictures(serializers.Serializer[Any]):
    metadata_0 = serializers.CharField(allow_blank=True, help_text="Title and description of image 0.")
    metadata_1 = serializers.CharField(allow_blank=True, help_text="Title and description of image 1.")
    seen = serializers.CharField(required=False, help_text=SEEN)


class ExampleInput(serializers.ModelSerializer[Example]):
    """The fields of the form; what workers are asked by stays once they are."""

    tags = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_TAG),
        required=False,
        max_length=MOST_TAGS,
        help_text="Names; one that is not in the list joins it, for those who may add tags.",
    )
    image_0 = serializers.FileField(required=False, help_text="PNG, JPEG or WebP.")
    image_1 = serializers.FileField(required=False, help_text="PNG, JPEG or WebP.")
    source_0 = serializers.CharField(**PLACE, help_text="Where image 0 is from.")
    source_1 = serializers.CharField(**PLACE, help_text="Where image 1 is from.")
    credit_0 = serializers.CharField(**PLACE, help_text="Whose image 0 is.")
    credit_1 = serializers.CharField(**PLACE, help_text="Whose image 1 is.")
    licence_0 = serializers.CharField(**PLACE, help_text="The licence of image 0.")
    licence_1 = serializers.CharField(**PLACE, help_text="The licence of image 1.")
    seen = serializers.DateTimeField(required=False, help_text=SEEN)

    class Meta:
        model = Example
        fields = (
            *PLAIN, "tags", *IMAGES, *(f"{name}_{place}" for place in (0, 1) for name in ASKED_OF_PICTURES),
            "seen",
        )  # fmt: skip
        extra_kwargs = {name: {"required": False} for name in PLAIN}


class NewExample(ExampleInput):
    study = serializers.UUIDField()

    class Meta(ExampleInput.Meta):
        fields = ("study", *(name for name in ExampleInput.Meta.fields if name != "seen"))


class ExampleFilters(Filters):
    study = serializers.UUIDField(required=False, source="project__study__public_id")
    state = serializers.ChoiceField(Example.State.choices, required=False)
    swap = serializers.ChoiceField(Example.Swap.choices, required=False)
    tag = serializers.CharField(required=False, max_length=80, source="tags__name")
    author = serializers.CharField(required=False, max_length=150, source="author__username")


COLUMNS = (
    column("public_id", TEXT, "the example's id"),
    column("study", TEXT, "the study", of="project.study.public_id"),
    column("number", INTEGER, "its number in the study"),
    column("author", TEXT, "who wrote it", of="author.username"),
    column("state", TEXT, "draft, ready, asked or withdrawn"),
    column("caption_0", TEXT, "the caption of image 0"),
    column("caption_1", TEXT, "the caption of image 1"),
    column("image_0_sha256", TEXT, "SHA-256 of image 0", of=lambda row: row.image_0 and row.image_0.sha256),
    column("image_1_sha256", TEXT, "SHA-256 of image 1", of=lambda row: row.image_1 and row.image_1.sha256),
    column("swap", TEXT, "what is swapped: object, relation or both"),
    column("tags", TEXTS, "what is swapped, finely", of=lambda row: [tag.name for tag in row.tags.all()]),
    column("predicates", INTEGER, "main predicates"),
    column("has_altered_morpheme", FLAG, "whether a word changes its form"),
    column("is_symbolic", FLAG, "whether it is symbolic"),
    column("is_series", FLAG, "whether its images are of one series"),
    column("is_pragmatic", FLAG, "whether it is pragmatic"),
    column("metadata_0", TEXT, "title and description of image 0"),
    column("metadata_1", TEXT, "title and description of image 1"),
    column("note", TEXT, "a note for colleagues"),
    column(
        "gendered_words",
        ROWS,
        "gendered words that stay in its captions",
        column("words", JSON, "the words"),
        column("reason", TEXT, "why they stay"),
        column("by", TEXT, "who said so", of="by.username"),
        column("at", MOMENT, "when"),
        of=lambda row: row.gendered_confirmations.all(),
    ),
    column("created_at", MOMENT, "when it was begun"),
    column("changed_at", MOMENT, "when it last changed"),
    column("asked_at", MOMENT, "when workers were first asked about it"),
)
KeptExampleSerializer = serializer_of(
    (*COLUMNS, column("notes", TEXTS, "what was not kept, and why")), name="KeptExample"
)


def _changing(key: str) -> Any:
    """Return the action with the permission that its page asks for."""
    return replace(ACTIONS[key], permissions=[CHANGE])


class ExampleViewSet(Listing):
    """Two captions of the same words, and two images. Authors see their own."""

    queryset: QuerySet[Example] = Example.objects.all()
    permissions = (LOOK,)
    study_path = "project__study"
    filters = ExampleFilters
    parser_classes = (PlainJSON, MultiPartParser)
    needs = {
        "ready": MAY_CHANGE,
        "create": Need(Scope.DRAFT, (LOOK, WRITE)),
        "partial_update": MAY_CHANGE,
    }
    admin_pages = {"winoground_write_example": "create", "winoground_show_example": "partial_update"}
    columns = COLUMNS
    verbs = {
        "draft": Verb(
            action=_changing("draft"), scope=Scope.DRAFT, about="Take a ready example back to a draft."
        ),
        "gendered": Verb(
            action=_changing("gendered"),
            scope=Scope.DRAFT,
            about="Let the gendered words of its captions stay, for a reason.",
            body=WhyTheyStay,
            seen="places",
        ),
        "describe": Verb(
            action=_changing("describe"),
            scope=Scope.DRAFT,
            about="Write about the pictures of an example that workers have been asked about.",
            body=AboutPictures,
        ),
        "withdraw": Verb(
            action=_changing("withdraw"),
            scope=Scope.DRAFT,
            about="Withdraw the example. Nobody new is asked, and answers stay.",
        ),
        "restore": Verb(
            action=_changing("restore"), scope=Scope.DRAFT, about="Restore a withdrawn example, as a draft."
        ),
    }

    def get_queryset(self) -> QuerySet[Example]:
        seen = examples_for(user_of(self.request))
        related = seen.select_related("project__study", "author", "image_0", "image_1")
        return related.prefetch_related("tags", "gendered_confirmations__by")

    def get_object(self) -> Example:
        found: Example = super().get_object()
        if self.action != "retrieve" and not may_change(user_of(self.request), found):
            raise PermissionDenied("It is another author's example.")
        return found

    @extend_schema(request=NewExample, responses={201: KeptExampleSerializer}, parameters=[PARAMETER])
    def create(self, request: Request) -> Response:
        """Write an example, once for each Idempotency-Key. It is a draft, whatever it lacks."""
        given, by = dict(self.read(NewExample)), user_of(request)
        projects = Project.objects.filter(study__in=studies_of(by))
        project = get_object_or_404(projects, study__public_id=given.pop("study"))
        key = named_id(request, kind=self.basename) or uuid4()

        def keep(written: WrittenExample, now: datetime) -> KeptExample:
            return write_example(project=project, by=by, key=key, written=written, now=now)

        answer = self._keep(given, keep)
        answer.status_code = status.HTTP_201_CREATED
        return answer

    @extend_schema(responses=KeptExampleSerializer)
    def partial_update(self, request: Request, public_id: str) -> Response:
        """Change an example. One that was ready is a draft again."""
        example, by = self.get_object(), user_of(request)
        body = ExampleInput(data=request.data, partial=True)
        body.is_valid(raise_exception=True)
        given = dict(body.validated_data)
        seen = given.pop("seen", example.changed_at)

        def keep(written: WrittenExample, now: datetime) -> KeptExample:
            return change_example(example=example, by=by, written=written, seen=seen, now=now)

        return self._keep(given, keep, example=example)

    def _keep(
        self,
        given: Mapping[str, Any],
        keep: Callable[[WrittenExample, datetime], KeptExample],
        *,
        example: Example | None = None,
    ) -> Response:
        """Keep what was sent as the page does, with the same record, and answer with the row."""
        now, form = timezone.now(), example_form(given, by=user_of(self.request), example=example)
        form.is_valid()
        form.take_pictures(now=now)
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        kept = keep(form.written(), now)
        pages: Any = pages_of(Project)
        if kept.is_new:
            pages.log_addition(self.request, kept.example, [{"added": {}}])
        if kept.changes:
            pages.log_change(self.request, kept.example, "; ".join(kept.changes))
        row: Any = self.get_queryset().get(pk=kept.example.pk)
        row.notes = kept.notes
        return Response(KeptExampleSerializer(row).data)

    @extend_schema(request=Empty)
    @action(detail=True, methods=["post"])
    def ready(self, request: Request, public_id: str) -> Response:
        """Mark a draft as ready, or tell all that it lacks."""
        found = self.get_object()
        self.read(Empty)
        if faults := mark_ready(example=found, now=timezone.now()):
            raise serializers.ValidationError(dict(faults))
        # Into the example's own history, as its page does.
        write_history(request, found, "marked as ready.")
        return self.answer_row(pk=found.pk)


def example_form(given: Mapping[str, Any], *, by: User, example: Example | None) -> ExampleForm:
    """Return the form as its page would send it: what the example has, with what is given in its place.

    Raises RuleBroken for what workers have been asked by, and ValidationError for tags that are not there.
    """
    may_add = by.has_perm(ADD_TAG)
    bare = ExampleForm(None, None, example=example, user=by, may_add_tags=may_add)
    if any(bare.fields[name].disabled for name in given if name in bare.fields):
        words = "Workers have been asked about these captions and pictures: they stay. Write a new example."
        raise RuleBroken("fixed", words)
    values = {name: value for name, value in given.items() if name not in IMAGES}
    if "tags" in values:
        values |= _tags(values["tags"], may_add=may_add)
    files = MultiValueDict({name: [given[name]] for name in IMAGES if name in given})
    sent = posted({**filled(bare, {}), **values})
    return ExampleForm(sent, files, example=example, user=by, may_add_tags=may_add)


def _tags(names: Sequence[str], *, may_add: bool) -> dict[str, Any]:
    """Return the fields of the form for tags: those of the list by number, and the names of new ones."""
    known = {tag.name.casefold(): tag.pk for tag in Tag.objects.all()}
    wanted = {" ".join(name.split()): known.get(" ".join(name.split()).casefold()) for name in names}
    new = [name for name, number in wanted.items() if number is None]
    if new and not may_add:
        raise serializers.ValidationError({"tags": [f"There is no tag “{name}”." for name in new]})
    found = [number for number in wanted.values() if number is not None]
    return {"tags": found, "new_tags": "\n".join(new)}
