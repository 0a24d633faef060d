"""The bonus table as researchers see it: in the study's form, before the launch, and as it was promised."""

import pytest
from playwright.sync_api import ViewportSize, expect

from crowd.winogavil.demo import seeding
from crowd.winogavil.demo.seeding import Seeded
from crowd.winogavil.domain import WINOGAVIL_TIERS
from hits.core.domain.bonus_tables import EXAMPLES
from hits.studies.models import Study
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import launch
from tests.conftest import Sites

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
READY = "Solvers are rewarded according to their Jaccard index"


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def seeded(sites: Sites) -> Seeded:
    return seeding.seed(workers=1)


def test_bonus_table_looks_right_wherever_it_is_shown(
    size: str, open_page: OpenPage, seeded: Seeded, sites: Sites
) -> None:
    viewport: ViewportSize = SIZES[size]
    visitor = Visitor(open_page(viewport=viewport, reduced_motion="reduce"), size=size)
    admin, batch = f"{sites.public}/admin", seeded.batch
    Study.objects.update(bonus_rules=[dict(row) for row in EXAMPLES.values()])
    batch.refresh_from_db()

    log_in(visitor.page, seeded.researcher, sites=sites)
    visitor.visit("study-table", f"{admin}/hits/study/{batch.study_id}/change/")
    visitor.page.get_by_text("What each of them is").click()
    opened = visitor._look()
    visitor._keep_picture(f"study-table-kinds-{size}")
    visitor.visit("launch-table", f"{admin}/hits/batch/{batch.pk}/launch/")
    launch(batch)
    visitor.visit("frozen-table", f"{admin}/hits/batch/{batch.pk}/change/")

    assert (visitor.problems, opened) == ({}, [])
