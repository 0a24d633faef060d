"""Each study's association game: its rules, and what is drawn and made for it."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.forms.models import model_to_dict
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.winogavil import domain
from crowd.winogavil.admin import swow_baseline, test_generation
from crowd.winogavil.admin.games import RulesForm
from crowd.winogavil.admin.picture_set_draw import DRAWING
from crowd.winogavil.annotation.admin.annotations import DRAW
from crowd.winogavil.annotation.admin.annotations import DRAWING as ANNOTATION_DRAW
from crowd.winogavil.models import Game
from crowd.winogavil.play.admin.game_actions import ACTIONS, RUN, SWITCH
from crowd.winogavil.releases.admin.statistics import BRING, COUNTED
from crowd.winogavil.releases.files.concreteness_files import COLUMNS, MOST_BYTES
from crowd.winogavil.releases.services.concreteness_lists import keep_list
from hits.admin.actions import Action
from hits.admin.projects.project_page import pages_of
from hits.api.authentication import user_of
from hits.api.filters import Filters
from hits.api.listings import Listing
from hits.api.request_permissions import Need
from hits.api.verbs import Done, Verb, run_verb
from hits.common.uploads import file_help
from hits.datasets.columns import FLAG, INTEGER, TEXT, column
from hits.identity.api_tokens import Scope
from hits.studies.models import Batch, Study
from hits.work.access import visible
from qualifications.models import SwowList

VIEW, CHANGE, ADD = "winogavil.view_game", "winogavil.change_game", "winogavil.add_game"
LARGEST_SEED = 2**31 - 1


class AssociationGameFilters(Filters):
    study = serializers.UUIDField(required=False, source="public_id")
    is_set_up = serializers.BooleanField(required=False)


class GameRules(serializers.Serializer[Any]):
    feedback = serializers.CharField(max_length=8, help_text="never, final or at_once")
    inner_marks = serializers.BooleanField()
    names_allowed = serializers.BooleanField()
    selection_threshold = serializers.IntegerField(help_text="In per cent.")
    solve_batch = serializers.UUIDField(allow_null=True)
    grows = serializers.BooleanField()


class PictureSetPlan(serializers.Serializer[Any]):
    size = serializers.IntegerField(help_text="Pictures in a set.")
    count = serializers.IntegerField(help_text="Number of sets.")
    association_list = serializers.UUIDField(
        required=False, allow_null=True, help_text="Without it, pictures are drawn at random."
    )
    task = serializers.CharField(
        required=False, default=domain.CREATE, help_text=f"{domain.CREATE} or {domain.CREATOR_TEST}"
    )
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)


class SeenItems(serializers.Serializer[Any]):
    seen = serializers.IntegerField(
        required=False,
        min_value=0,
        help_text="How many items of its own the draft had; refused if it has others by now.",
    )


class TestQuestions(SeenItems):
    batch = serializers.UUIDField(help_text="A draft of this study.")
    association_list = serializers.UUIDField()
    count = serializers.IntegerField()
    size = serializers.IntegerField(help_text="Pictures in a question.")
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)


class BaselineInstances(SeenItems):
    batch = serializers.UUIDField(help_text="A draft of this study.")
    association_list = serializers.UUIDField()
    count = serializers.IntegerField()
    sizes = serializers.CharField(max_length=8, help_text="“5 6” for half of them each, or one size.")
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)


class AnnotationRecipe(serializers.Serializer[Any]):
    kind = serializers.CharField(max_length=8, help_text="types, skills or baseline")
    most = serializers.CharField(max_length=16, help_text="all, count or per_cent")
    number = serializers.IntegerField(required=False, allow_null=True)
    sizes = serializers.ListField(child=serializers.IntegerField(), required=False, max_length=16)
    sources = serializers.ListField(child=serializers.CharField(max_length=8), max_length=16)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
    seen = serializers.IntegerField(
        required=False, min_value=0, help_text="How many are to be drawn; refused if it would be others."
    )


class RatingsFile(serializers.Serializer[Any]):
    file = serializers.FileField(help_text=file_help(COLUMNS))

    def validate_file(self, file: Any) -> Any:
        if file.size > MOST_BYTES:
            raise serializers.ValidationError(f"A file has at most {MOST_BYTES // 1_000_000} MB.")
        return file


class KeptRatings(serializers.Serializer[Any]):
    words = serializers.IntegerField(help_text="Words with a rating.")
    sha256 = serializers.CharField(help_text="Of the file.")


class WebGameTitle(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=60, help_text="What players call the game.")


class DailyLetters(serializers.Serializer[Any]):
    is_on = serializers.BooleanField()
    hour = serializers.IntegerField(help_text="From this hour on, in the study's time zone.")


def _game_of(study: Study) -> Game:
    return study.game if hasattr(study, "game") else Game(study=study)


def _solve_batch(study: Study) -> object:
    batch = _game_of(study).solve_batch
    return batch and batch.public_id


def _rule(name: str) -> Any:
    return lambda study: getattr(_game_of(study), name)


def _more(scope: Scope, *permissions: str) -> Need:
    return Need(scope, (VIEW, *permissions))


class AssociationGameViewSet(Listing):
    """The way in which each study plays, by the study's id; one that was not set up plays by the defaults."""

    queryset: QuerySet[Study] = Study.objects.select_related("game__solve_batch").annotate(
        is_set_up=Exists(Game.objects.filter(study=OuterRef("pk")))
    )
    permissions = (VIEW,)
    study_path = "pk"
    filters = AssociationGameFilters
    input_class = GameRules
    needs = {
        "partial_update": _more(Scope.DRAFT, CHANGE),
        "draw": _more(Scope.DRAFT, "winogavil.add_pictureset"),
        "test_questions": _more(Scope.DRAFT, "hits.change_batch"),
        "baseline": _more(Scope.DRAFT, "hits.change_batch"),
        "draw_annotations": _more(Scope.DRAFT, "winogavil_annotation.view_annotation", DRAW),
        "concreteness": _more(Scope.DRAFT, COUNTED, BRING),
        "web_game": _more(Scope.DRAFT, "winogavil_play.view_webgame", RUN),
        "daily_feedback": _more(Scope.WORKERS, "winogavil_play.view_webgame", SWITCH),
    }
    admin_pages = {
        "winogavil_game_add": "partial_update",
        "winogavil_settings": "partial_update",
        "winogavil_draft": "POST batches/",
        "winogavil_releases_concreteness": "concreteness",
        "winogavil_grow": "POST batches/{public_id}/top-up/",
    }
    columns = (
        column("study", TEXT, "the study", of="public_id"),
        column("is_set_up", FLAG, "whether it has rules of its own"),
        column("feedback", TEXT, "when solvers see what was right", of=_rule("feedback")),
        column(
            "inner_marks", FLAG, "whether a word may have a hyphen or an apostrophe", of=_rule("inner_marks")
        ),
        column("names_allowed", FLAG, "whether a word may name a picture shown", of=_rule("names_allowed")),
        column(
            "selection_threshold",
            INTEGER,
            "an association is selected from this mean of its solvers on, in per cent",
            of=_rule("selection_threshold"),
        ),
        column("solve_batch", TEXT, "the batch that solves the words", of=_solve_batch),
        column("grows", FLAG, "whether that batch grows by itself", of=_rule("grows")),
        column("problem", TEXT, "why it did not grow", of=_rule("problem")),
    )

    @extend_schema(request=GameRules)
    def partial_update(self, request: Request, public_id: str) -> Response:
        """Change rules of the game, and set it up if it is not yet. Every figure follows the threshold."""
        study = self.get_object()
        body = GameRules(data=request.data, partial=True)
        body.is_valid(raise_exception=True)
        given = dict(body.validated_data)
        if given.get("solve_batch"):
            given["solve_batch"] = _batch(study, request, given["solve_batch"], field="solve_batch").pk
        with transaction.atomic():
            Study.objects.select_for_update().get(pk=study.pk)
            self._change(self._game(study), given)
        return self.answer_row(pk=study.pk)

    def _game(self, study: Study) -> Game:
        """Return the study's game, set up if it is not yet, as its page would."""
        if game := Game.objects.filter(study=study).first():
            return game
        if not user_of(self.request).has_perm(ADD):
            self.permission_denied(self.request, f"You lack the permission {ADD}. Ask your operator.")
        game = Game.objects.create(study=study)
        pages_of(Game).log_addition(self.request, game, [{"added": {}}])
        return game

    def _change(self, game: Game, given: Mapping[str, Any]) -> None:
        """Save by the form of the page, and write what has changed into the game's history."""
        form = RulesForm({**model_to_dict(game), **given}, instance=game)
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        form.save()
        if form.changed_data:
            changed = [{"changed": {"fields": form.changed_data}}]
            pages_of(Game).log_change(self.request, game, changed)

    @extend_schema(request=PictureSetPlan, responses=Done)
    @action(detail=True, methods=["post"])
    def draw(self, request: Request, public_id: str) -> Response:
        """Draw picture sets of the pool: all of them, or none."""
        study, given = self.get_object(), self.read(PictureSetPlan)
        body = {**_listed(given), "study": study.pk}
        return _run(DRAWING.actions["draw"], study, body, request)

    @extend_schema(request=TestQuestions, responses=Done)
    @action(detail=True, methods=["post"], url_path="test-questions")
    def test_questions(self, request: Request, public_id: str) -> Response:
        """Add questions of an association list to a draft of the solver's test."""
        study, given = self.get_object(), self.read(TestQuestions)
        body = {**_listed(given), "batch": _batch(study, request, given["batch"]).pk}
        return _run(test_generation.MAKING.actions["make"], study, body, request, seen="there")

    @extend_schema(request=BaselineInstances, responses=Done)
    @action(detail=True, methods=["post"])
    def baseline(self, request: Request, public_id: str) -> Response:
        """Add instances of the SWOW baseline to a draft that solves them."""
        study, given = self.get_object(), self.read(BaselineInstances)
        body = {**_listed(given), "batch": _batch(study, request, given["batch"]).pk}
        return _run(swow_baseline.MAKING.actions["make"], study, body, request, seen="there")

    @extend_schema(request=AnnotationRecipe, responses=Done)
    @action(detail=True, methods=["post"], url_path="draw-annotations")
    def draw_annotations(self, request: Request, public_id: str) -> Response:
        """Draw selected associations to have them annotated. Nobody is asked before a batch is launched."""
        return _run(ANNOTATION_DRAW, self.get_object(), self.read(AnnotationRecipe), request)

    @extend_schema(request=RatingsFile, responses={201: KeptRatings})
    @action(detail=True, methods=["post"], parser_classes=[MultiPartParser])
    def concreteness(self, request: Request, public_id: str) -> Response:
        """Keep a list of concreteness ratings: all lines of a file, or none and what is wrong in each."""
        study, given = self.get_object(), self.read(RatingsFile)
        kept = keep_list(study=study, file=given["file"], by=user_of(request), now=timezone.now())
        return Response(KeptRatings(kept).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=WebGameTitle, responses=Done)
    @action(detail=True, methods=["post"], url_path="web-game")
    def web_game(self, request: Request, public_id: str) -> Response:
        """Make the study's web game. It is closed until somebody opens it."""
        return _run(ACTIONS["make"], self.get_object(), self.read(WebGameTitle), request)

    @extend_schema(request=DailyLetters, responses=Done)
    @action(detail=True, methods=["post"], url_path="daily-feedback")
    def daily_feedback(self, request: Request, public_id: str) -> Response:
        """Switch on or off the daily letters to paid workers."""
        return _run(ACTIONS["feedback"], self.get_object(), self.read(DailyLetters), request)


def _run(
    deed: Action[Any], study: Study, body: Mapping[str, Any], request: Request, *, seen: str = "seen"
) -> Response:
    verb = Verb(action=deed, scope=Scope.DRAFT, about="", seen=seen)
    return run_verb(verb, study, body=body, request=request)


def _listed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body with the number of the list that it names, as the form wants it."""
    body = {name: value for name, value in given.items() if name != "association_list"}
    if public_id := given.get("association_list"):
        found = SwowList.objects.filter(public_id=public_id, status=SwowList.Status.READY).first()
        if found is None:
            raise serializers.ValidationError({"association_list": ["There is none with this id."]})
        body["swow"] = found.pk
    return body


def _batch(study: Study, request: Request, public_id: Any, *, field: str = "batch") -> Batch:
    found = visible(Batch.objects.filter(study=study), user_of(request)).filter(public_id=public_id).first()
    if found is None:
        raise serializers.ValidationError({field: ["There is none with this id in the study."]})
    return found
