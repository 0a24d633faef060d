"""Actions on a release: publish, delete, try again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from crowd.releases.admin.permitted_rows import DELETE, MAKE, PUBLISH, find_release
from crowd.releases.models import Release
from crowd.releases.services import release_states
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages

Status = Release.Status
LIST = "admin:releases_release_changelist"


def find_one(request: HttpRequest, pk: int) -> Sequence[Release]:
    return [find_release(request, pk)]


def page_of(release: Release) -> str:
    return reverse("admin:releases_release_change", args=[release.pk])


def beside(release: Release) -> Mapping[str, Any]:
    trail = [("Releases", reverse(LIST)), (release, page_of(release))]
    return {"opts": Release._meta, "trail": trail}


def _asking(text: str) -> Callable[[Call[Release]], Confirm]:
    return lambda call: Confirm(text=emphasize(text, call.row, call.row.study))


def _publish(call: Call[Release]) -> Outcome:
    release_states.publish_release(release=call.row, by=call.by, now=call.now)
    return Outcome(said="The release is published, and stays as it is.")


def _delete(call: Call[Release]) -> Outcome:
    said = f"{call.row} is deleted, with its files."
    release_states.delete_release(release=call.row, by=call.by, now=call.now)
    return Outcome(said=said, to=reverse(LIST))


def _try_again(call: Call[Release]) -> Outcome:
    release_states.try_again(release=call.row, by=call.by, now=call.now)
    return Outcome(said="The release is made again, from the beginning.")


RELEASES = ActionPages(
    actions={
        "publish": Action(
            label="Publish",
            permissions=[PUBLISH],
            confirm=_asking(
                "You declare {} of {} as published. From then on it cannot be "
                "deleted: others may have it, and its digests are their proof. "
                "Nobody sees anything yet: open its public page afterwards, or put the files elsewhere.",
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
                "of it. What was collected stays. "
                "This cannot be undone. A release that is made again has other pseudonyms.",
            ),
            offered=lambda release: release.status != Status.RELEASED,
            is_grave=True,
            run=_delete,
        ),
    },
    find=find_one,
    back=lambda releases: page_of(releases[0]),
    url=lambda release, key: reverse(f"admin:releases_{key}", args=[release.pk]),
    shared=lambda releases: beside(releases[0]),
)
