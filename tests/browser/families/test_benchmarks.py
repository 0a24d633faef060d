"""A benchmark in a real browser: opened, a model asked, its answers taken and uploaded, compared."""

from pathlib import Path

import pytest

from crowd.benchmarks.services import benchmark_results
from hits.identity.roles import RESEARCHER
from scoring.services.answering_questions import answer_questions
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW
from tests.scoring.fakes import make_rival, use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("size", SIZES)
def test_a_model_is_measured_on_a_release(
    open_page: OpenPage, sites: Sites, size: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_fakes(monkeypatch)
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

    assert visitor.problems == {}
