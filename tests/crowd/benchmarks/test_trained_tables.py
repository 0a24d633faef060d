"""Table 5 counted a second time by hand, and the same epoch by epoch, as a chart and as files."""

import csv
from fractions import Fraction
from io import StringIO
from math import sqrt
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks.models import Benchmark, Result, Training, TrainingRun
from crowd.benchmarks.queries.trained_tables import trained_tables
from hits.datasets.stat_table import StatTable
from hits.identity.roles import RESEARCHER
from tests.crowd.benchmarks.making import rival_for
from tests.crowd.benchmarks.making_trainings import begin, make_learnable
from tests.factories import NOW
from tests.people import sign_in

pytestmark = pytest.mark.django_db
# For three seeds: the sums over items of the tests and how many these are, untrained and after two epochs.
MANY = [("2", "3", "7/2"), ("1", "5/2", "3"), ("3/2", "2", "4")]
FEW = [("5/3", "2", "7/3"), ("2", "2", "2"), ("1", "5/3", "8/3")]
ITEMS_MANY, ITEMS_FEW = 5, 3


@pytest.fixture
def training() -> Training:
    """A training with three runs of made-up numbers."""
    made = begin(make_learnable(items=1), rival_for("winogavil"), seeds=3)
    for seed, (many, few) in enumerate(zip(MANY, FEW, strict=True), start=1):
        points = [
            {
                "epoch": epoch,
                "means": {
                    "10 & 12": {"items": ITEMS_MANY, "sum": many[epoch]},
                    "5 & 6": {"items": ITEMS_FEW, "sum": few[epoch]},
                    **({"validation": {"items": 2, "sum": "1"}} if seed == 1 else {}),
                },
            }
            for epoch in range(3)
        ]
        run = TrainingRun.objects.create(training=made, seed=seed, points=points, made_at=NOW)
        Result.objects.create(
            benchmark=made.benchmark, name=f"seed {seed}", source="trained", run=run, added_at=NOW
        )
    return made


def by_hand(rows: list[tuple[str, str, str]], epoch: int, items: int) -> tuple[float, float]:
    """The mean over runs, and the standard deviation of a sample."""
    values = [float(Fraction(row[epoch])) / items for row in rows]
    mean = (values[0] + values[1] + values[2]) / 3
    return mean, sqrt(sum((value - mean) ** 2 for value in values) / 2)


def table(benchmark: Benchmark, name: str) -> StatTable:
    return next(one for one in trained_tables(benchmark) if one.name == name)


@pytest.mark.parametrize(("state", "epoch"), [("untrained", 0), ("trained", 2)])
def test_means_and_deviations_are_those_counted_by_hand(training: Training, state: str, epoch: int) -> None:
    rows = list(table(training.benchmark, "trained-classifier").as_json())

    (row,) = (row for row in rows if row["training"] == state)
    found = [(row[f"{name}: mean"], row[f"{name}: standard deviation"]) for name in ("10 & 12", "5 & 6")]
    assert found[0] == pytest.approx(by_hand(MANY, epoch, ITEMS_MANY))
    assert found[1] == pytest.approx(by_hand(FEW, epoch, ITEMS_FEW))
    assert (row["who"], row["runs"]) == (f"model, training {training.pk}", 3)


def test_the_page_shows_what_a_paper_prints(training: Training) -> None:
    # 2/5, 1/5 and 3/10 have the mean 30.0 and the deviation 10.0; 5/9, 6/9 and 3/9 have 51.9 and 17.0.
    (untrained, trained) = [
        [cell.words for _, cell in row] for row in table(training.benchmark, "trained-classifier").shown()
    ]

    assert untrained[1:5] == ["untrained", "30.0 ± 10.0", "51.9 ± 17.0", "3"]
    assert trained[1:4] == ["trained", "70.0 ± 10.0", "77.8 ± 11.1"]
    assert trained[5].startswith("epochs 30, pairs in a batch 16, learning rate 0.01, percent of assoc")


def test_a_single_run_has_no_deviation(training: Training) -> None:
    training.runs.exclude(seed=1).delete()

    row = next(table(training.benchmark, "trained-classifier").as_json())

    assert row["10 & 12: mean"] == 0.4
    assert row["10 & 12: standard deviation"] is None


def test_each_epoch_is_a_point_of_the_chart_and_a_row_of_the_table(training: Training) -> None:
    found = table(training.benchmark, "trained-classifier-by-epoch")

    rows = list(found.as_json())
    assert [row["epoch"] for row in rows] == [0, 1, 2]
    assert rows[1]["10 & 12"] == pytest.approx(7.5 / 5 / 3)
    assert [row["validation"] for row in rows] == [0.5, 0.5, 0.5]
    (chart,) = found.charts
    values: Any = chart.spec["data"]["values"]
    assert len(values) == 9
    assert values[0] == {"test": "10 & 12", "epoch": 0, "share": pytest.approx(0.3), "words": "30.0 %"}
    assert "10 & 12 from 30.0 to 70.0 %" in chart.words
    shapes = chart.spec["layer"][1]["encoding"]["shape"]["scale"]
    assert shapes["domain"] == ["10 & 12", "5 & 6", "Validation"]
    assert shapes["range"] == ["circle", "square", "triangle-up"]


def test_the_tables_are_files_on_a_page_of_their_own(client: Client, training: Training) -> None:
    benchmark = training.benchmark
    sign_in(client, RESEARCHER, benchmark.release.study)

    page = client.get(reverse("admin:benchmarks_trained", args=[benchmark.pk])).content.decode()
    address = reverse("admin:benchmarks_trained_file", args=[benchmark.pk, "trained-classifier"])
    lines = list(csv.DictReader(StringIO(b"".join(client.get(address)).decode("utf-8-sig"))))
    epochs = client.get(
        reverse("admin:benchmarks_trained_json", args=[benchmark.pk, "trained-classifier-by-epoch"])
    )

    assert f'href="{address}"' in page
    assert "30.0 ± 10.0" in page
    assert f'data-chart="spec-training-{training.pk}"' in page
    assert [line["training"] for line in lines] == ["untrained", "trained"]
    assert float(lines[1]["10 & 12: mean"]) == pytest.approx(0.7)
    assert len(epochs.json()) == 3


def test_a_benchmark_without_a_complete_run_has_no_such_table(client: Client) -> None:
    benchmark = begin(make_learnable(items=1), rival_for("winogavil")).benchmark

    assert trained_tables(benchmark) == []
