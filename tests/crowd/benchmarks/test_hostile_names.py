"""Names and answers of models that are formulas or markup: files quote them, and pages show them as texts."""

import csv
from io import BytesIO, StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Result
from crowd.benchmarks.services import benchmark_results
from crowd.releases.services.survey import frozen_rows
from hits.identity.roles import RESEARCHER
from tests.attacks.downloads import would_run
from tests.crowd.benchmarks.making import run, uploaded
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW
from tests.people import sign_in

pytestmark = pytest.mark.django_db
FORMULA = "=HYPERLINK(1)<b>x</b>"


@pytest.fixture
def result(client: Client) -> Result:
    """Captions of weird images by a model whose name, note and captions are hostile."""
    release = release_of(make_of("whoops", items=3), "whoops")
    sign_in(client, RESEARCHER, release.study)
    task = benchmark_tasks.get("whoops", "description")
    benchmark = benchmark_results.open_benchmark(release=release, task=task, now=NOW)
    lines = [f'{row["image"]},"{FORMULA}"' for row in frozen_rows(release, "full")]
    made = uploaded(benchmark, BytesIO("\n".join(["image,caption", *lines]).encode()), name=FORMULA)
    Result.objects.filter(pk=made.pk).update(about=FORMULA)
    run()
    return made


def cells(answer: Any) -> list[str]:
    rows = csv.reader(StringIO(b"".join(answer).decode("utf-8-sig")))
    return [cell for row in rows for cell in row]


@pytest.mark.parametrize("name", ["file", "answers"])
def test_no_cell_of_a_file_is_a_formula(client: Client, result: Result, name: str) -> None:
    of = [result.benchmark_id, "results"] if name == "file" else [result.pk]

    found = cells(client.get(reverse(f"admin:benchmarks_{name}", args=of)))

    assert any(FORMULA in cell for cell in found)
    assert [cell for cell in found if would_run(cell)] == []


def test_pages_show_hostile_names_as_texts(client: Client, result: Result) -> None:
    benchmark = result.benchmark
    led = client.get(reverse("admin:benchmarks_open", args=[benchmark.release_id, benchmark.task]))

    for address in (led.headers["Location"], reverse("admin:benchmarks_result", args=[result.pk])):
        page = client.get(address).content.decode()
        assert "&lt;b&gt;x&lt;/b&gt;" in page
        assert "<b>x</b>" not in page
    table = client.get(reverse("admin:benchmarks_json", args=[benchmark.pk, "results"]))
    assert table.headers["Content-Type"] == "application/json"
