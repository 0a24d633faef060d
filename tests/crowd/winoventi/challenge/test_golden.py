"""Exports of the challenge set in every form are byte for byte what they were before."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from crowd.winoventi.challenge.exporting.winoventi_export import write_splits
from crowd.winoventi.models import Choice, FilterScore, Judgement, PieceScoring, Premise, Project, Prompt
from hits.identity.models.workers import Worker
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from tests.crowd.exported import KEYS, check_exported, export_all, number_ids, take
from tests.crowd.winoventi.rows import make_pair, make_project
from tests.factories import NOW, make_assignment, make_worker
from tests.people import sign_in

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def project(settings: LazySettings) -> Project:
    settings.PSEUDONYM_KEYS = KEYS
    project = make_project("lemon", "=chili")
    pair = _numbered(make_pair(project, sentence='Shé "made", a [face / smile].'), 9001)
    failed = _numbered(make_pair(project, "=chili", ("hot", "frozen"), "He took a [spoon / saw]."), 9002)
    Premise.objects.filter(pk=failed.pk).update(state="failed", reason="generic_synonym,exception_synonym")
    Premise.objects.filter(pk=pair.pk).update(
        assignment=make_assignment(status="submitted"), warnings=["short"]
    )
    FilterScore.objects.create(
        alternative=pair.alternative, way=PieceScoring.PROPERLY, p_generic=0.5, p_exception=1e-7, passes=True,
        provenance={"weights_sha256": "ab" * 32}, scored_at=NOW,
    )  # fmt: skip
    Judgement.objects.create(
        premise=pair, worker=make_worker(), generic_synonym=False, exception_synonym=True,
        exception_fits_generic=False, generic_fits_exception=False,
    )  # fmt: skip
    prompt = Prompt.objects.create(premise=pair, kind="exception")
    Choice.objects.create(prompt=prompt, worker=make_worker(), word="sour", is_right=False)
    number_ids(Study, Worker)
    return Project.objects.get(pk=project.pk)


def _numbered(pair: Premise, number: int) -> Premise:
    """Set the row's id, since ids of prompts are derived from it."""
    Premise.objects.filter(pk=pair.pk).update(id=number)
    return Premise.objects.get(pk=number)


def test_files_of_the_command_stay_as_they_were(project: Project, tmp_path: Path) -> None:
    written = export_all("winoventi", project.study, tmp_path)

    assert len(written) == 7
    check_exported(GOLDEN, written)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "tsv"])
def test_files_of_the_admin_are_the_same(client: Client, project: Project, form: str) -> None:
    sign_in(client, RESEARCHER, project.study)
    page = reverse("admin:winoventi_data", args=[project.pk])

    written = {f"published-challenge.{form}": take(client, page, "published", form)}
    if form != "tsv":
        written[f"full-full.{form}"] = take(client, page, "full", form, everything="on")

    check_exported(GOLDEN, written)


def test_splits_stay_as_they_were(client: Client, project: Project, tmp_path: Path) -> None:
    sign_in(client, RESEARCHER, project.study)
    page = reverse("admin:winoventi_data", args=[project.pk])

    reports = write_splits(project, folder=tmp_path, seed=7, form="tsv")
    written = {one["name"]: (tmp_path / one["name"]).read_bytes() for one in reports}
    with ZipFile(BytesIO(take(client, page, "splits", "tsv", seed="7"))) as archive:
        sent = {name: archive.read(name) for name in archive.namelist()}

    assert sent == written
    check_exported(GOLDEN, written)
