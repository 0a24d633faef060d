"""Benchmarks for notebooks: models beside people on a release, models that are asked, answers from files."""

from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any, ClassVar

from django.db.models import Prefetch, QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.admin.result_actions import ADD, LOOK, RESULTS
from crowd.benchmarks.admin.training_actions import TRAININGS
from crowd.benchmarks.models import Benchmark, Result, Training, TrainingRun
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.queries.trained_tables import trained_tables
from crowd.benchmarks.released_items import has_rows
from crowd.benchmarks.services import (
    answer_files,
    benchmark_results,
    item_regions,
    learned_match,
    training_jobs,
)
from crowd.benchmarks.services.benchmark_results import captioners_for, models_for, task_of
from crowd.benchmarks.services.training_jobs import MOST_SEEDS, models_to_train, recipes_of
from crowd.releases.admin.permitted_rows import TAKE, VIEW
from crowd.releases.models import Release
from crowd.releases.services.file_downloads import download_name
from hits.admin.data.take_files import send_csv
from hits.api.authentication import user_of
from hits.api.filters import Filters
from hits.api.listings import JSON, Listing
from hits.api.request_permissions import Need
from hits.api.verbs import Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, ROWS, TEXT, column, user_column
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of
from scoring.api import FACT_COLUMNS, StatedFacts
from scoring.models.model_facts import MOST

SEEN = (VIEW, LOOK)
CHANGE = Need(Scope.EXPORT, (*SEEN, ADD))
ABOUT = "For colleagues: which weights, which prompt, where it comes from."


class NewBenchmark(serializers.Serializer[Any]):
    release = serializers.UUIDField()
    task = serializers.CharField(max_length=32, help_text="The key of a task of the release's task type.")


class AskedModel(serializers.Serializer[Any]):
    model = serializers.CharField(max_length=64, help_text="The name of a registered model.")
    about = serializers.CharField(max_length=500, required=False, allow_blank=True, help_text=ABOUT)
    captions_by = serializers.CharField(
        max_length=64,
        required=False,
        allow_blank=True,
        help_text="The name of a registered model that says captions, for a model that reads them.",
    )


class ChosenMatcher(serializers.Serializer[Any]):
    model = serializers.CharField(max_length=64, help_text="The name of a registered sentence model.")
    matches_from = serializers.FloatField(
        min_value=-1,
        max_value=1,
        default=learned_match.USUAL,
        help_text="The smallest cosine that is a match.",
    )


class NewTraining(serializers.Serializer[Any]):
    recipe = serializers.CharField(max_length=32, help_text="The key of a way of training of this task.")
    model = serializers.CharField(max_length=64, help_text="The name of the registered model to begin with.")
    seeds = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_SEEDS, help_text="So many runs, each with its own seed."
    )
    settings = serializers.DictField(
        child=serializers.FloatField(), required=False, help_text="Numbers other than the recipe's own."
    )
    about = serializers.CharField(max_length=500, required=False, allow_blank=True, help_text=ABOUT)


class NewAnswers(StatedFacts):
    name = serializers.CharField(max_length=64, help_text="The name of the model.")
    file = serializers.FileField(help_text="CSV or JSON, with the columns that the admin's page describes.")
    about = serializers.CharField(max_length=500, required=False, allow_blank=True, help_text=ABOUT)
    is_part = serializers.BooleanField(
        required=False, default=False, help_text="The file covers only a part of the release."
    )
    parameters = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=MOST)

    def validate_file(self, file: Any) -> Any:
        if file.size > answer_files.MOST_BYTES:
            most = answer_files.MOST_BYTES // 1_000_000
            raise serializers.ValidationError(f"A file has at most {most} MB.")
        return file


class BenchmarkTableSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField(help_text="What is counted.")
    rows = serializers.ListField(
        child=serializers.DictField(), source="as_json", help_text="Numbers by the names of the columns."
    )


class NamedItem(serializers.Serializer[Any]):
    item = serializers.CharField(max_length=80, help_text="The name of an item, as files of answers have it.")


class PairRegionsSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    picture = serializers.CharField(source="sha256", help_text="SHA-256 of the picture.")
    status = serializers.CharField(source="row.status", help_text="waiting, answered or failed")
    problem = serializers.CharField(source="row.problem")
    maps = serializers.JSONField(
        source="row.output",
        help_text="Words, and for each of them rows of a grid over the picture.",
    )


class BenchmarkFilters(Filters):
    release = serializers.UUIDField(required=False, source="release__public_id")
    study = serializers.UUIDField(required=False, source="release__study__public_id")
    task = serializers.CharField(required=False, max_length=32)


