"""Picture sets and questions of a test in a browser: the preview is looked at, and then made."""

import pytest

from crowd.winogavil.demo.seeding import Seeded
from crowd.winogavil.domain import SOLVER_TEST
from crowd.winogavil.models import PictureSet
from tests.browser.doors import log_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.factories import make_batch

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def test_sets_are_looked_at_and_drawn(visitor: Visitor, seeded: Seeded, sites: Sites) -> None:
    page, admin = visitor.page, f"{sites.public}/admin/winogavil"
    study = seeded.batch.study
    study.members.add(seeded.researcher.user)
    log_in(page, seeded.researcher, sites=sites)
    there = PictureSet.objects.count()

    visitor.visit("sets-draw", f"{admin}/pictureset/draw/?study={study.pk}")
    page.get_by_label("Pictures in a set").select_option("5")
    page.get_by_label("Number of sets").fill("2")
    page.get_by_role("button", name="Preview some sets").click()
    page.get_by_text("What would be drawn").wait_for()
    assert visitor._look() == []
    page.get_by_role("button", name="Draw 2 sets").click()
    page.get_by_text("2 picture sets are ready").wait_for()

    assert PictureSet.objects.count() == there + 2
    assert visitor.problems == {}


def test_page_of_questions_says_what_is_lacking(visitor: Visitor, seeded: Seeded, sites: Sites) -> None:
    address = f"{sites.public}/admin/winogavil/association/make-test/"
    study = seeded.batch.study
    study.members.add(seeded.researcher.user)
    log_in(visitor.page, seeded.researcher, sites=sites)

    visitor.visit("questions-nothing", address)
    make_batch(study=study, task=SOLVER_TEST)
    visitor.visit("questions-draft", address)

    assert visitor.problems == {}
