"""Actions on a model's result: asked again where it failed, and removed."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.services import benchmark_results
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.releases.admin.permitted_rows import find_release
from crowd.releases.admin.release_actions import beside
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages

LOOK = "benchmarks.view_result"
ADD, REMOVE = "benchmarks.add_result", "benchmarks.delete_result"


def find_benchmark(request: HttpRequest, pk: int, *permissions: str) -> Benchmark:
    benchmark = get_object_or_404(Benchmark.objects.select_related("release__study"), pk=pk)
    find_release(request, benchmark.release_id, LOOK, *permissions)
    return benchmark


def find_result(request: HttpRequest, pk: int, *permissions: str) -> Result:
    rows = Result.objects.select_related("benchmark__release__study", "rival", "added_by")
    result = get_object_or_404(rows, pk=pk)
    find_release(request, result.benchmark.release_id, LOOK, *permissions)
    return result


def page_of(benchmark: Benchmark) -> str:
    return reverse("admin:benchmarks_benchmark", args=[benchmark.pk])


def page_of_result(result: Result) -> str:
    return reverse("admin:benchmarks_result", args=[result.pk])


def around(benchmark: Benchmark, *further: tuple[str, str]) -> Mapping[str, Any]:
    shared = beside(benchmark.release)
    trail = [*shared["trail"], (task_of(benchmark).name, page_of(benchmark)), *further]
    return {**shared, "trail": trail}


def _find(request: HttpRequest, pk: int) -> Sequence[Result]:
    return [find_result(request, pk)]


def _ask_again(call: Call[Result]) -> Outcome:
    benchmark_results.ask_failed_again(result=call.row, by=call.by, now=call.now)
    return Outcome(said=f"{call.row} is asked again about what it could not answer.")


def _confirm_removal(call: Call[Result]) -> Confirm:
    kept = (
        "What the model has answered is kept and need not be computed again."
        if call.row.rival
        else "Only the file they came from can bring them back."
    )
    text = "You remove the answers of {} on {}: {count} of them. {kept}"
    return Confirm(
        text=emphasize(text, call.row, call.row.benchmark.release, count=call.row.answered, kept=kept)
    )


def _remove(call: Call[Result]) -> Outcome:
    said, back = f"The answers of {call.row} are removed.", page_of(call.row.benchmark)
    benchmark_results.remove_result(result=call.row, by=call.by, now=call.now)
    return Outcome(said=said, to=back)


RESULTS = ActionPages(
    actions={
        "again": Action(
            label="Ask again about what failed",
            permissions=[ADD],
            offered=lambda result: bool(result.rival and result.failed),
            is_first=True,
            one_click=True,
            run=_ask_again,
        ),
        "remove": Action(
            label="Remove",
            permissions=[REMOVE],
            confirm=_confirm_removal,
            offered=lambda result: result.is_removable,
            is_grave=True,
            run=_remove,
        ),
    },
    find=_find,
    back=lambda results: page_of_result(results[0]),
    url=lambda result, key: reverse(f"admin:benchmarks_{key}", args=[result.pk]),
    shared=lambda results: around(results[0].benchmark, (results[0].name, page_of_result(results[0]))),
)
