"""The pages about rivals in a real browser: nothing asked, another rival asked, models beside people."""

from fractions import Fraction

import pytest
from django.utils import timezone

from crowd.winogavil.demo.seeding import Seeded
from crowd.winogavil.services import association_verdicts as winogavil
from hits.work.models.items import Item
from scoring.models import Score
from scoring.services.embedding_backfill import fill_pools
from scoring.services.rival_answers import answer_waiting
from tests.browser.doors import log_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.factories import make_assignment
from tests.scoring.fakes import make_rival, use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def solve(items: list[Item]) -> None:
    """Let one person solve each item, some better than others."""
    for number, item in enumerate(items):
        share = Fraction(number % 4, 3) if number % 4 < 4 else Fraction(1)
        Score.objects.create(
            assignment=make_assignment(status="approved"),
            item=item,
            measure="jaccard",
            numerator=min(share, Fraction(1)).numerator,
            denominator=min(share, Fraction(1)).denominator,
            scored_at=timezone.now(),
        )


def test_rivals_are_chosen_asked_and_compared(
    visitor: Visitor,
    seeded: Seeded,
    sites: Sites,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_fakes(monkeypatch)
    study, page, admin = seeded.batch.study, visitor.page, f"{sites.public}/admin/scoring"
    log_in(visitor.page, seeded.researcher, sites=sites)
    study.members.add(seeded.researcher.user)
    address = f"{admin}/studyrival/{study.pk}/"
    visitor.visit("rivals-nothing", address)
    solve(list(Item.objects.filter(study=study).order_by("pk")))
    type(seeded.batch).objects.update(status="open", launched_at=timezone.now())
    winogavil.ask_rivals(now=timezone.now())
    fill_pools()
    answer_waiting()
    make_rival("clip-rn50")

    visitor.visit("rivals-studies", f"{admin}/studyrival/")
    visitor.visit("rivals-one", address)
    page.get_by_role("button", name="Ask the rival about everything").click()
    page.get_by_text("queries are put to clip-rn50").wait_for()
    visitor.visit("rivals-asking", address)
    answer_waiting()
    page.goto(address)
    page.get_by_role("button", name="Pay bonuses on this rival from now on").click()
    page.get_by_text("From now on bonuses are paid on clip-rn50").wait_for()
    visitor.visit("rivals-two", address)
    visitor.visit("rivals-registered", f"{admin}/registeredrival/")
    visitor.visit("rivals-verdicts", f"{admin}/verdict/")

    assert visitor.problems == {}
