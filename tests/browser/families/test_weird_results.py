"""Statistics of weird images in a real browser: empty, with some of everything, and with an imported file."""

from io import BytesIO

import pytest
from playwright.sync_api import expect

from crowd.whoops.results.services.matching_scores import MATCHING
from hits.data.services.model_results import add_results
from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.whoops.making_results import annotate, make_every_result, make_results
from tests.factories import NOW, make_user

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
PAGES = ("statistics", "matching/upload", "data")


def test_statistics_look_right(visitor: Visitor, sites: Sites) -> None:
    page = visitor.page
    project, images = make_results(images=8)
    home = f"{sites.public}/admin/whoops/project/{project.pk}"
    enter(page, sites)
    for name in PAGES:
        visitor.visit(f"whoops-{name.replace('/', '-')}-empty", f"{home}/{name}/")
    make_every_result(project, images)
    pair = images[0].annotations.get().pk
    file = BytesIO(f"annotation,detailed,underspecified\n{pair},1,0".encode())
    made = add_results(MATCHING, of=project, name="small", about="", file=file, by=make_user(), now=NOW).made

    for name in PAGES:
        visitor.visit(f"whoops-{name.replace('/', '-')}", f"{home}/{name}/")
    visitor.visit("whoops-matching-replace", f"{home}/matching/{made.pk}/replace/")
    visitor.visit("whoops-matching-remove", f"{home}/matching/{made.pk}/remove/")

    assert visitor.problems == {}


def test_a_models_file_is_mended_and_counted(visitor: Visitor, sites: Sites) -> None:
    page = visitor.page
    project, images = make_results(images=2)
    first, second = (annotate(image).pk for image in images)
    enter(page, sites)
    page.goto(f"{sites.public}/admin/whoops/project/{project.pk}/change/")
    page.get_by_role("link", name="See the statistics").click()
    page.get_by_role("link", name="Upload a model's matching scores…").first.click()

    def send(content: str) -> None:
        page.get_by_label("File", exact=True).set_input_files(
            {"name": "scores.csv", "mimeType": "text/csv", "buffer": content.encode()}
        )
        page.get_by_role("button", name="Upload and count").click()

    page.get_by_label("Name of the model").fill("small")
    send(f"annotation,detailed,underspecified\n{first},1,0\n{second},1,inf\n")
    expect(page.get_by_role("alert")).to_contain_text("Line 3: underspecified is “inf”")
    expect(page.get_by_label("Name of the model")).to_have_value("small")
    send(f"annotation,detailed,underspecified\n{first},1,0\n{second},1,1\n")

    table = page.get_by_role("region", name="Detailed against underspecified captions")
    expect(table.get_by_role("row", name="small").first).to_contain_text("50.0 %")
    page.get_by_role("link", name="Remove the matching scores of small").click()
    page.get_by_role("button", name="Remove the scores").click()
    expect(page.get_by_text("The matching scores of small are removed.")).to_be_visible()
