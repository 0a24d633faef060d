"""Every table of results, and its file, is what it was before."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from crowd.winoground.models import Project
from crowd.winoground.models.caption_scores import ModelScores
from hits.identity.roles import RESEARCHER
from tests.crowd.winoground.making_scores import make_every_score, make_project
from tests.goldens import body_of, check_golden, told_by
from tests.people import sign_in

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).with_name("golden")


def masks_of(project: Project) -> dict[str, str]:
    models = ModelScores.objects.order_by("pk")
    masks = {f"/project/{project.pk}/": "/project/PK/", str(project.study.public_id)[:8]: "STUDY"}
    return masks | {f"/models/{one.pk}/": f"/models/PK{place}/" for place, one in enumerate(models)}


def test_results_say_what_they_said(client: Client) -> None:
    project = make_project()
    make_every_score(project)
    sign_in(client, RESEARCHER, project.study)
    address = reverse("admin:winoground_results", args=[project.pk])

    page, shared = client.get(address), client.get(address, {"over": "shared"})
    files = [
        body_of(client.get(reverse("admin:winoground_results_file", args=[project.pk, name])))
        for name in ("scores", "correlations")
    ]

    check_golden(GOLDEN / "results.txt", told_by(page), masks=masks_of(project))
    check_golden(GOLDEN / "results_shared.txt", told_by(shared), masks=masks_of(project))
    check_golden(GOLDEN / "results_files.txt", "\n".join(files), masks=masks_of(project))
