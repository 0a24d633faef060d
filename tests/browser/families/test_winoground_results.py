"""Scores of people and models in a real browser: empty, with some of everything, with an imported file."""

import pytest
from playwright.sync_api import expect

from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.winoground.making_scores import (
    RIGHT,
    WRONG,
    make_answered,
    make_every_score,
    make_project,
)
from tests.factories import make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
HEAD = "example,c0_i0,c0_i1,c1_i0,c1_i1\n"


def test_results_look_right(visitor: Visitor, sites: Sites) -> None:
    page = visitor.page
    project = make_project(study=make_study(name="Captions"))
    home = f"{sites.public}/admin/winoground/project/{project.pk}"
    enter(page, sites)
    for name in ("results", "results/examples", "results/models/upload", "data"):
        visitor.visit(f"winoground-{name.replace('/', '-')}-empty", f"{home}/{name}/")
    model = make_every_score(project)

    for name in ("results", "results/examples", "results/models/upload", "data"):
        visitor.visit(f"winoground-{name.replace('/', '-')}", f"{home}/{name}/")
    visitor.visit("winoground-results-shared", f"{home}/results/?over=shared&of={model.pk}&sort=-group")
    visitor.visit("winoground-results-replace", f"{home}/results/models/{model.pk}/replace/")
    visitor.visit("winoground-results-remove", f"{home}/results/models/{model.pk}/remove/")

    assert visitor.problems == {}


def test_a_models_file_is_mended_and_stands_beside_people(visitor: Visitor, sites: Sites) -> None:
    page = visitor.page
    project = make_project(study=make_study(name="Captions"))
    make_answered(project, RIGHT, WRONG)
    enter(page, sites)
    page.goto(f"{sites.public}/admin/winoground/project/{project.pk}/change/")
    page.get_by_role("link", name="See the results").click()
    page.get_by_role("link", name="Upload a model's scores…").click()

    def send(content: str) -> None:
        page.get_by_label("File", exact=True).set_input_files(
            {"name": "scores.csv", "mimeType": "text/csv", "buffer": content.encode()}
        )
        page.get_by_role("button", name="Upload and count").click()

    page.get_by_label("Name of the model").fill("small")
    send(HEAD + "1,1,0,0,1\n2,1,0,0,inf\n")
    expect(page.get_by_role("alert")).to_contain_text("Line 3: c1_i1 is “inf”, which is not a finite number.")
    expect(page.get_by_label("Name of the model")).to_have_value("small")
    send(HEAD + "1,1,0,0,1\n2,1,0,0,1\n")

    row = page.get_by_role("region", name="People beside models").get_by_role("row", name="small")
    expect(row).to_contain_text("100.00 %")
    page.get_by_label("Scores of", exact=True).select_option("small")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="By tag: small")).to_be_visible()
    page.get_by_role("link", name="Example by example").click()
    page.get_by_label("Show", exact=True).select_option("wrong by the group score")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("status")).to_contain_text("1 of 2 examples.")
    page.go_back()
    page.go_back()
    page.get_by_role("link", name="Remove the scores of small").click()
    page.get_by_role("button", name="Remove the scores").click()
    expect(page.get_by_text("No model has scores yet.")).to_be_visible()
