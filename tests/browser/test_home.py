"""The first page of each role of the admin, and its navigation."""

import pytest
from django.utils import timezone

from hits.identity.roles import OPERATOR, PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from hits.studies.models import Study
from tests import admin_pages
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("size", SIZES)
def test_each_role_has_a_home(open_page: OpenPage, sites: Sites, size: str) -> None:
    admin_pages.fill(hits=8, batches=3, now=timezone.now())
    roles = {
        "researcher": RESEARCHER,
        "reviewer": REVIEWER,
        "operator": OPERATOR,
        "payments": PAYMENTS_PREPARER,
    }
    problems = {}
    for name, role in roles.items():
        staff = make_staff(role)
        for study in Study.objects.all():
            study.members.add(staff.user)
        visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
        log_in(visitor.page, staff, sites=sites)
        visitor.visit(f"home-{name}", f"{sites.public}/admin/")
        visitor.visit(f"search-{name}", f"{sites.public}/admin/search/?q=study")
        problems.update(visitor.problems)

    assert problems == {}


@pytest.mark.parametrize("size", SIZES)
def test_a_newcomer_sees_the_steps_to_a_first_launch(open_page: OpenPage, sites: Sites, size: str) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    log_in(visitor.page, make_staff(RESEARCHER), sites=sites)
    visitor.visit("home-new", f"{sites.public}/admin/")

    assert visitor.page.get_by_role("heading", name="To a first launch").is_visible()
    assert visitor.problems == {}
