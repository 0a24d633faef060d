"""What is done to a release, and to what a model made of it: published, deleted, tried again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from crowd.winogavil.releases.admin.finding import DELETE, MAKE, PUBLISH, UNPREDICT, find_release
from crowd.winogavil.releases.models import Prediction, Release
from crowd.winogavil.releases.services import making, prediction_scores
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages

Status = Release.Status
LIST = "admin:winogavil_releases_release_changelist"


def find_one(request: HttpRequest, pk: int) -> Sequence[Release]:
    return [find_release(request, pk)]


def find_prediction(request: HttpRequest, pk: int, prediction_id: int) -> Sequence[Prediction]:
    rows = Prediction.objects.select_related("release__study", "made_by")
    return [get_object_or_404(rows, pk=prediction_id, release=find_release(request, pk))]


def page_of(release: Release) -> str:
    return reverse("admin:winogavil_releases_release_change", args=[release.pk])


def beside(release: Release) -> Mapping[str, Any]:
    trail = [("Releases", reverse(LIST)), (release, page_of(release))]
    return {"opts": Release._meta, "trail": trail}


def _asking(text: str) -> Callable[[Call[Release]], Confirm]:
    return lambda call: Confirm(text=emphasize(text, call.row, call.row.study))


def _ask_about_prediction(call: Call[Prediction]) -> Confirm:
    one = call.row
    text = "You delete the predictions of {} on {}: {count} of them, uploaded by {by}. This cannot be undone."
    return Confirm(text=emphasize(text, one.model, one.release, count=one.rows, by=one.made_by))


def _publish(call: Call[Release]) -> Outcome:
    making.publish_release(release=call.row, by=call.by, now=call.now)
    return Outcome(said="It is published, and stays as it is.")


def _delete(call: Call[Release]) -> Outcome:
    said = f"{call.row} is deleted, with its files."
    making.delete_release(release=call.row, by=call.by, now=call.now)
    return Outcome(said=said, to=reverse(LIST))


def _try_again(call: Call[Release]) -> Outcome:
    making.try_again(release=call.row, by=call.by, now=call.now)
    return Outcome(said="It is made again, from the beginning.")


def _delete_prediction(call: Call[Prediction]) -> Outcome:
    prediction_scores.delete_prediction(prediction=call.row, by=call.by, now=call.now)
    return Outcome(said=f"The predictions of {call.row.model} are deleted.")


RELEASES = ActionPages(
    actions={
        "publish": Action(
            label="Publish",
            permissions=[PUBLISH],
            confirm=_asking(
                "You declare {} of {} as published. From then on it cannot be "
                "deleted: others may have it, and its digests are their proof. "
                "Nothing is sent anywhere. Take the files, and put them where people find them.",
            ),
            offered=lambda release: release.status == Status.READY,
            is_first=True,
            run=_publish,
        ),
        "again": Action(
            label="Try again",
            permissions=[MAKE],
            offered=lambda release: release.status == Status.FAILED,
            is_first=True,
            one_click=True,
            run=_try_again,
        ),
        "remove": Action(
            label="Delete",
            permissions=[DELETE],
            confirm=_asking(
                "You delete {} of {}, with its files and with what models made "
                "of it. The associations themselves stay. "
                "This cannot be undone. A release that is made anew has other pseudonyms.",
            ),
            offered=lambda release: release.status != Status.RELEASED,
            is_grave=True,
            run=_delete,
        ),
    },
    find=find_one,
    back=lambda releases: page_of(releases[0]),
    url=lambda release, key: reverse(f"admin:winogavil_releases_{key}", args=[release.pk]),
    shared=lambda releases: beside(releases[0]),
)
PREDICTIONS = ActionPages(
    actions={
        "delete": Action(
            label="Delete",
            permissions=[UNPREDICT],
            confirm=_ask_about_prediction,
            is_grave=True,
            run=_delete_prediction,
        )
    },
    find=find_prediction,
    back=lambda predictions: page_of(predictions[0].release),
    shared=lambda predictions: beside(predictions[0].release),
)
