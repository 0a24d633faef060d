"""The queue of unclear and refused payments, and the stop button."""

from datetime import timedelta

import pytest
from django.utils import timezone

from crowd.demo.demo_people import Staff
from hits.identity.roles import PAYMENTS_PREPARER
from hits.payments.models.runs import Halt
from hits.payments.services.kill_switch import halt_by_the_house
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import (
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
)

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def preparer(sites: Sites) -> Staff:
    return make_staff(PAYMENTS_PREPARER)


@pytest.mark.parametrize("size", SIZES)
def test_queue_and_stop_button_look_right(
    open_page: OpenPage, preparer: Staff, sites: Sites, size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    study = make_study(name="Pictures and words")
    study.members.add(preparer.user)
    batch = make_batch(study=study, account=make_account(name="lab"), status="open")
    work = make_assignment(hit=make_hit(batch=batch), status="approved")
    now = timezone.now()
    ago = {"sending_at": now - timedelta(hours=3), "sent_at": now - timedelta(hours=3)}
    desk = f"{sites.public}/admin/payments"

    log_in(visitor.page, preparer, sites=sites)
    visitor.visit("queue-empty", f"{desk}/queue/")
    visitor.visit("halts-empty", f"{desk}/halts/")
    early = make_bonus(
        assignment=work,
        rule="one",
        status="refused",
        refusal_code="InvalidAssignmentState",
        problem="State.",
        **ago,
    )
    make_bonus(
        assignment=work, rule="two", status="refused", refusal_code="SomethingNew", problem="No.", **ago
    )
    make_bonus(assignment=work, rule="three", status="unknown", look_at=now, looks=3, **ago)
    make_bonus(assignment=work, rule="four", status="sent", look_at=now, looks=7, **ago)
    halt_by_the_house(account=batch.account, reason="lab is out of funds: deposit $12.00.", now=now)
    visitor.visit("queue", f"{desk}/queue/")
    visitor.visit("queue-act", f"{desk}/queue/{early.pk}/send_again/")
    visitor.visit("halts", f"{desk}/halts/")
    visitor.page.get_by_label("The cause is gone").check()
    visitor.page.get_by_role("button", name="Let payments go on").click()
    visitor.page.get_by_label("Why").fill("Odd sums")
    visitor.page.get_by_label("Yes, stop them now").check()
    visitor.page.get_by_role("button", name="Stop payments now").click()
    visitor.visit("halts-stopped", f"{desk}/halts/")

    assert Halt.objects.get(lifted_at=None).reason == "Odd sums"
    assert "\n".join(f"{k}: {v}" for k, vs in visitor.problems.items() for v in vs) == ""
