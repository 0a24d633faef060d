"""The way from a study's own results to its releases, on which models stand beside people."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.admin.result_actions import LOOK
from crowd.benchmarks.services.earlier_answers import earlier_answers_of
from crowd.releases.admin.permitted_rows import MAKE, VIEW
from crowd.releases.models import Release
from hits.studies.models import Study

# The latest releases are enough: the list of releases has the others.
SHOWN = 5


def beside_models(request: HttpRequest, study: Study, *, family: str) -> Mapping[str, Any]:
    """Return what `beside_models.html` shows: releases with their benchmarks, and how to make one."""
    may_look, may_make = request.user.has_perms([VIEW, LOOK]), request.user.has_perm(MAKE)
    releases = Release.objects.filter(study=study, family=family).order_by("-pk")[: SHOWN if may_look else 0]
    return {
        "measured": [
            {
                "release": release,
                "task": task,
                "url": reverse("admin:benchmarks_open", args=[release.pk, task.key]),
            }
            for release in releases
            if release.is_complete
            for task in benchmark_tasks.tasks_for(release)
        ],
        "make_release": reverse("admin:releases_make", args=[study.pk, family]) if may_make else "",
        "earlier": [one.name for one in earlier_answers_of(study, family=family)],
    }