class BenchmarkResultFilters(Filters):
    benchmark = serializers.IntegerField(required=False, min_value=1, max_value=10**18)
    release = serializers.UUIDField(required=False, source="benchmark__release__public_id")
    study = serializers.UUIDField(required=False, source="benchmark__release__study__public_id")
    task = serializers.CharField(required=False, max_length=32, source="benchmark__task")
    source = serializers.ChoiceField(Result.Source.choices, required=False)  # type: ignore[assignment]


STATE = (
    column("public_id", TEXT, "the result's id"),
    column("name", TEXT, "the model, or who else answered"),
    column("source", TEXT, "asked, uploaded, people, chance, or read: what a model says of the items"),
    column("status", TEXT, "open, or done"),
    column("answered", INTEGER, "items that are answered"),
    column("waiting", INTEGER, "items that the model is being asked about"),
    column("failed", INTEGER, "items that it could not answer"),
    column("problem", TEXT, "why not, or what it waits for"),
)


class BenchmarkResultViewSet(Listing):
    """The answers of one model, or of people or chance: how far they are, their origin and their sums.

    No item is told with its scores: those of a hidden split would tell its labels.
    """

    queryset: QuerySet[Result] = Result.objects.select_related(
        "benchmark__release__study", "added_by", "captioner", "rival"
    )
    permissions = SEEN
    scope = Scope.EXPORT
    study_path = "benchmark__release__study"
    filters = BenchmarkResultFilters
    needs: ClassVar[Mapping[str, Need]] = {
        "answers": Need(Scope.EXPORT, (*SEEN, TAKE)),
        "regions": CHANGE,
    }
    admin_pages: ClassVar[Mapping[str, str]] = {"benchmarks_regions": "regions"}
    columns = (
        *STATE,
        column("benchmark", INTEGER, "the number of its benchmark", of="benchmark_id"),
        column("release", TEXT, "the release", of="benchmark.release.public_id"),
        column("task", TEXT, "the task", of="benchmark.task"),
        column("about", TEXT, "what is said of it"),
        column("is_listed", FLAG, "whether it stands in the tables; of submissions, once somebody agreed"),
        column(
            "captions_by",
            TEXT,
            "the model whose captions it reads",
            of=lambda one: one.captioner and one.captioner.name,
        ),
        *(replace(one, of=attrgetter(f"facts.{one.name}")) for one in FACT_COLUMNS),
        column("provenance", JSON, "weights, preprocessing, device and code; of a file, its SHA-256"),
        column(
            "sums",
            ROWS,
            "sums of its scores over all items, and over each kind of them",
            column(
                "group", TEXT, "what divides the items; empty for all of them", of=lambda one: one["group"]
            ),
            column("value", TEXT, "the kind of items", of=lambda one: one["value"]),
            column("measure", TEXT, "the measure", of=lambda one: one["measure"]),
            column("items", INTEGER, "so many items", of=lambda one: one["items"]),
            column("sum", TEXT, "the sum, as a fraction", of=lambda one: one["sum"]),
        ),
        user_column("added_by", "who added it"),
        column("added_at", MOMENT, "when"),
    )
    verbs: ClassVar[Mapping[str, Verb]] = {
        "again": Verb(
            action=RESULTS.actions["again"],
            scope=Scope.EXPORT,
            about="Ask a model again about what it could not answer.",
        ),
        "remove": Verb(
            action=RESULTS.actions["remove"],
            scope=Scope.EXPORT,
            about="Remove a model's answers. This cannot be undone.",
        ),
    }

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True)
    def answers(self, request: Request, public_id: str) -> HttpResponseBase:
        """Take a model's answers as a file that can be uploaded again, without those to a hidden split."""
        result: Result = self.get_object()
        if not (result.has_answers and has_rows(result.benchmark.release, task_of(result.benchmark))):
            raise Http404
        heading = [one.name for one in task_of(result.benchmark).columns]
        name = download_name(result.benchmark.release, f"{result.benchmark.task}-{result.pk}.csv")
        answer = send_csv(heading, answer_files.answer_lines(result, with_hidden=False), name=name)
        answer["Cache-Control"] = "no-store"
        return answer

    @extend_schema(request=NamedItem, responses=PairRegionsSerializer(many=True))
    @action(detail=True, methods=["post"])
    def regions(self, request: Request, public_id: str) -> Response:
        """Ask which words meet which regions of an item's pictures, and tell what is answered.

        The background answers. Sent again, it asks nothing again.
        """
        result: Result = self.get_object()
        name = self.read(NamedItem)["item"]
        if not has_rows(result.benchmark.release, task_of(result.benchmark)):
            raise Http404
        item_regions.ask_regions(result=result, name=name, now=timezone.now())
        return Response(PairRegionsSerializer(item_regions.regions_of(result, name), many=True).data)


Results: Any = BenchmarkResultViewSet


