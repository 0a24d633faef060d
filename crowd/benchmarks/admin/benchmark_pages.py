"""Benchmarks in the admin: models beside people, models that are asked, files of answers, each result."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.admin.benchmark_forms import AnswersForm, AskForm, CompareForm, MatchForm
from crowd.benchmarks.admin.item_pages import items_context
from crowd.benchmarks.admin.region_pages import regions_context
from crowd.benchmarks.admin.result_actions import (
    ADD,
    LOOK,
    RESULTS,
    around,
    find_benchmark,
    find_result,
    page_of,
    page_of_result,
)
from crowd.benchmarks.admin.training_pages import open_trainings, training_urls
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.benchmark_table import complete_results, tables_of
from crowd.benchmarks.queries.models_table import facts_in_words
from crowd.benchmarks.released_items import has_rows
from crowd.benchmarks.services import answer_files, benchmark_results, item_regions, learned_match
from crowd.benchmarks.services.answer_files import answers_to
from crowd.benchmarks.services.benchmark_results import models_for, task_of
from crowd.benchmarks.services.paired_difference import difference_of
from crowd.benchmarks.services.training_jobs import recipes_of
from crowd.releases.admin import release_parts
from crowd.releases.admin.permitted_rows import TAKE, find_release
from crowd.releases.admin.release_actions import beside
from crowd.releases.admin.release_parts import ReleasePart
from crowd.releases.models import Release
from crowd.releases.services.file_downloads import download_name
from hits.admin.data.result_forms import UploadedFile, answer_upload
from hits.admin.data.take_files import send_csv
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.selection import signed_in
from hits.admin.stat_tables import send_table
from hits.core.domain.counted_nouns import plural
from hits.core.errors import RuleBroken
from hits.work.access import studies_of

LOOK_AGAIN_MS = 2_000


@admin.register(Benchmark)
class BenchmarkAdmin(ReadOnlyAdmin[Benchmark]):
    """Benchmarks stand on the page of their release, and have no list of their own."""

    def get_model_perms(self, request: HttpRequest) -> dict[str, bool]:
        return {}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Benchmark]:
        return super().get_queryset(request).filter(release__study__in=studies_of(request.user))

    def get_urls(self) -> list[URLPattern]:
        def at(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            shown = self.admin_site.admin_view(partial(view, self))
            return path(address, shown, name=f"benchmarks_{name}")

        def acted(key: str) -> URLPattern:
            shown = self.admin_site.admin_view(RESULTS.view(key))
            return path(f"results/<int:pk>/{key}/", shown, name=f"benchmarks_{key}")

        return [
            at("of/<int:pk>/<slug:task>/", open_view, "open"),
            at("<int:pk>/", page_view, "benchmark"),
            at("<int:pk>/<slug:name>.csv", file_view, "file"),
            at("<int:pk>/<slug:name>.json", partial(file_view, form="json"), "json"),
            at("<int:pk>/ask/", ask_view, "ask"),
            at("<int:pk>/upload/", upload_view, "upload"),
            at("<int:pk>/match/", match_view, "match"),
            at("results/<int:pk>/", result_view, "result"),
            at("results/<int:pk>/items/", items_view, "items"),
            at("results/<int:pk>/regions/", regions_view, "regions"),
            at("results/<int:pk>/answers.csv", answers_view, "answers"),
            acted("again"),
            acted("remove"),
            *training_urls(),
            *super().get_urls(),
        ]


def tasks_context(request: HttpRequest, release: Release) -> Mapping[str, Any]:
    """Return what the page of a release says about its benchmarks."""
    if not request.user.has_perm(LOOK):
        return {"benchmarks": []}
    counted = {one.task: one for one in release.benchmarks.all()}
    return {
        "benchmarks": [
            {
                "task": task,
                "url": reverse("admin:benchmarks_open", args=[release.pk, task.key]),
                "counts": benchmark_results.counts_of(counted[task.key]) if task.key in counted else {},
            }
            for task in benchmark_tasks.tasks_for(release)
        ]
    }


release_parts.register("", ReleasePart(template="admin/benchmarks/of_release.html", context=tasks_context))


def open_view(page: BenchmarkAdmin, request: HttpRequest, pk: int, task: str) -> HttpResponse:
    """Lead to the benchmark of a task, which exists from the first look on."""
    release = find_release(request, pk, LOOK)
    found = next((one for one in benchmark_tasks.tasks_for(release) if one.key == task), None)
    if found is None:
        raise Http404
    try:
        benchmark = benchmark_results.open_benchmark(release=release, task=found, now=timezone.now())
    except RuleBroken as refusal:
        messages.error(request, str(refusal))
        return redirect("admin:releases_release_change", release.pk)
    return redirect(page_of(benchmark))


def page_view(page: BenchmarkAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    benchmark = find_benchmark(request, pk)
    results = complete_results(benchmark)
    waiting = list(benchmark.results.filter(status=Result.Status.OPEN).select_related("rival"))
    to_match = [one for one in results if one.to_match]
    trainings = open_trainings(benchmark)
    comparable = [one for one in results if one.answered]
    compare = CompareForm(request, results=comparable)
    context = {
        **beside(benchmark.release),
        "title": task_of(benchmark).name,
        "task": task_of(benchmark),
        "benchmark": benchmark,
        "tables": tables_of(benchmark, urls={one.pk: page_of_result(one) for one in results}),
        "waiting": waiting,
        "to_match": to_match,
        "trainings": trainings,
        "has_recipes": bool(recipes_of(benchmark)),
        "every_ms": LOOK_AGAIN_MS if waiting or to_match or trainings else 0,
        "readings": benchmark.results.filter(source=Result.Source.READ),
        # A trained model answers its tests alone.
        "most": max((one.answered for one in results if one.run_id is None), default=0),
        "may_add": request.user.has_perm(ADD),
        "has_models": any(one.is_of_model for one in results),
        "compare": compare if len(comparable) > 1 and task_of(benchmark).single_measures else None,
        "differences": _differences(benchmark, compare) if compare.is_valid() else [],
    }
    name = "benchmark_parts" if "fragment" in request.GET else "benchmark"
    return _render(page, request, name, benchmark, context)


def file_view(
    page: BenchmarkAdmin, request: HttpRequest, pk: int, name: str, form: str = "csv"
) -> HttpResponseBase:
    benchmark = find_benchmark(request, pk)
    return send_table(tables_of(benchmark), name, form=form, study=benchmark.release.study)


def ask_view(page: BenchmarkAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    benchmark = find_benchmark(request, pk, ADD)
    task = task_of(benchmark)
    form = AskForm(request, task=task)
    if request.method == "POST" and form.is_valid():
        try:
            asked = benchmark_results.ask_model(
                benchmark=benchmark, by=signed_in(request), now=timezone.now(), **form.cleaned_data
            )
        except RuleBroken as refusal:
            form.add_error("rival", str(refusal))
        else:
            messages.success(request, f"Asking {asked}. This page follows it.")
            return redirect(page_of(benchmark))
    context = {
        "title": "Ask a registered model",
        "task": task,
        "form": form,
        "has_models": models_for(task).exists(),
        "back": page_of(benchmark),
    }
    return _render(page, request, "ask", benchmark, context)


def match_view(page: BenchmarkAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    """Choose the sentence model that decides which answers mean the same as the right ones."""
    benchmark = find_benchmark(request, pk, ADD)
    form = MatchForm(request)
    if request.method == "POST" and form.is_valid():
        try:
            learned_match.choose_matcher(
                benchmark=benchmark, by=signed_in(request), now=timezone.now(), **form.cleaned_data
            )
        except RuleBroken as refusal:
            form.add_error("matcher", str(refusal))
        else:
            messages.success(request, f"Answers are matched by {benchmark.matcher}.")
            return redirect(page_of(benchmark))
    context = {
        "title": "Choose what matches answers",
        "task": task_of(benchmark),
        "form": form,
        "has_models": learned_match.matchers().exists(),
        "back": page_of(benchmark),
    }
    return _render(page, request, "match", benchmark, context)


def upload_view(page: BenchmarkAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    benchmark = find_benchmark(request, pk, ADD)
    task = task_of(benchmark)

    def done(added: Result) -> HttpResponse:
        messages.success(request, f"Of {added}, {plural(added.answered, 'answer')} are scored.")
        return redirect(page_of(benchmark))

    def show(found: Mapping[str, Any]) -> HttpResponse:
        context = {
            "title": "Upload a model's answers",
            "base": "admin/hits/action_base.html",
            "button": "Upload and score",
            "back": page_of(benchmark),
            "file": UploadedFile(columns=task.columns, about=task.about),
            **around(benchmark),
            **found,
        }
        shared = page.admin_site.each_context(request)
        return TemplateResponse(request, "admin/hits/results_upload.html", {**shared, **context})

    def take(values: Mapping[str, Any]) -> Result:
        return answer_files.add_answers(
            benchmark=benchmark, by=signed_in(request), now=timezone.now(), **values
        )

    form = AnswersForm(request, results=answers_to(task))
    return answer_upload(request, form, take=take, done=done, show=show)


def result_view(page: BenchmarkAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    result = find_result(request, pk)
    provenance = {name.replace("_", " "): _plain(value) for name, value in result.provenance.items()}
    context = {
        "title": str(result),
        "result": result,
        "provenance": provenance,
        "known": facts_in_words(result.facts),
        "may_take": request.user.has_perm(TAKE) and result.has_answers,
        "has_answers": result.has_answers and has_rows(result.benchmark.release, task_of(result.benchmark)),
        "offered": RESULTS.offered(result, user=signed_in(request)),
    }
    return _render(page, request, "result", result.benchmark, context)


def items_view(page: BenchmarkAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    result = find_result(request, pk)
    if not (result.has_answers and has_rows(result.benchmark.release, task_of(result.benchmark))):
        raise Http404
    trail = around(result.benchmark, (result.name, page_of_result(result)))
    context = {"title": "Item by item", "result": result, **items_context(request, result), **trail}
    return _render(page, request, "items", result.benchmark, context)


def regions_view(page: BenchmarkAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    """Show the heat maps of one item, and have the model asked for them."""
    is_asked, name = request.method == "POST", request.GET.get("item", "")
    result = find_result(request, pk, *([ADD] if is_asked else []))
    if not has_rows(result.benchmark.release, task_of(result.benchmark)):
        raise Http404
    try:
        if is_asked:
            item_regions.ask_regions(result=result, name=name, now=timezone.now())
            return redirect(request.get_full_path())
        found = regions_context(request, result, name)
    except RuleBroken as refusal:
        raise Http404 from refusal
    trail = around(result.benchmark, (result.name, page_of_result(result)))
    title, may_add = "Words and regions", request.user.has_perm(ADD)
    context = {"title": title, "result": result, "may_add": may_add, **found, **trail}
    return _render(page, request, "regions", result.benchmark, context)


def answers_view(page: BenchmarkAdmin, request: HttpRequest, pk: int) -> HttpResponseBase:
    """Send the answers as a file that gives the same ones again."""
    result = find_result(request, pk, TAKE)
    if not (result.has_answers and has_rows(result.benchmark.release, task_of(result.benchmark))):
        raise Http404
    heading = [column.name for column in task_of(result.benchmark).columns]
    name = download_name(result.benchmark.release, f"{result.benchmark.task}-{result.pk}.csv")
    return send_csv(heading, answer_files.answer_lines(result), name=name)


def _differences(benchmark: Benchmark, compare: CompareForm) -> list[dict[str, Any]]:
    one, other = compare.cleaned_data["one"], compare.cleaned_data["other"]
    return [
        {"measure": measure.name, "one": one, "other": other, "found": found}
        for measure in task_of(benchmark).single_measures
        if (found := difference_of(one, other, measure=measure.key))
    ]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _render(
    page: BenchmarkAdmin, request: HttpRequest, name: str, benchmark: Benchmark, context: Mapping[str, Any]
) -> HttpResponse:
    shared = {**page.admin_site.each_context(request), **around(benchmark), "opts": Release._meta}
    return TemplateResponse(request, f"admin/benchmarks/{name}.html", {**shared, **context})
