"""Every table of statistics, and its file, is what it was before."""

from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from crowd.whoops.results.services.matching_scores import MATCHING
from hits.data.services.model_results import add_results
from tests.crowd.whoops.making_results import Crowd, Kind, ask, make_every_result, make_results, visit
from tests.factories import NOW, make_user
from tests.goldens import body_of, check_golden, told_by

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).with_name("golden")
TABLES = (
    "identification", "explanations", "explanations-by-category", "answers", "captions", "caption-errors",
    "matching", "images", "categories", "tools", "annotations", "texts", "filter", "filters", "way",
    "designers", "wages",
)  # fmt: skip


def test_statistics_say_what_they_said(client: Client) -> None:
    project, images = make_results(images=8)
    empty, _ = make_results(images=0)
    make_every_result(project, images)
    text = f"annotation,detailed,underspecified\n{images[0].annotations.get().pk},1,0"
    file = BytesIO(text.encode())
    made = add_results(
        MATCHING, of=project, name="small", about="", file=file, by=make_user(username="boss"), now=NOW
    ).made
    visit(client, project, "whoops.add_matchingscores", "whoops.delete_matchingscores", "hits.export_batch")
    masks = {str(project.study.public_id)[:8]: "STUDY", f"/project/{project.pk}/": "/project/PK/",
             f"/matching/{made.pk}/": "/matching/PK/"}  # fmt: skip
    masks |= {str(one.public_id)[:8]: "DESIGNER" for one in project.designers.all()}

    page = client.get(reverse("admin:whoops_statistics", args=[project.pk]))
    files = [
        body_of(client.get(reverse("admin:whoops_statistics_file", args=[project.pk, name])))
        for name in TABLES
    ]

    check_golden(GOLDEN / "statistics.txt", told_by(page), masks=masks)
    check_golden(GOLDEN / "statistics_files.txt", "\n".join(files), masks=masks)
    visit(client, empty)
    page = client.get(reverse("admin:whoops_statistics", args=[empty.pk]))
    masks = {f"/project/{empty.pk}/": "/project/PK/"}
    check_golden(GOLDEN / "statistics_empty.txt", told_by(page), masks=masks)


def test_statistics_are_taken_as_json_too(client: Client) -> None:
    project, images = make_results(images=2)
    make_every_result(project, images)
    visit(client, project)

    answer = client.get(reverse("admin:whoops_statistics_json", args=[project.pk, "identification"]))

    assert [row["judged"] for row in answer.json()] == [4, 2, 2]


def test_sources_may_be_called_like_columns(client: Client) -> None:
    project, images = make_results(images=1)
    names = ("category", "not named", "")
    offers = ask(images[0], Kind.EXPLAIN, offers=[(name, None) for name in names])
    Crowd(project, people=3, right=1, seed=1).vote((option, True) for option in offers)
    visit(client, project)

    answer = client.get(
        reverse("admin:whoops_statistics_json", args=[project.pk, "explanations-by-category"])
    )

    assert [set(row) - {"category"} for row in answer.json()] == [{f"source {name}" for name in names}]
