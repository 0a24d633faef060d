"""Every table of statistics, and its file, is what it was before."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from crowd.winoventi.models import Project
from hits.identity.roles import RESEARCHER
from tests.crowd.winoventi.rows import make_everything, make_project
from tests.goldens import body_of, check_golden, name_workers, told_by
from tests.people import sign_in

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).with_name("golden")
TABLES = (
    "counts",
    "by-k",
    "sentences",
    "objections",
    "judged",
    "people",
    "models",
    "jaccard",
    "commonest",
    "workers",
)


def masks_of(project: Project) -> dict[str, str]:
    masks = {f"/project/{project.pk}/": "/project/PK/", str(project.study.public_id)[:8]: "STUDY"}
    masks |= {str(project.study): "STUDY"}
    return masks | {f"/models/{one.pk}/": "/models/PK/" for one in project.evaluations.all()}


def test_statistics_say_what_they_said(client: Client) -> None:
    project, empty = make_project(), make_project()
    make_everything(project)
    name_workers()
    sign_in(client, RESEARCHER, project.study, empty.study)

    page = client.get(reverse("admin:winoventi_statistics", args=[project.pk]))
    files = [
        body_of(client.get(reverse("admin:winoventi_table", args=[project.pk, name]))) for name in TABLES
    ]
    nothing = client.get(reverse("admin:winoventi_statistics", args=[empty.pk]))
    curves = client.get(reverse("admin:winoventi_cut", args=[project.pk]))

    check_golden(GOLDEN / "statistics.txt", told_by(page), masks=masks_of(project))
    check_golden(GOLDEN / "statistics_files.txt", "\n".join(files), masks=masks_of(project))
    check_golden(GOLDEN / "statistics_empty.txt", told_by(nothing), masks=masks_of(empty))
    check_golden(GOLDEN / "cut.txt", told_by(curves), masks=masks_of(project))
