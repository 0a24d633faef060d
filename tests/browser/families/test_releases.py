"""Statistics and releases as a researcher sees them: on a wide screen and on a phone, light and dark."""

import json

import pytest

from crowd.benchmarks.services.benchmark_results import answer_benchmarks
from crowd.demo.demo_people import Staff
from crowd.releases.models import Release
from crowd.releases.services import release_states
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.crowd.winogavil.releases.data import benchmark_of, make_game, upload_answers
from tests.factories import NOW, make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def researcher(sites: Sites) -> Staff:
    return make_staff(RESEARCHER)


@pytest.fixture
def study(researcher: Staff) -> Study:
    study = make_study(name="Pictures and words")
    study.members.add(researcher.user)
    make_game(study)
    return study


def make(study: Study, *, version: str = "1.0", ready: bool = True) -> Release:
    release = release_states.make_release(
        family="winogavil", study=study,
        title="Pictures and words", version=version, licence="CC BY 4.0", sources=["worker"],
        by=study.members.get(), now=NOW,
    )  # fmt: skip
    if ready:
        release_states.write_releases(clock=lambda: NOW)
        release.refresh_from_db()
    return release


def first_ones(release: Release) -> str:
    """A file of the answers of a model that picks the pictures shown first."""
    rows = [json.loads(line) for line in (release.folder / "associations.jsonl").read_text().splitlines()]
    picks = (f"{row['ID']},{'|'.join(row['candidates'][: row['num_associations']])}\n" for row in rows)
    return f"ID,prediction\n{''.join(picks)}"


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_releases_look_right(
    open_page: OpenPage, researcher: Staff, study: Study, sites: Sites, size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    admin = f"{sites.public}/admin/releases/release"
    ready, failed = make(study), make(study, version="1.1", ready=False)
    Release.objects.filter(pk=failed.pk).update(
        status="failed", problem="The files cannot be written: No space left on device."
    )

    log_in(visitor.page, researcher, sites=sites)
    visitor.visit("releases", f"{admin}/")
    visitor.visit("choose", f"{admin}/make/")
    visitor.visit("make", f"{admin}/make/{study.pk}/winogavil/")
    visitor.visit("release", f"{admin}/{ready.pk}/change/")
    visitor.visit("release-failed", f"{admin}/{failed.pk}/change/")
    visitor.visit("publish", f"{admin}/{ready.pk}/publish/")
    visitor.visit("delete", f"{admin}/{ready.pk}/delete-all/")
    benchmark = benchmark_of(ready)
    upload_answers(ready, first_ones(ready), name="A model")
    answer_benchmarks(now=NOW)
    for name, address in (("benchmark", ""), ("benchmark-ask", "ask/"), ("benchmark-upload", "upload/")):
        visitor.visit(name, f"{sites.public}/admin/benchmarks/benchmark/{benchmark.pk}/{address}")
    visitor.visit("statistics-studies", f"{sites.public}/admin/winogavil_releases/statistics/")
    visitor.visit("statistics", f"{sites.public}/admin/winogavil_releases/statistics/{study.pk}/")

    assert "\n".join(f"{k}: {v}" for k, vs in visitor.problems.items() for v in vs) == ""


def test_release_is_made_watched_and_held_against_a_model(
    open_page: OpenPage, researcher: Staff, study: Study, sites: Sites
) -> None:
    visitor = Visitor(open_page(accept_downloads=True), size="flow")
    page = visitor.page
    log_in(visitor.page, researcher, sites=sites)

    page.goto(f"{sites.public}/admin/releases/release/")
    page.get_by_role("link", name="Make a release").click()
    page.get_by_role("link", name="Pictures and words").click()
    page.get_by_label("Version").fill("1.0")
    page.get_by_role("button", name="Make the release").click()
    page.get_by_text("Reading the rows").first.wait_for()
    visitor._keep_picture("release-in-the-making")
    release_states.write_releases(clock=lambda: NOW.replace(year=NOW.year + 1))
    page.get_by_role("heading", name="Models beside people").wait_for()
    with page.expect_download() as told:
        page.get_by_role("link", name="associations.csv").click()
    page.get_by_role("link", name="Find the pictures that a word was meant for").click()
    page.get_by_role("link", name="Upload a model's answers").click()
    page.get_by_label("Name of the model").fill("A model")
    content = f"{first_ones(Release.objects.get())}nobody,x\n".encode()
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "p.csv", "mimeType": "text/csv", "buffer": content}
    )
    page.get_by_role("button", name="Upload and score").click()
    page.get_by_text("Nothing was stored.").wait_for()
    visitor._keep_picture("predictions-refused")
    content = content.replace(b"nobody,x\n", b"")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "p.csv", "mimeType": "text/csv", "buffer": content}
    )
    page.get_by_role("button", name="Upload and score").click()
    page.get_by_text("answers are scored").wait_for()
    visitor._keep_picture("benchmark-with-a-model")

    assert told.value.suggested_filename == "pictures-and-words-1.0-associations.csv"
    for table in ("Models beside people", "By data"):
        assert page.get_by_role("table", name=table).get_by_role("row", name="A model").count() == 1
