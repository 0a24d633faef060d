"""Exports of weird images in every form are byte for byte what they were before."""

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from crowd.pictures.models import Picture
from crowd.whoops.models import Category, Designer, Image, Project, Revision
from crowd.whoops.models.judged_items import Question
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from tests.crowd.exported import KEYS, check_exported, export_all, number_ids, take
from tests.crowd.whoops.making_images import make_image, make_project
from tests.crowd.whoops.making_results import Crowd, Kind, annotate, ask, cast, look, partner, visit
from tests.factories import NOW, make_picture, make_study

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def project(settings: LazySettings) -> Project:
    settings.PSEUDONYM_KEYS = KEYS
    project = make_project(study=make_study(name="Golden"), judges_wanted=2)
    image = make_image(
        project,
        state=Image.State.ACCEPTED,
        picture=make_picture(
            content=b"<svg/>", credit="A. Müseum", licence="CC0", source="https://a.example"
        ),
        category=Category.objects.create(name="Physics"),
        explanation='=SUM(1), "said"\nnext',
        seed="4711",
    )
    make_image(project, state=Image.State.REFUSED, picture=image.picture)
    annotate(image, caption="@Ünder", pk=9001)
    partner(image, "normal", prompt="a child on a bicycle", tool="A drawing machine")
    look(image, seen=True)
    look(image, seen=None)
    Revision.objects.filter(image=image).update(outcome="accepted", reason="Good, and odd.")
    people = Crowd(project, people=2, right=1, seed=1).people
    cast(ask(image, Kind.IDENTIFY, offers=(("", True),), key="1-weird")[0], [True, False], people)
    two = ask(image, Kind.EXPLAIN, offers=(("people", None), ("machine", None)), key="1-1", text="Why?")
    cast(two[0], [True, True], people)
    cast(two[1], [False], people)
    ask(image, Kind.VERIFY, key="gone")
    Question.objects.filter(key="gone").update(withdrawn_at=NOW)
    number_ids(Study, Worker, Designer, Image)
    number_ids(Picture, file="pictures/{}.svg")
    return Project.objects.get(pk=project.pk)


def test_files_of_the_command_stay_as_they_were(project: Project, tmp_path: Path) -> None:
    written = export_all("whoops", project.study, tmp_path)

    assert len(written) == 15
    check_exported(GOLDEN, written)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_files_of_the_admin_are_the_same(client: Client, project: Project, form: str) -> None:
    visit(client, project, "hits.export_batch")
    page = reverse("admin:whoops_take", args=[project.pk])

    published = {what: take(client, page, what, form) for what in ("images", "questions")}
    full = {
        what: take(client, page, what, form, everything="on") for what in ("full", "questions", "answers")
    }

    check_exported(GOLDEN, {f"published-{what}.{form}": content for what, content in published.items()})
    check_exported(GOLDEN, {f"full-{what}.{form}": content for what, content in full.items()})
