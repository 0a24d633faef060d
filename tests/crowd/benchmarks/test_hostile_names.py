"""Names and answers of models that are formulas or markup: files quote them, and pages show them as texts."""

import csv
from io import BytesIO, StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Result, TrainingRun
from crowd.benchmarks.services import benchmark_results
from crowd.releases.services.survey import frozen_rows
from crowd.winoground.models import Example
from hits.identity.roles import RESEARCHER
from scoring.models import RegisteredRival
from scoring.rivals.interface import WordRegions
from scoring.services.answering_questions import answer_questions
from tests.attacks.downloads import would_run
from tests.crowd.benchmarks.making import asked, make_benchmark, rival_for, run, uploaded
from tests.crowd.benchmarks.making_trainings import begin, make_learnable
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW
from tests.people import sign_in
from tests.scoring.fakes import FakeCross, use_fakes

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

    pages = [reverse(f"admin:benchmarks_{name}", args=[result.pk]) for name in ("result", "items")]
    for address in (led.headers["Location"], *pages):
        page = client.get(address).content.decode()
        assert "&lt;b&gt;x&lt;/b&gt;" in page
        assert "<b>x</b>" not in page
    table = client.get(reverse("admin:benchmarks_json", args=[benchmark.pk, "results"]))
    assert table.headers["Content-Type"] == "application/json"


def test_hostile_words_of_a_model_are_texts(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A map's words come from a model's vocabulary, and its item's name from the address."""
    use_fakes(monkeypatch)
    monkeypatch.setattr(FakeCross, "word_regions", lambda *_: WordRegions(words=[FORMULA], maps=[[[1.0]]]))
    result = asked(make_benchmark("winoground"), rival_for("winoground"))
    sign_in(client, RESEARCHER, result.benchmark.release.study)
    item = Example.objects.earliest("number").public_id
    address = f"{reverse('admin:benchmarks_regions', args=[result.pk])}?item={item}&pair=<b>x</b>"

    client.post(address)
    answer_questions()
    page = client.get(address).content.decode()

    assert "&lt;b&gt;x&lt;/b&gt;: most of it" in page
    assert "<b>x</b>" not in page


def test_tables_of_trained_models_show_hostile_names_as_texts(client: Client) -> None:
    training = begin(make_learnable(items=1), rival_for("winogavil"), about=FORMULA)
    RegisteredRival.objects.update(name=FORMULA)
    points = [{"epoch": epoch, "means": {"5 & 6": {"items": 2, "sum": "1"}}} for epoch in (0, 1)]
    TrainingRun.objects.create(training=training, seed=1, points=points, made_at=NOW)
    benchmark = training.benchmark
    sign_in(client, RESEARCHER, benchmark.release.study)

    for name in ("trained-classifier", "trained-classifier-by-epoch"):
        found = cells(client.get(reverse("admin:benchmarks_trained_file", args=[benchmark.pk, name])))
        assert any(FORMULA in cell for cell in found)
        assert [cell for cell in found if would_run(cell)] == []
        told = client.get(reverse("admin:benchmarks_trained_json", args=[benchmark.pk, name]))
        assert told.headers["Content-Type"] == "application/json"
    pages: dict[str, list[Any]] = {
        "trained": [benchmark.pk],
        "training": [training.pk],
        "train": [benchmark.pk, "classifier"],
    }
    for name, args in pages.items():
        page = client.get(reverse(f"admin:benchmarks_{name}", args=args)).content.decode()
        assert "&lt;b&gt;x&lt;/b&gt;" in page
        assert "<b>x</b>" not in page
