"""Actions on a training: stopped, gone on with, removed."""

from collections.abc import Sequence

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from crowd.benchmarks.admin.result_actions import ADD, LOOK, REMOVE, around
from crowd.benchmarks.models import Benchmark, Training
from crowd.benchmarks.services import training_jobs
from crowd.releases.admin.permitted_rows import find_release
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages

Status = Training.Status
TRAINED = "Trained models"


def find_training(request: HttpRequest, pk: int, *permissions: str) -> Training:
    rows = Training.objects.select_related("benchmark__release__study", "rival", "made_by")
    training = get_object_or_404(rows, pk=pk)
    find_release(request, training.benchmark.release_id, LOOK, *permissions)
    return training


def page_of_trained(benchmark: Benchmark) -> str:
    return reverse("admin:benchmarks_trained", args=[benchmark.pk])


def page_of_training(training: Training) -> str:
    return reverse("admin:benchmarks_training", args=[training.pk])


def beside_trained(benchmark: Benchmark, *further: tuple[str, str]) -> dict[str, object]:
    return dict(around(benchmark, (TRAINED, page_of_trained(benchmark)), *further))


def _find(request: HttpRequest, pk: int) -> Sequence[Training]:
    return [find_training(request, pk)]


def _confirm_stop(call: Call[Training]) -> Confirm:
    text = "You stop {}. The run that is being made is lost; {count} complete ones are kept."
    return Confirm(text=emphasize(text, call.row, count=call.row.runs.count()))


def _stop(call: Call[Training]) -> Outcome:
    training_jobs.stop_training(training=call.row, by=call.by, now=call.now)
    return Outcome(said=f"{call.row} is stopped.")


def _go_on(call: Call[Training]) -> Outcome:
    training_jobs.go_on_training(training=call.row, by=call.by, now=call.now)
    return Outcome(said=f"{call.row} goes on with the runs that are lacking.")


def _confirm_removal(call: Call[Training]) -> Confirm:
    text = "You remove {} with its answers of {count} runs. The same settings give the same numbers again."
    return Confirm(text=emphasize(text, call.row, count=call.row.runs.count()))


def _remove(call: Call[Training]) -> Outcome:
    said, back = f"{call.row} is removed.", page_of_trained(call.row.benchmark)
    training_jobs.remove_training(training=call.row, by=call.by, now=call.now)
    return Outcome(said=said, to=back)


TRAININGS = ActionPages(
    actions={
        "resume": Action(
            label="Go on",
            permissions=[ADD],
            offered=lambda training: training.status in (Status.STOPPED, Status.FAILED),
            is_first=True,
            one_click=True,
            run=_go_on,
        ),
        "stop": Action(
            label="Stop",
            permissions=[ADD],
            confirm=_confirm_stop,
            offered=lambda training: training.status == Status.OPEN,
            run=_stop,
        ),
        "remove": Action(
            label="Remove", permissions=[REMOVE], confirm=_confirm_removal, is_grave=True, run=_remove
        ),
    },
    find=_find,
    back=lambda trainings: page_of_training(trainings[0]),
    url=lambda training, key: reverse(f"admin:benchmarks_training_{key}", args=[training.pk]),
    shared=lambda trainings: beside_trained(
        trainings[0].benchmark, (str(trainings[0]), page_of_training(trainings[0]))
    ),
)
