"""The pages of association lists in a real browser: in every state, with a word and without."""

import pytest

from crowd.winogavil.demo.seeding import Seeded
from qualifications.models import SwowList
from tests.browser.doors import log_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.qualifications.files import said
from tests.qualifications.lists import make_list

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
YOLK = said("yolk", ("egg", 120), ("yellow", 44), ("white", 12), ("breakfast", 9), ("sunny side up", 2))


def test_association_lists_look_right(visitor: Visitor, seeded: Seeded, sites: Sites) -> None:
    page, admin = visitor.page, f"{sites.public}/admin/qualifications/swowlist"
    seeded.researcher.user.is_superuser = True
    seeded.researcher.user.save()
    log_in(visitor.page, seeded.researcher, sites=sites)
    visitor.visit("swow-none", f"{admin}/")
    ready = make_list(
        [*YOLK, *said("hen", ("egg", 80), ("yolk", 4))],
        name="swow-en",
        licence="CC BY-NC-ND 3.0",
        rows=7,
        cues_count=2,
        words_count=7,
        edges_count=7,
        bad_lines=1,
        problems=["Line 9: it has 2 fields, and the first line 5."],
    )
    half = make_list(name="swow-nl", language="nl", status="importing", rows=120_000, imported_at=None)
    failed = make_list(name="counts", kind="counts", status="failed", problem="The file breaks off.")

    visitor.visit("swow-lists", f"{admin}/")
    for name, swow in (("half", half), ("failed", failed), ("ready", ready)):
        visitor.visit(f"swow-{name}", f"{admin}/{swow.pk}/change/")
    visitor.visit("swow-word", f"{admin}/{ready.pk}/change/?word=yolk")
    visitor.visit("swow-no-word", f"{admin}/{ready.pk}/change/?word=y")
    visitor.visit("swow-remove", f"{admin}/{ready.pk}/remove/")
    page.get_by_role("button", name="Remove it").click()
    page.get_by_text("The list swow-en is hidden now").wait_for()

    assert SwowList.objects.get(pk=ready.pk).status == "leaving"
    assert visitor.problems == {}
