"""Content for the admin's pages of custom questions, for the tests that visit the pages of all families."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.urls import reverse

from crowd.plain.models import Project
from crowd.plain.services.uploading import add_rows
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from tests.attacks.poison import MIDDLE
from tests.crowd.plain.describing import WHOLE
from tests.crowd.plain.making import answer_each, ask, describe, make_project, open_batch

PAGES = ("settings", "describe", "look", "rows", "upload", "results", "take")
# What a description holds is shown as it was written; a hostile one cannot be stored otherwise.
HOSTILE = (
    WHOLE.replace("picture: image\n", "").replace("I cannot tell", MIDDLE).replace("How ", f"{MIDDLE} how ")
)
SAID = {"q1": "1", "q2": "1", "q3": "4", "q4": "2", "q5": "Because."}


def fill(study: Study, *, works: Sequence[Assignment], count: int, now: datetime) -> None:
    """Make rows that two people have answered, and as many that wait."""
    project = make_project(study)
    describe(project, HOSTILE, now=now)
    _add(project, count=count)
    ask(project, now=now)
    batch = open_batch(project)
    for _ in range(2):
        answer_each(batch, [SAID] * count)
    _add(project, count=count)


def pages() -> Iterator[tuple[str, str]]:
    project = Project.objects.order_by("-pk")[0]
    for name in PAGES:
        yield f"questions of one's own: {name}", reverse(f"admin:plain_{name}", args=[project.pk])


def _add(project: Project, *, count: int) -> None:
    lines = "".join(f"A caption {number},there,{number}\n" for number in range(count))
    add_rows(project=project, content=f"caption,source,id\n{lines}".encode())
