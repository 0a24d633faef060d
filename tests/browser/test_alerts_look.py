"""The pages of what staff are told, and what happened lately on the home page."""

from datetime import timedelta

import pytest
from django.utils import timezone

from hits.alerts.models import Kind
from hits.alerts.services.alert_choices import set_hook
from hits.alerts.services.finding_occurrences import find_occurrences
from hits.alerts.services.queueing_alerts import queue_alerts, queue_test
from hits.identity.roles import RESEARCHER
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import make_study
from tests.hits.alerts.happenings import end_batch, make_appeal

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("size", SIZES)
def test_what_staff_are_told_can_be_read_and_chosen(open_page: OpenPage, sites: Sites, size: str) -> None:
    study, staff, now = make_study(name="Owls"), make_staff(RESEARCHER), timezone.now()
    study.members.add(staff.user)
    end_batch(study=study, title="Which pictures belong to the word?", at=now - timedelta(hours=2))
    make_appeal(study=study)
    find_occurrences(now=now)
    queue_alerts(now=now)
    hook = set_hook(
        study=study,
        address="http://127.0.0.1:9/chat",
        kinds=[Kind.ENDED],
        is_on=True,
        wants_new_secret=False,
        by=staff.user,
        now=now,
    ).hook
    queue_test(user=staff.user, hook=hook, now=now)
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    log_in(visitor.page, staff, sites=sites)

    visitor.visit("told-home", f"{sites.public}/admin/")
    visitor.visit("told-choices", f"{sites.public}/admin/told/")
    visitor.visit("told-choices-study", f"{sites.public}/admin/told/?study={study.pk}")
    visitor.visit("told-hook", f"{sites.public}/admin/told/study/{study.pk}/")

    assert visitor.problems == {}
