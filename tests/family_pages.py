"""The admin's pages of caption matching and of weird images, with rows for all of them to show."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.urls import reverse

from crowd import family
from crowd.whoops.models import Annotation, Image, Project
from crowd.whoops.models.control_and_review import ControlAnswer
from crowd.whoops.models.judged_items import Question
from crowd.winoground.models import Example
from crowd.winoground.models import Project as Matching
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from tests.crowd.whoops import making_results
from tests.crowd.whoops.making_images import make_image
from tests.crowd.winoground.making_asked import make_first_questions, make_ready
from tests.crowd.winoground.making_scores import make_example

OF_MATCHING = ("settings", "ask", "first_questions", "results", "result_examples", "take")
OF_IMAGES = (
    "settings", "designers", "invite", "compare", "review", "training", "annotated", "held", "pairs", "lists",
    "statistics", "upload_matching", "take",
)  # fmt: skip


def fill_families(study: Study, *, works: Sequence[Assignment], count: int, now: datetime) -> None:
    """Make rows for the pages of every family. `works` are by as many different workers."""
    _fill_matching(study, count=count, now=now)
    _fill_images(study, works=works, count=count)
    for pages in _found():
        pages.fill(study, works=works, count=count, now=now)


def family_pages() -> Iterator[tuple[str, str]]:
    matching = Matching.objects.order_by("-pk")[0]
    for name in OF_MATCHING:
        yield f"caption matching: {name}", reverse(f"admin:winoground_{name}", args=[matching.pk])
    project = Project.objects.order_by("-pk")[0]
    for name in OF_IMAGES:
        yield f"weird images: {name}", reverse(f"admin:whoops_{name}", args=[project.pk])
    for pages in _found():
        yield from pages.pages()


def _found() -> Iterator[Any]:
    """Modules `pages` of the registered families' tests, where a family has one."""
    for one in family.registered():
        name = f"tests.crowd.{one.key}.pages"
        if find_spec(name):
            yield import_module(name)


def _fill_matching(study: Study, *, count: int, now: datetime) -> None:
    """Make examples in two states, one of them asked of workers."""
    project = Matching.objects.create(study=study)
    for _ in range(count):
        make_example(project, tags=["Noun", "Adjective-Size"])
    make_ready(project, count=count)
    Example.objects.filter(project=project).update(changed_at=now)
    make_first_questions(project, count=count)


def _fill_images(study: Study, *, works: Sequence[Assignment], count: int) -> None:
    """Make images that are in the data, with all that people add to them, and images still in review."""
    project = Project.objects.create(study=study)
    for work in works[:count]:
        image = make_image(project, state=Image.State.ACCEPTED)
        texts = {"caption": "A fish.", "explanation": "It needs water.", "underspecified": "An animal."}
        Annotation.objects.create(image=image, assignment=work, worker=work.worker, **texts)
        ControlAnswer.objects.create(
            image=image, revision=image.revision, assignment=work, worker=work.worker, text="A fish."
        )
        making_results.partner(image, "normal")
        for kind in Question.Kind.values:
            making_results.ask(image, kind)
        make_image(project, state=Image.State.REVIEW)