def _result_of(run: TrainingRun) -> Any:
    return run.result.public_id if hasattr(run, "result") else None


class TrainingFilters(Filters):
    benchmark = serializers.IntegerField(required=False, min_value=1, max_value=10**18)
    release = serializers.UUIDField(required=False, source="benchmark__release__public_id")
    study = serializers.UUIDField(required=False, source="benchmark__release__study__public_id")
    status = serializers.ChoiceField(Training.Status.choices, required=False)


class TrainingViewSet(Listing):
    """A model that is trained on a benchmark's items, and what each complete run was measured at."""

    queryset: QuerySet[Training] = Training.objects.select_related(
        "benchmark__release__study", "rival", "made_by"
    ).prefetch_related("runs__result")
    permissions = SEEN
    scope = Scope.EXPORT
    study_path = "benchmark__release__study"
    filters = TrainingFilters
    columns = (
        column("public_id", TEXT, "the training's id"),
        column("benchmark", INTEGER, "the number of its benchmark", of="benchmark_id"),
        column("release", TEXT, "the release", of="benchmark.release.public_id"),
        column("recipe", TEXT, "the way of training"),
        column("model", TEXT, "the registered model that it begins with", of="rival.name"),
        column("settings", JSON, "the numbers of the recipe"),
        column("seeds", INTEGER, "so many runs, of the seeds 1, 2 and so on"),
        column("about", TEXT, "what is said of it"),
        column("status", TEXT, "open, done, stopped or failed"),
        column("problem", TEXT, "why it has failed"),
        column("doing", TEXT, "what is being done"),
        column("steps_done", INTEGER, "steps of the run that is being made"),
        column("steps_all", INTEGER, "of so many; 0 where nobody knows yet"),
        column(
            "runs",
            ROWS,
            "its complete runs",
            column("seed", INTEGER, "the seed"),
            column("result", TEXT, "the id of the result that has its answers", of=_result_of),
            column("counts", JSON, "what it learned from and was tested on, in numbers"),
            column("points", JSON, "the sum of its scores in each test after each epoch; 0 is untrained"),
            of=lambda one: one.runs.all(),
        ),
        user_column("made_by", "who began it"),
        column("made_at", MOMENT, "when"),
    )
    verbs: ClassVar[Mapping[str, Verb]] = {
        "stop": Verb(
            action=TRAININGS.actions["stop"],
            scope=Scope.EXPORT,
            about="Stop a training. Its complete runs are kept.",
        ),
        "resume": Verb(
            action=TRAININGS.actions["resume"],
            scope=Scope.EXPORT,
            about="Make the runs that a stopped or failed training lacks.",
        ),
        "remove": Verb(
            action=TRAININGS.actions["remove"],
            scope=Scope.EXPORT,
            about="Remove a training with the answers of its runs. This cannot be undone.",
        ),
    }


Trainings: Any = TrainingViewSet


