"""Windows that a requester's own page opens, as psiTurk's and Dallinger's do."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.factories import external_question
from tests.foreign.serving import serve_folder
from tests.foreign.working import open_question

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]

FIRST = """<!DOCTYPE html><button onclick="window.open('window.html')">Begin</button>"""
WINDOW = """<!DOCTYPE html><button id="top">Lead the tab on</button>
<button id="frame">Lead the frame on</button><p id="said"></p><script>
const refused = (lead) => { try { lead(); return "led"; } catch (error) { return error.name; } };
document.getElementById("top").onclick = () => {
  document.getElementById("said").textContent = refused(() => { opener.top.location = "last.html"; });
};
document.getElementById("frame").onclick = () => { opener.location = "last.html"; };
</script>"""
LAST = "<!DOCTYPE html><h1>The last page</h1>"


def test_window_of_a_requesters_page_leads_its_frame_on_and_nothing_around_it(
    page: Page, sites: Sites, credentials: Credentials, tmp_path: Path
) -> None:
    for name, html in {"first": FIRST, "window": WINDOW, "last": LAST}.items():
        (tmp_path / f"{name}.html").write_text(html)
    with serve_folder(tmp_path) as address:
        question = external_question(f"{address}first.html")
        frame = open_question(page, question, credentials=credentials, sites=sites)
        with page.expect_popup() as opened:
            frame.get_by_role("button", name="Begin").click()
        opened.value.get_by_role("button", name="Lead the tab on").click()
        said = opened.value.locator("#said").text_content()
        opened.value.get_by_role("button", name="Lead the frame on").click()

        expect(frame.get_by_role("heading")).to_have_text("The last page")
        expect(page.get_by_role("heading", level=1)).to_have_text("About colors")
    assert said == "SecurityError"
