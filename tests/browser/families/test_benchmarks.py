"""A benchmark in a real browser: opened, a model asked, its answers taken and uploaded, compared."""

from pathlib import Path

import pytest

from crowd.benchmarks.models import Benchmark, Result, Training
from crowd.benchmarks.services import benchmark_results, result_relations, training_runs
from hits.identity.roles import RESEARCHER
from scoring.models import RegisteredRival
from scoring.rivals.interface import WordRegions
from scoring.services.answering_questions import answer_questions
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.crowd.benchmarks.making_trainings import make_learnable, play
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW
from tests.scoring.fakes import FakeCross, make_rival, use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
# A grid of twelve by eighteen for each of three words.
REGIONS = WordRegions(
    words=["bird", "above", "boat"],
    maps=[
        [
            [max(0.0, 1 - 0.2 * (abs(row - at) + abs(cell - 3 * at))) for cell in range(18)]
            for row in range(12)
        ]
        for at in (2, 4, 6)
    ],
)


def look_at_items(visitor: Visitor) -> None:
    """Look at a result item by item, and at the heat maps of one."""
    page = visitor.page
    page.get_by_role("link", name="Item by item").click()
    visitor.visit("benchmark-items", page.url)
    page.get_by_role("link", name="Words and regions").first.click()
    page.get_by_role("button", name="Ask it").click()
    page.get_by_text("Being answered").wait_for()
    answer_questions()
    page.get_by_role("link", name="Refresh").click()
    visitor.visit("benchmark-regions", page.url)


def look_at_pretraining(visitor: Visitor, benchmark: str) -> None:
    """Look at the benchmark once models say what they have learned from."""
    RegisteredRival.objects.update(parameters=111_595_009, pretraining_images=4_100_000)
    result_relations.relate_results()
    for number, images in enumerate((300_000, 1_890_000, 400_000_000)):
        Result.objects.create(
            benchmark=Benchmark.objects.get(),
            name=f"Model {number}",
            added_at=NOW,
            sums=Result.objects.get(name="the same from a file").sums,
            pretraining_images=images,
            trained_for="image-text matching",
        )
    visitor.page.goto(benchmark)
    visitor.page.locator("[data-chart] svg").wait_for()
    visitor.visit("benchmark-pretraining", benchmark)


@pytest.mark.parametrize("size", SIZES)
def test_a_model_is_measured_on_a_release(
    open_page: OpenPage, sites: Sites, size: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_fakes(monkeypatch)
    monkeypatch.setattr(FakeCross, "word_regions", lambda *_: REGIONS)
    researcher, study = make_staff(RESEARCHER), make_of("winoground", items=8)
    study.members.add(researcher.user)
    release = release_of(study, "winoground", split_seed=4)
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    page, admin = visitor.page, f"{sites.public}/admin"
    log_in(page, researcher, sites=sites)

    visitor.visit("benchmark-release", f"{admin}/releases/release/{release.pk}/change/")
    page.get_by_role("link", name="Match captions and images").click()
    empty = page.url
    visitor.visit("benchmark-empty", empty)
    page.get_by_role("link", name="Ask a registered model").click()
    page.get_by_text("No registered model can answer this").wait_for()
    make_rival("vilt-coco", kind="cross")
    visitor.visit("benchmark-ask", page.url)
    page.get_by_label("About it").fill("the small one")
    page.get_by_role("button", name="Ask it").click()
    page.get_by_text("Asking vilt-coco").wait_for()
    benchmark_results.answer_benchmarks(now=NOW)
    visitor.visit("benchmark-waiting", empty)
    answer_questions(clock=lambda: NOW)
    benchmark_results.answer_benchmarks(now=NOW)
    page.get_by_role("link", name="vilt-coco").wait_for()
    page.get_by_role("link", name="vilt-coco").first.click()
    with page.expect_download() as taken:
        page.get_by_role("link", name="Download its answers").click()
    file = tmp_path / "answers.csv"
    taken.value.save_as(file)
    visitor.visit("benchmark-result", page.url)
    look_at_items(visitor)
    page.goto(f"{empty}upload/")
    page.get_by_label("Name of the model").fill("the same from a file")
    page.get_by_label("File").set_input_files(file)
    visitor.visit("benchmark-upload", page.url)
    page.get_by_label("Name of the model").fill("the same from a file")
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Upload and score").click()
    page.get_by_text("8 answers are scored").wait_for()
    page.locator("#id_one").select_option(label="vilt-coco")
    page.locator("#id_other").select_option(label="People")
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("95 % interval").first.wait_for()
    visitor.visit("benchmark-compared", page.url.partition("#")[0])
    look_at_pretraining(visitor, empty)

    assert visitor.problems == {}


@pytest.mark.parametrize("size", SIZES)
def test_a_model_is_trained_on_a_release(
    open_page: OpenPage, sites: Sites, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_fakes(monkeypatch)
    monkeypatch.setattr(training_runs, "_live", {})
    researcher, benchmark = make_staff(RESEARCHER), make_learnable()
    benchmark.release.study.members.add(researcher.user)
    make_rival("clip-vit-b-32")
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    page, first = visitor.page, f"{sites.public}/admin/benchmarks/benchmark/{benchmark.pk}/"
    log_in(page, researcher, sites=sites)

    page.goto(first)
    page.get_by_role("link", name="Train a model").click()
    visitor.visit("trained-empty", page.url)
    page.get_by_role("link", name="Classifier on frozen vectors").click()
    visitor.visit("train", page.url)
    for label, value in {
        "Runs": "3",
        "Epochs": "20",
        "Pairs in a batch": "16",
        "Learning rate": "0.01",
    }.items():
        page.get_by_label(label).fill(value)
    page.get_by_label("Associations for testing").fill("20")
    page.get_by_role("button", name="Train it").click()
    page.get_by_text("Waiting for a worker").wait_for()
    visitor.visit("training-waiting", page.url)
    training = play(Training.objects.get())
    page.get_by_text("Complete.").wait_for()
    visitor.visit("training", page.url)
    visitor.visit("benchmark-trained", first)
    page.goto(f"{first}trained/")
    page.locator("[data-chart] svg").wait_for()
    visitor.visit("trained", f"{first}trained/")

    assert training.runs.count() == 3
    assert visitor.problems == {}
