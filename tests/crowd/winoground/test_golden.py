"""Exports of caption matching in every form are byte for byte what they were before."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from crowd.pictures.models import Picture
from crowd.winoground.models import Example, Project
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from tests.crowd.exported import KEYS, check_exported, export_all, number_ids, take
from tests.crowd.winoground.making_scores import answer, make_example, make_project, make_voters
from tests.factories import make_picture, make_study
from tests.people import sign_in

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def project(settings: LazySettings) -> Project:
    settings.PSEUDONYM_KEYS = KEYS
    project = make_project(study=make_study(name="Golden"))
    image = make_picture(content=b"<svg/>", credit="A. Müseum", licence="CC0", source="https://a.example")
    images: dict[str, Any] = {"image_0": image, "image_1": make_picture(content=b"<svg />")}
    voters = make_voters(project, 2)
    example = make_example(
        project, **images, caption_0='=SUM(1), "said"\nnext', swap="both", is_series=True,
        tags=("verb", "noun"),
    )  # fmt: skip
    answer(example, ((2, 2), (1, 2), (0, 2), (2, 2)), voters)
    answer(make_example(project, **images), ((1, 1), (0, 0), (0, 0), (1, 1)), voters)
    make_example(project, state="withdrawn", **images)
    number_ids(Study, Worker, User, Example)
    number_ids(Picture, file="pictures/{}.svg")
    return Project.objects.get(pk=project.pk)


def test_files_of_the_command_stay_as_they_were(project: Project, tmp_path: Path) -> None:
    written = export_all("winoground", project.study, tmp_path)

    assert len(written) == 9
    check_exported(GOLDEN, written)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_files_of_the_admin_are_the_same(client: Client, project: Project, form: str) -> None:
    sign_in(client, RESEARCHER, project.study)
    page = reverse("admin:winoground_take", args=[project.pk])

    published = take(client, page, "examples", form)
    full = {what: take(client, page, what, form, everything="on") for what in ("full", "answers")}

    check_exported(GOLDEN, {f"published-examples.{form}": published})
    check_exported(GOLDEN, {f"full-{what}.{form}": content for what, content in full.items()})
