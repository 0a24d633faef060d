"""The association game at Prolific's stand-in, by browser: launched, played, reviewed, and paid once.

Every page is one that a person opens; only the background's work is called. `SCREENSHOTS=FOLDER` keeps a
picture of each page that differs from the marketplace's.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.winogavil.domain import CREATE, SOLVE, WINOGAVIL_TIERS
from crowd.winogavil.models import Association
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.batches.services import sending_hits
from hits.identity.roles import PAYMENTS_APPROVER, PAYMENTS_PREPARER
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.paying import confirm_bonuses, pay_bonuses
from hits.studies.models import Batch, Study
from hits.sync.services import push_decisions
from hits.work.models.assignments import Assignment
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter, let_in, make_staff
from tests.browser.families.test_whole_game import CONCEPTS, WORDS, follow_up, put_word
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import make_batch, make_picture, make_study
from tests.hits.providers.prolific.house import House, house_at_prolific
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
SOLVERS = 3


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def house(sites: Sites) -> Iterator[House]:
    with house_at_prolific() as made:
        yield made


def launch(staff: "Looking", sites: Sites, batch: Batch, *, cost: str) -> None:
    page = staff.page
    page.goto(f"{sites.public}/admin/hits/batch/{batch.pk}/launch/")
    expect(page.locator("dl.facts").first.get_by_text(cost).first).to_be_visible()
    staff.keep(f"launch-{batch.task}")
    page.get_by_role("button", name=re.compile("^Launch")).click()
    page.wait_for_url(re.compile(r"/live/"))
    sending_hits.send_launching_batches(now=timezone.now())


def take_part(page: Page, house: House, title: str) -> None:
    """Come as somebody new, from Prolific's list of studies."""
    person = house.stand_in.controls.add_participant()
    page.goto(f"{house.account.worker_site}/participants/{person}/")
    page.get_by_role("button", name=f"Take part: {title}").click()
    page.wait_for_url(re.compile("/q/"))


def hand_in(page: Page) -> None:
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="Thank you").wait_for()


class Looking(Visitor):
    def keep(self, name: str) -> None:
        self._keep_picture(f"prolific-{name}")


def test_the_game_is_launched_played_reviewed_and_paid_once(
    open_page: OpenPage, house: House, sites: Sites
) -> None:
    study = make_study(bonus_rules=[dict(rule) for rule in WINOGAVIL_TIERS])
    seed_picture_set(study=study, pictures=[make_picture(concept=concept) for concept in CONCEPTS])
    terms: dict[str, Any] = {
        "study": study,
        "account": house.account,
        "review_by": "hand",
        "reward": "1.00",
        "hits_wanted": 1,
    }
    create = make_batch(**terms, task=CREATE, title="Find words", assignments_per_hit=2)
    solving = make_batch(
        **terms,
        task=SOLVE,
        title="Which pictures",
        assignments_per_hit=SOLVERS,
        items_per_assignment=4,
    )
    options = {"viewport": SIZES["desktop"], "reduced_motion": "reduce"}
    staff, worker = (Looking(open_page(**options), size="flow") for _ in range(2))
    enter(staff.page, sites)
    worker.page.route("**/beat/", lambda route: route.fulfill(status=204))

    launch(staff, sites, create, cost="$2.80")
    for words in WORDS.values():
        take_part(worker.page, house, "Find words")
        for number, (cue, places) in enumerate(words, start=1):
            put_word(worker.page, worker.page.locator("body"), number, cue, places)
        worker.keep("invent")
        hand_in(worker.page)
    worker.keep("thanks")
    follow_up()
    launch(staff, sites, solving, cost="$4.20")
    for _ in range(SOLVERS):
        take_part(worker.page, house, "Which pictures")
        worker.keep("solve")
        for association in Association.objects.filter(item__study=study):
            for key in association.chosen_keys:
                question = worker.page.get_by_role("group", name=association.cue)
                question.locator("label", has=worker.page.locator(f'input[value="{key}"]')).click()
        hand_in(worker.page)
    follow_up()
    assert Assignment.objects.filter(status="submitted").count() == 2 + SOLVERS

    staff.page.goto(f"{sites.public}/admin/hits/assignment/review/")
    staff.page.get_by_text("Reject…").click()
    staff.page.get_by_text("at least 100 characters").wait_for()
    staff.keep("review")
    for left in reversed(range(2 + SOLVERS)):
        staff.page.goto(f"{sites.public}/admin/hits/assignment/review/")
        staff.page.get_by_role("button", name="Approve").click()
        staff.page.get_by_text("It is sent to the provider in a moment.").wait_for()
        assert Assignment.objects.filter(decisions=None).count() == left
    push_decisions.send_decisions(now=timezone.now() + timedelta(minutes=5))
    follow_up()
    owed = Bonus.objects.count()
    assert owed

    pay_by_two(open_page, sites, study=study, count=owed)
    pay_bonuses(now=timezone.now())
    confirm_bonuses(now=timezone.now())

    assert set(Bonus.objects.values_list("status", flat=True)) == {"confirmed"}
    paid = house.stand_in.controls.payments()
    assert sum(one["cents"] for one in paid if one["kind"] == "bonus") == 100 * sum(
        Bonus.objects.values_list("amount", flat=True), Decimal(0)
    )
    staff.page.goto(f"{sites.public}/admin/hits/account/{house.account.pk}/check/")
    staff.keep("check")
    staff.page.goto(f"{sites.public}/admin/hits/account/{house.account.pk}/change/")
    staff.keep("account")


def pay_by_two(open_page: OpenPage, sites: Sites, *, study: Study, count: int) -> None:
    preparer, approver = (Looking(open_page(), size="flow") for _ in range(2))
    let_in(preparer.page, make_staff(PAYMENTS_PREPARER, study).user, sites=sites)
    let_in(approver.page, make_staff(PAYMENTS_APPROVER, study).user, sites=sites)
    page = preparer.page
    page.goto(f"{sites.public}/admin/hits/run/prepare/")
    page.get_by_label("Title").fill("Words, November")
    page.get_by_role("button", name=re.compile(f"^Put {count} bonus")).click()
    page.get_by_text("A draft is made.").wait_for()
    page.get_by_role("link", name="Freeze…").click()
    page.get_by_role("button", name=re.compile("^Freeze")).click()
    page.get_by_text("It waits for a second person").wait_for()
    page = approver.page
    page.goto(f"{sites.public}/admin/hits/run/")
    page.get_by_role("link", name="Words, November").click()
    page.get_by_label("I have looked at the totals").check()
    page.get_by_role("button", name=re.compile("^Approve")).click()
    page.get_by_text("They are sent in a moment.").wait_for()
