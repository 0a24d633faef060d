"""The participants' side of the stand-in for Prolific, in a real browser."""

import pytest

from crowd.marketplace.tools.prolific import serving
from tests.browser.looking import Visitor
from tests.crowd.marketplace.prolific.prolific_calls import Client

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def test_participant_goes_to_a_study_and_back(visitor: Visitor) -> None:
    with serving() as stand_in:
        client, page = Client(stand_in=stand_in), visitor.page
        base = stand_in.world.base_url
        ids = "p={{%PROLIFIC_PID%}}&s={{%STUDY_ID%}}&i={{%SESSION_ID%}}"
        client.publish(external_study_url=f"{base}/submissions/complete?cc=DONE-AT-ONCE&{ids}")
        participant_id = stand_in.controls.add_participant()

        visitor.visit("stand-in-people", f"{base}/participants/")
        visitor.visit("stand-in-home", f"{base}/participants/{participant_id}/")
        page.get_by_role("button", name="Take part: Odd pictures").click()
        page.get_by_role("heading", name="Thank you").wait_for()
        visitor.visit("stand-in-thanks", page.url)
        page.get_by_role("link", name="Back to the studies").click()
        page.get_by_text("APPROVED").wait_for()
        visitor.visit("stand-in-done", page.url)
        visitor.visit("stand-in-refused", f"{base}/participants/nobody/", status=404)

        assert visitor.problems == {}
