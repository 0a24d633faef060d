"""Every table of results, and its file, is what it was before."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from crowd.winoground.models import Project
from hits.identity.roles import RESEARCHER
from tests.crowd.winoground.making_scores import make_every_score, make_project
from tests.goldens import body_of, check_golden, told_by
from tests.people import sign_in

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).with_name("golden")


def masks_of(project: Project) -> dict[str, str]:
    study = project.study
    return {
        f"/project/{project.pk}/": "/project/PK/",
        f"/{study.pk}/winoground/": "/PK/winoground/",
        str(study.public_id)[:8]: "STUDY",
    }


def test_results_say_what_they_said(client: Client) -> None:
    project = make_project()
    make_every_score(project)
    sign_in(client, RESEARCHER, project.study)
    address = reverse("admin:winoground_results", args=[project.pk])

    page = client.get(address)
    files = [
        body_of(client.get(reverse("admin:winoground_results_file", args=[project.pk, name])))
        for name in ("scores", "correlations")
    ]

    check_golden(GOLDEN / "results.txt", told_by(page), masks=masks_of(project))
    check_golden(GOLDEN / "results_files.txt", "\n".join(files), masks=masks_of(project))
