"""Predictions that were uploaded before there were benchmarks are results of them, figure by figure."""

import json
import shutil
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from crowd.benchmarks.models import Benchmark, ItemResult, Result
from crowd.benchmarks.services.benchmark_results import answer_benchmarks
from crowd.releases.models import Release
from crowd.releases.services import release_states
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from tests.crowd.winogavil.releases.data import columns_of, make_final, upload_answers
from tests.factories import NOW, make_study, make_user
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = [("winogavil_releases", "0004_release_belongs_to_its_own_room")]
DIGEST = "ab" * 32
# Two of 5 candidates once, 3 of 10 twice, and an instance of the SWOW baseline.
TALLIES = [(False, 5, 2, 1, Fraction(1, 3)), (False, 10, 3, 2, Fraction(3, 2)), (True, 5, 2, 1, Fraction(1))]


@pytest.fixture
def before() -> Iterator[Any]:
    """The tables as they were before, with their models; afterwards they are as they are now."""
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    yield executor.loader.project_state(BEFORE).apps
    call_command("migrate", verbosity=0)


def migrate() -> None:
    call_command("migrate", verbosity=0)


def release_of(study: Study) -> Release:
    """A release of three associations and an instance of the baseline."""
    make_final(study)
    for _ in range(2):
        make_final(study, size=10, chosen=(0, 1, 2), picks=[(0, 1, 2), (0, 1, 2), (0, 1, 3)])
    make_final(study, source="swow")
    release = release_states.make_release(
        family="winogavil", study=study, title="Words", version="1", licence="CC0",
        sources=["worker", "swow"], by=make_user(), now=NOW,
    )  # fmt: skip
    release_states.write_releases(clock=lambda: NOW)
    release.refresh_from_db()
    return release


def make_old(release: Release) -> None:
    """Make it one of version 0.1.0, whose full form is what was frozen."""
    shutil.rmtree(release.frozen)
    release.counts.pop("files")
    release.save()


def predict(models: Any, release: Release, name: str, *, notes: str = "") -> Any:
    made = models.get_model("winogavil_releases", "Prediction").objects.create(
        public_id=uuid4(), release_id=release.pk, model=name, notes=notes, sha256=DIGEST, rows=4,
        made_by_id=release.made_by_id, made_at=NOW,
    )  # fmt: skip
    for from_list, size, k, items, total in TALLIES:
        made.tallies.create(
            from_list=from_list, size=size, k=k, items=items,
            numerator=total.numerator, denominator=total.denominator,
        )  # fmt: skip
    return made


@pytest.mark.parametrize("is_old", [False, True], ids=["of now", "of version 0.1.0"])
def test_predictions_stand_in_the_table_as_before(before: Any, is_old: bool, client: Client) -> None:
    release = release_of(make_study())
    if is_old:
        make_old(release)
    made = predict(before, release, "CLIP", notes="ViT")

    migrate()

    answer_benchmarks(now=NOW)
    result = Result.objects.get(source="uploaded")
    assert (result.public_id, result.name, result.about) == (made.public_id, "CLIP", "ViT")
    assert (result.status, result.answered, result.added_at) == ("done", 4, NOW)
    assert (result.added_by, result.provenance) == (release.made_by, {"file_sha256": DIGEST})
    assert not ItemResult.objects.filter(result=result).exists()
    rows = columns_of(release)
    assert list(rows) == ["CLIP", "Solvers", "Chance"]
    assert rows["CLIP"] == {"associations": 4, "10 & 12": 75.0, "5 & 6": 33.3, "all": 61.1, "SWOW": 100.0}
    assert rows["Solvers"] == {"associations": 4, "10 & 12": 83.3, "5 & 6": 100.0, "all": 88.9, "SWOW": 100.0}
    assert rows["Chance"] == {"associations": 4, "10 & 12": 20.1, "5 & 6": 30.0, "all": 23.4, "SWOW": 30.0}
    sign_in(client, RESEARCHER, release.study)
    page = text_of(client.get(reverse("admin:releases_release_change", args=[release.pk])))
    assert "0 asked here, 1 from files" in page
    assert "CLIP" in text_of(client.get(reverse("admin:benchmarks_benchmark", args=[result.benchmark_id])))
    shown = text_of(client.get(reverse("admin:benchmarks_result", args=[result.pk])))
    assert "Download its answers" not in shown
    assert client.get(reverse("admin:benchmarks_answers", args=[result.pk])).status_code == 404


def test_names_that_clash_get_a_number_and_none_is_lost(before: Any) -> None:
    release = release_of(make_study())
    upload_answers(release, answers_of(release), name="Clip")
    long = "x" * 99
    for name in ("CLIP", "clip", "chance", long, f"{long}y"):
        predict(before, release, name)

    migrate()

    uploaded = Result.objects.filter(source="uploaded").order_by("pk")
    assert [result.name for result in uploaded] == [
        "Clip", "CLIP (2)", "clip (3)", "chance (2)", "x" * 64, f"{'x' * 60} (2)",
    ]  # fmt: skip
    assert [result.provenance.get("name") for result in uploaded] == [
        None, "CLIP", "clip", "chance", long, f"{long}y",
    ]  # fmt: skip
    assert Benchmark.objects.count() == 1
    assert [result.items.count() for result in uploaded] == [4, 0, 0, 0, 0, 0]


def answers_of(release: Release) -> str:
    rows = [json.loads(line) for line in (release.folder / "full.jsonl").read_text().splitlines()]
    lines = [{"ID": row["ID"], "prediction": row["candidates"][: row["num_associations"]]} for row in rows]
    return json.dumps(lines)