class BenchmarkViewSet(Listing):
    """One task on the items of one release, with the results of models, people and chance."""

    queryset: QuerySet[Benchmark] = Benchmark.objects.select_related(
        "release__study", "matcher"
    ).prefetch_related(Prefetch("results", Result.objects.filter(is_listed=True).defer("sums", "provenance")))
    permissions = SEEN
    scope = Scope.EXPORT
    study_path = "release__study"
    number = True
    filters = BenchmarkFilters
    admin_pages: ClassVar[Mapping[str, str]] = {
        "benchmarks_ask": "ask",
        "benchmarks_upload": "upload",
        "benchmarks_match": "match",
        "benchmarks_train": "train",
    }
    needs: ClassVar[Mapping[str, Need]] = {
        "create": CHANGE,
        "tables": Need(Scope.EXPORT, SEEN),
        "ask": CHANGE,
        "upload": CHANGE,
        "match": CHANGE,
        "train": CHANGE,
    }
    columns = (
        column("number", INTEGER, "the number of the benchmark on this site", of="pk"),
        column("release", TEXT, "the release", of="release.public_id"),
        column("study", TEXT, "the study", of="release.study.public_id"),
        column("task", TEXT, "the key of the task"),
        column("name", TEXT, "the task in words", of=lambda one: task_of(one).name),
        column("made_at", MOMENT, "when it was opened"),
        column(
            "matcher",
            TEXT,
            "the sentence model that matches answers; null: none is chosen",
            of=lambda one: one.matcher and one.matcher.name,
        ),
        column("matches_from", NUMBER, "the smallest cosine that is a match"),
        column("results", ROWS, "its results", *STATE, of=lambda one: one.results.all()),
    )

    @extend_schema(request=NewBenchmark)
    def create(self, request: Request) -> Response:
        """Open the benchmark of a task, as its page does. One that is open already is told again."""
        asked = self.read(NewBenchmark)
        releases = Release.objects.filter(study__in=studies_of(request.user)).select_related("study")
        release = get_object_or_404(releases, public_id=asked["release"])
        tasks = {task.key: task for task in benchmark_tasks.tasks_of(release.family)}
        if asked["task"] not in tasks:
            raise serializers.ValidationError({"task": [f"There is {', '.join(tasks) or 'none'}."]})
        made = benchmark_results.open_benchmark(
            release=release, task=tasks[asked["task"]], now=timezone.now()
        )
        answer = self.answer_row(pk=made.pk)
        answer.status_code = status.HTTP_201_CREATED
        return answer

    @extend_schema(responses=BenchmarkTableSerializer(many=True))
    @action(detail=True)
    def tables(self, request: Request, pk: str) -> Response:
        """Tell the tables of its pages: models beside people and chance, and those that were trained here."""
        benchmark = self.get_object()
        tables = [*tables_of(benchmark), *trained_tables(benchmark)]
        return Response(BenchmarkTableSerializer(tables, many=True).data)

    @extend_schema(request=AskedModel, responses={201: Results.serializer_class})
    @action(detail=True, methods=["post"])
    def ask(self, request: Request, pk: str) -> Response:
        """Ask a registered model about every item. The background does it; the result tells how far it is."""
        benchmark, asked = self.get_object(), self.read(AskedModel)
        rival = models_for(task_of(benchmark)).filter(name=asked["model"]).first()
        if rival is None:
            raise serializers.ValidationError({"model": ["No model of this name can answer this."]})
        captions_by = asked.get("captions_by", "")
        captioner = captioners_for(task_of(benchmark)).filter(name=captions_by).first()
        if captions_by and captioner is None:
            raise serializers.ValidationError({"captions_by": ["No model of this name says captions here."]})
        result = benchmark_results.ask_model(
            benchmark=benchmark,
            rival=rival,
            captioner=captioner,
            by=user_of(request),
            now=timezone.now(),
            about=asked.get("about", ""),
        )
        return _told(result)

    @extend_schema(request=ChosenMatcher)
    @action(detail=True, methods=["post"])
    def match(self, request: Request, pk: str) -> Response:
        """Choose the sentence model that decides which answers mean the same as the right ones."""
        benchmark, asked = self.get_object(), self.read(ChosenMatcher)
        matcher = learned_match.matchers().filter(name=asked["model"]).first()
        if matcher is None:
            raise serializers.ValidationError({"model": ["No model of this name compares texts."]})
        learned_match.choose_matcher(
            benchmark=benchmark,
            matcher=matcher,
            matches_from=asked["matches_from"],
            by=user_of(request),
            now=timezone.now(),
        )
        return self.answer_row(pk=benchmark.pk)

    @extend_schema(request=NewTraining, responses={201: Trainings.serializer_class})
    @action(detail=True, methods=["post"])
    def train(self, request: Request, pk: str) -> Response:
        """Train a registered model on a part of the items. The training tells how far it is."""
        benchmark, asked = self.get_object(), self.read(NewTraining)
        recipes = {recipe.key: recipe for recipe in recipes_of(benchmark)}
        if asked["recipe"] not in recipes:
            raise serializers.ValidationError({"recipe": [f"There is {', '.join(recipes) or 'none'}."]})
        recipe = recipes[asked.pop("recipe")]
        rival = models_to_train(recipe).filter(name=asked.pop("model")).first()
        if rival is None:
            raise serializers.ValidationError({"model": ["No model of this name can be trained so."]})
        training = training_jobs.start_training(
            benchmark=benchmark,
            recipe=recipe,
            rival=rival,
            by=user_of(request),
            now=timezone.now(),
            **asked,
        )
        return Response(Trainings.serializer_class(training).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=NewAnswers, responses={201: Results.serializer_class})
    @action(detail=True, methods=["post"], parser_classes=[MultiPartParser])
    def upload(self, request: Request, pk: str) -> Response:
        """Score the answers of a model: all lines of a file, or none and what is wrong in each."""
        benchmark, values = self.get_object(), self.read(NewAnswers)
        result = answer_files.add_answers(
            benchmark=benchmark, by=user_of(request), now=timezone.now(), **values
        )
        return _told(result)


def _told(result: Result) -> Response:
    return Response(Results.serializer_class(result).data, status=status.HTTP_201_CREATED)


router = SimpleRouter()
router.register("benchmarks", BenchmarkViewSet, basename="benchmark")
router.register("benchmark-results", BenchmarkResultViewSet, basename="benchmark-result")
router.register("benchmark-trainings", TrainingViewSet, basename="benchmark-training")

urlpatterns = router.urls
