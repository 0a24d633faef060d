"""Pages as they were written for Mechanical Turk's frame: wherever their forms lead, the answer arrives."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from playwright.sync_api import Page, expect

from crowd.marketplace.models import Assignment
from crowd.marketplace.questions import read_answers
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.forms import html_question
from tests.foreign import working
from tests.foreign.requesting import requester_with
from tests.foreign.serving import serve
from tests.foreign.working import open_question

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]

FIELDS = """<input type="hidden" name="assignmentId" id="assignmentId">
<label>Color <input name="color" value="red"></label>"""
SEND = '<input type="submit" id="submitButton" value="Send">'
FILL = """<script>
document.getElementById("assignmentId").value = new URLSearchParams(location.search).get("assignmentId");
</script>"""
HELPER = '<script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script>'
OLD = "https://workersandbox.mturk.com/mturk/externalSubmit"


def form(attributes: str, *, more: str = SEND) -> str:
    return f'<form method="post" {attributes}>{FIELDS}{more}</form>{FILL}'


PAGES = {
    "a host of the old service": form(f'action="{OLD}"'),
    "a host of nobody": form('action="http://a.example/mturk/externalSubmit"'),
    "no host": form('action="/mturk/externalSubmit"'),
    "no address": form(""),
    "the helper sets it": f"""{HELPER}{form('name="survey"')}
<script>turkSetAssignmentID("survey", "submitButton");</script>""",
    "the helper sets the usual form's": f"""{HELPER}{form('id="mturk_form" action="#"')}
<script>turkSetAssignmentID();</script>""",
    "a button's own address": form('action="#"', more=f'<button formaction="{OLD}">Send</button>'),
    "a form that asks before": form(f"""action="{OLD}" onsubmit="return confirm('Sure?')" """),
    "a field that hides the form's address": form(
        f'action="{OLD}"', more=f'{SEND}<input type="hidden" name="action" value="x">'
    ),
    "a form that a script makes and sends": f"""<div>{FIELDS}<button id="go">Send</button></div>{FILL}<script>
document.getElementById("go").onclick = () => {{
  const form = document.createElement("form");
  form.method = "POST";
  form.action = ["https://www.", "mturk.com", "/mturk/", "externalSubmit"].join("");
  form.append(...document.querySelectorAll("input"));
  document.body.append(form);
  form.submit();
}};</script>""",
    "the id in the address alone": f"""<form method="post"><input name="color" value="red">{SEND}</form>
<script>
const id = new URLSearchParams(location.search).get("assignmentId");
document.forms[0].action = `https://www.mturk.com/mturk/externalSubmit?assignmentId=${{id}}`;
</script>""",
}


@pytest.mark.parametrize("page_of", PAGES)
def test_answer_of_an_old_page_arrives(
    page: Page, sites: Sites, credentials: Credentials, page_of: str
) -> None:
    html = f"<!DOCTYPE html><html><body>{PAGES[page_of]}</body></html>"
    frame = open_question(page, html_question(html), credentials=credentials, sites=sites)
    page.on("dialog", lambda dialog: dialog.accept())
    frame.get_by_text("Send").or_(frame.locator("[type=submit]")).first.click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    assert read_answers(Assignment.objects.get().answer)["color"] == {"red"}


def recorder(recording: str) -> str:
    """A question whose page sends what this expression of JavaScript is."""
    return html_question(f"""<!DOCTYPE html><form method="post" action="{OLD}">
<input type="hidden" name="recording"><input type="hidden" name="assignmentId" id="assignmentId">{SEND}</form>
{FILL}<script>document.forms[0].recording.value = {recording};</script>""")


def test_answer_of_five_megabytes_is_read_back_whole(
    page: Page, sites: Sites, credentials: Credentials
) -> None:
    begins, part, ends = "data:audio/webm;base64,", "GkXfo59ChoEBQveB", "= é & <b>"
    count = 5 * 1024 * 1024 // len(part)
    requester = requester_with(sites, credentials)
    hit_id = requester.post(recorder(f"'{begins}' + '{part}'.repeat({count}) + '{ends}'"))

    working.preview(page, sites=sites)
    working.accept(page).locator("#submitButton").click()
    working.expect_submitted(page)

    assert requester.approve(hit_id).answers["recording"] == begins + part * count + ends


def test_answer_that_is_too_large_is_refused_in_words_inside_the_frame(
    page: Page, sites: Sites, credentials: Credentials
) -> None:
    frame = open_question(
        page, recorder("'x'.repeat(11 * 1024 * 1024)"), credentials=credentials, sites=sites
    )
    frame.locator("#submitButton").click()

    expect(frame.get_by_role("alert")).to_contain_text("This answer is too large to submit.")
    assert Assignment.objects.get().status == Assignment.Status.ACCEPTED


class Survey(BaseHTTPRequestHandler):
    """A survey that knows its visitor by a cookie alone, and tells a code at its end."""

    def do_GET(self) -> None:
        is_begun = "visitor=17" in self.headers.get("Cookie", "")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if self.path == "/":
            self.send_header("Set-Cookie", "visitor=17; SameSite=Lax")
        self.end_headers()
        self.wfile.write(SURVEY if self.path == "/" else CODE if is_begun else b"Your session has ended.")

    def log_message(self, *_: object) -> None:
        pass


SURVEY = b"""<!DOCTYPE html><p id="opener"></p><a href="/end">To the end</a>
<script>document.getElementById("opener").textContent = String(window.opener);
localStorage.setItem("begun", "yes");</script>"""
CODE = b"Your code is 4711."


@pytest.fixture
def survey() -> Iterator[str]:
    with serve(Survey) as url:
        yield url


def test_survey_in_a_new_tab_keeps_its_session_and_reaches_no_page_of_ours(
    page: Page, sites: Sites, credentials: Credentials, survey: str
) -> None:
    html = f"""<!DOCTYPE html><a href="{survey}" target="_blank" rel="opener">To the survey</a>
<form method="post" action="{OLD}"><input type="hidden" name="assignmentId" id="assignmentId">
<label>Code <input name="code"></label>{SEND}</form>{FILL}"""
    frame = open_question(page, html_question(html), credentials=credentials, sites=sites)
    with page.expect_popup() as opened:
        frame.get_by_text("To the survey").click()
    tab = opened.value
    opener = tab.locator("#opener").text_content()
    tab.get_by_text("To the end").click()
    expect(tab.locator("body")).to_have_text("Your code is 4711.")
    tab.close()
    frame.get_by_label("Code").fill("4711")
    frame.locator("#submitButton").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    assert read_answers(Assignment.objects.get().answer) == {"code": {"4711"}}
    assert opener == "null"
