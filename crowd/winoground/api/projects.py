"""Projects of caption matching, what workers say of examples, and the list of tags."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.winoground.admin.figures import PEOPLE
from crowd.winoground.admin.people_pages import people_tables
from crowd.winoground.admin.tags import MERGING
from crowd.winoground.domain import YES
from crowd.winoground.domain.caption_scores import Kind
from crowd.winoground.models import Pairing, Project, Tag
from crowd.winoground.queries.examples import KEEP, sees_own_only
from crowd.winoground.queries.scoring import ProjectScores, scored
from crowd.winoground.services.posted_examples import ask_examples
from crowd.winoground.services.tag_list import LONGEST as LONGEST_TAG
from hits.api.admin_forms.admin_rows import AdminRows
from hits.api.admin_forms.project_settings import ProjectSettings, Rules
from hits.api.authentication import user_of
from hits.api.filters import Filters
from hits.api.listings import Listing, public_id_of, serializer_of
from hits.api.request_permissions import Need
from hits.api.told_tables import StatTableSerializer, answer_tables
from hits.api.verbs import Done
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, TEXT, column
from hits.identity.api_tokens import Scope
from scoring.queries.vote_tallies import tallies

LOOK, LOOK_AT_EXAMPLES = "winoground.view_project", "winoground.view_example"
MOST_ASKED = 5_000


class WinogroundRules(Rules):
    class Meta:
        model = Project
        fields = ("study", "answers_wanted", "apart", "least_gap")


class AskInput(serializers.Serializer[Any]):
    examples = serializers.ListField(child=serializers.UUIDField(), min_length=1, max_length=MOST_ASKED)


class TagName(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=LONGEST_TAG)


class PairingFilters(Filters):
    study = serializers.UUIDField(required=False, source="example__project__study__public_id")
    example = serializers.UUIDField(required=False, source="example__public_id")


class ResultsForKeepers:
    """A mixin of what shows results: authors, who see their own examples alone, see none."""

    def check_permissions(self: Any, request: Request) -> None:
        super().check_permissions(request)  # type: ignore[misc]
        if sees_own_only(user_of(request)):
            raise PermissionDenied("Results show examples of other people.")


def _share(found: ProjectScores, kind: Kind) -> float | None:
    right = [one.by(kind) for one in found.rights.values()]
    return sum(right) / len(right) if right else None


RESULTS = (
    column("name", TEXT, "People", of=lambda _: PEOPLE),
    column("examples", INTEGER, "examples that have all four scores", of=lambda one: len(one.rights)),
    column("text", NUMBER, "share with the right captions", of=lambda one: _share(one, Kind.TEXT)),
    column("image", NUMBER, "share with the right images", of=lambda one: _share(one, Kind.IMAGE)),
    column("group", NUMBER, "share with both", of=lambda one: _share(one, Kind.GROUP)),
)
ResultSerializer = serializer_of(RESULTS, name="CaptionResult")


class WinogroundProjectViewSet(ProjectSettings, Listing):
    """Studies with caption matching, and the rules for it."""

    queryset: QuerySet[Project] = Project.objects.select_related("study")
    permissions = (LOOK,)
    input_class = WinogroundRules
    needs = {
        "results": Need(Scope.READ, (LOOK,)),
        "people": Need(Scope.READ, (LOOK, LOOK_AT_EXAMPLES)),
        "ask": Need(Scope.DRAFT, (LOOK, KEEP)),
    }
    admin_pages = {"winoground_ask": "ask"}
    columns = (
        column("number", INTEGER, "the number of the project on this site", of="pk"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("answers_wanted", INTEGER, "workers for each combination of a caption and an image"),
        column("apart", TEXT, "never, or gap: whether a worker sees another combination of an example"),
        column("least_gap", INTEGER, "questions about other examples in between"),
    )

    @extend_schema(responses=ResultSerializer(many=True))
    @action(detail=True)
    def results(self, request: Request, pk: str) -> Response:
        """Tell how people do by text, image and group. Models stand beside them on benchmarks of releases."""
        project = self.get_object()
        if sees_own_only(user_of(request)):
            raise PermissionDenied("Results show examples of other people.")
        return Response(ResultSerializer([scored(project)], many=True).data)

    @extend_schema(responses=StatTableSerializer(many=True))
    @action(detail=True)
    def people(self, request: Request, pk: str) -> Response:
        """Tell gendered words in captions, and whom pictures show by their metadata.

        Authors are told of their own examples.
        """
        return answer_tables(people_tables(self.get_object(), user_of(request)))

    @extend_schema(request=AskInput, responses=Done)
    @action(detail=True, methods=["post"])
    def ask(self, request: Request, pk: str) -> Response:
        """Ask workers about examples that are ready: every caption with every image."""
        project, named = self.get_object(), set(self.read(AskInput)["examples"])
        found = dict(project.examples.filter(public_id__in=named).values_list("public_id", "pk"))
        if unknown := sorted(map(str, named - found.keys())):
            raise serializers.ValidationError({"examples": [f"There is no {one} here." for one in unknown]})
        count = ask_examples(project=project, examples=[*found.values()], now=timezone.now())
        words = f"Asked about {count} examples."
        self.pages().log_change(request, project, words)
        return Response(Done({"message": words, "problems": []}).data)


class PairingViewSet(ResultsForKeepers, Listing):
    """Each caption with each image: how many workers say that they match."""

    queryset: QuerySet[Pairing] = Pairing.objects.select_related("example__project", "item")
    permissions = (LOOK,)
    study_path = "example__project__study"
    number = True
    filters = PairingFilters
    columns = (
        column("number", INTEGER, "the number of the row on this site", of="pk"),
        column("example", TEXT, "the example", of="example.public_id"),
        column("caption", INTEGER, "which caption, from 0"),
        column("image", INTEGER, "which image, from 0"),
        column("is_match", FLAG, "whether they belong together"),
        column("item", TEXT, "the item of the workers", of=public_id_of("item")),
        column(
            "yes", INTEGER, "how many say that they match", of=lambda row: row.tally.yes if row.tally else 0
        ),
        column("answers", INTEGER, "of so many", of=lambda row: row.tally.answers if row.tally else 0),
    )

    def paginate_queryset(self, queryset: Any) -> Any:
        return _with_votes(super().paginate_queryset(queryset) or [])

    def get_object(self) -> Pairing:
        row: Pairing = super().get_object()
        _with_votes([row])
        return row


class CaptionTagViewSet(AdminRows, Listing):
    """What is swapped between two captions, finely. All studies share the list."""

    queryset: QuerySet[Tag] = Tag.objects.all()
    permissions = ("winoground.view_tag",)
    study_path = None
    number = True
    input_class = TagName
    merging = MERGING
    columns = (
        column("number", INTEGER, "the number of the tag on this site", of="pk"),
        column("name", TEXT, "its name"),
        column("is_first", FLAG, "whether the paper names it"),
        column("used", INTEGER, "how many examples have it"),
        column("added_at", MOMENT, "when it was added"),
    )

    def get_queryset(self) -> QuerySet[Tag]:
        rows: QuerySet[Tag] = super().get_queryset()
        return rows.annotate(used=Count("examples"))


def _with_votes(rows: Sequence[Any]) -> Sequence[Any]:
    """Return the pairings, each with its tally."""
    found = tallies([row.item_id for row in rows if row.item_id], measures=[YES])
    for row in rows:
        row.tally = found.get((row.item_id, YES))
    return rows
