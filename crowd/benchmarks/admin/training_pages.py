"""Pages of trained models: their tables and charts, the form that starts a training, and each training."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.benchmarks.admin.benchmark_forms import TrainForm
from crowd.benchmarks.admin.result_actions import ADD, around, find_benchmark, page_of_result
from crowd.benchmarks.admin.training_actions import (
    TRAINED,
    TRAININGS,
    beside_trained,
    find_training,
    page_of_trained,
    page_of_training,
)
from crowd.benchmarks.models import Benchmark, Result, Training
from crowd.benchmarks.queries.trained_tables import settings_in_words, trained_tables
from crowd.benchmarks.services import training_jobs
from crowd.benchmarks.services.training_jobs import models_to_train, recipe_of, recipes_of
from crowd.releases.models import Release
from hits.admin.selection import signed_in
from hits.admin.stat_tables import send_table
from hits.core.errors import RuleBroken

LOOK_AGAIN_MS = 2_000


def training_urls() -> list[URLPattern]:
    def at(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
        return path(address, admin.site.admin_view(view), name=f"benchmarks_{name}")

    return [
        at("<int:pk>/trained/", trained_view, "trained"),
        at("<int:pk>/trained/<slug:name>.csv", trained_file_view, "trained_file"),
        at("<int:pk>/trained/<slug:name>.json", partial(trained_file_view, form="json"), "trained_json"),
        at("<int:pk>/train/<slug:recipe>/", train_view, "train"),
        at("trainings/<int:pk>/", training_view, "training"),
        *(
            at(f"trainings/<int:pk>/{key}/", TRAININGS.view(key), f"training_{key}")
            for key in TRAININGS.actions
        ),
    ]


def trained_view(request: HttpRequest, pk: int) -> HttpResponse:
    benchmark = find_benchmark(request, pk)
    trainings = list(benchmark.trainings.select_related("rival"))
    context = {
        "title": TRAINED,
        "benchmark": benchmark,
        "recipes": recipes_of(benchmark),
        "trainings": trainings,
        "may_add": request.user.has_perm(ADD),
        "tables": trained_tables(benchmark, urls={one.pk: page_of_training(one) for one in trainings}),
    }
    return _render(request, "trained", context, around(benchmark))


def trained_file_view(request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    benchmark = find_benchmark(request, pk)
    return send_table(trained_tables(benchmark), name, form=form, study=benchmark.release.study)


def train_view(request: HttpRequest, pk: int, recipe: str) -> HttpResponse:
    benchmark = find_benchmark(request, pk, ADD)
    found = next((one for one in recipes_of(benchmark) if one.key == recipe), None)
    if found is None:
        raise Http404
    form = TrainForm(request, recipe=found)
    if request.method == "POST" and form.is_valid():
        try:
            training = training_jobs.start_training(
                benchmark=benchmark, recipe=found, by=signed_in(request), now=timezone.now(), **form.chosen
            )
        except RuleBroken as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, f"{training} begins. This page follows it.")
            return redirect(page_of_training(training))
    context = {
        "title": found.name,
        "recipe": found,
        "form": form,
        "has_models": models_to_train(found).exists(),
        "back": page_of_trained(benchmark),
    }
    return _render(request, "train", context, beside_trained(benchmark))


def training_view(request: HttpRequest, pk: int) -> HttpResponse:
    training = find_training(request, pk)
    recipe, rows = recipe_of(training), Result.objects.filter(run__training=training)
    results = rows.select_related("run").defer("run__points", "sums").order_by("run__seed")
    context = {
        "title": str(training),
        "training": training,
        "recipe": recipe,
        "settings": settings_in_words(training, recipe),
        "runs": [(one, page_of_result(one), _in_words(one)) for one in results],
        "offered": TRAININGS.offered(training, user=signed_in(request)),
        "every_ms": LOOK_AGAIN_MS if training.status == Training.Status.OPEN else 0,
    }
    return _render(request, "training", context, beside_trained(training.benchmark))


def open_trainings(benchmark: Benchmark) -> list[Training]:
    """Return the trainings that the page of a benchmark follows."""
    return list(benchmark.trainings.filter(status=Training.Status.OPEN).select_related("rival"))


def _in_words(result: Result) -> str:
    """Say what a run has learned from and was tested on."""
    counts = result.run.counts if result.run else {}
    return ", ".join(f"{name}: {count}" for name, count in counts.items())


def _render(
    request: HttpRequest, name: str, context: Mapping[str, Any], shared: Mapping[str, Any]
) -> HttpResponse:
    whole = {**admin.site.each_context(request), **shared, "opts": Release._meta, **context}
    return TemplateResponse(request, f"admin/benchmarks/{name}.html", whole)
