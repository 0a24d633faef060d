"""Scores of people in a real browser: empty, and with some of everything."""

import pytest

from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.winoground.making_scores import (
    make_every_score,
    make_project,
)
from tests.factories import make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def test_results_look_right(visitor: Visitor, sites: Sites) -> None:
    page = visitor.page
    project = make_project(study=make_study(name="Captions"))
    home = f"{sites.public}/admin/winoground/project/{project.pk}"
    enter(page, sites)
    for name in ("results", "results/examples", "data"):
        visitor.visit(f"winoground-{name.replace('/', '-')}-empty", f"{home}/{name}/")
    make_every_score(project)

    for name in ("results", "results/examples", "data"):
        visitor.visit(f"winoground-{name.replace('/', '-')}", f"{home}/{name}/")
    visitor.visit("winoground-results-sorted", f"{home}/results/?sort=-group")

    assert visitor.problems == {}
