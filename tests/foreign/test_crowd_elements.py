"""Pages of Amazon's crowd HTML elements, as requesters write them: workers fill them, programs read them."""

import json
from typing import Any
from xml.etree import ElementTree as ET

import boto3
import pytest
from django.utils import timezone
from playwright.sync_api import FrameLocator, Page, expect

from crowd.marketplace.models import HIT
from crowd.marketplace.questions.answers import ANSWERS
from crowd.marketplace.services.requesters import Credentials
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import sign_in
from tests.conftest import Sites
from tests.crowd.marketplace.forms import html_question
from tests.crowd.marketplace.rows import post_hit
from tests.factories import invite
from tests.foreign.working import open_question

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]

SCRIPT = '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>'
TRANSCRIPTION = """
<p>What is written on the sign?</p>
<crowd-input name="sign" required></crowd-input>
<crowd-input name="shop" label="Name of the shop" value="none"></crowd-input>
<crowd-input name="remark" label="Remark"></crowd-input>
<p>Write down all you can read, line by line.</p>
<crowd-text-area name="lines" rows="3" max-length="40" char-counter></crowd-text-area>
<p><label>Language <select name="language"><option>English<option>French</select></label></p>
<p><label>Year <input name="year" size="4"></label></p>
"""
SURVEY = """
<h2>About birds</h2>
<p>How often do you watch birds?</p>
<crowd-radio-group>
  <crowd-radio-button name="never" value="never" required>Never</crowd-radio-button>
  <crowd-radio-button name="daily" value="daily">Every day</crowd-radio-button>
  <crowd-radio-button name="weekly">Every week</crowd-radio-button>
</crowd-radio-group>
<p>Which have you seen?</p>
<crowd-checkbox name="seen" value="robin">A robin</crowd-checkbox>
<crowd-checkbox name="seen" value="owl" checked>An owl</crowd-checkbox>
<p>How much do you like them, from 1 to 10?</p>
<crowd-slider name="how-much" min="1" max="10" required></crowd-slider>
<p>Tell me the results.</p>
<crowd-toggle-button name="results"></crowd-toggle-button>
<p>Do you own a bird?</p>
<p><label><input type="radio" name="owner" value="yes"> Yes</label>
<label><input type="radio" name="owner" value="no"> No</label></p>
<crowd-checkbox name="read" required>I have read all of this</crowd-checkbox>
"""
READING = """
<crowd-instructions link-text="View instructions" link-type="button">
  <short-summary><p>Say what you feel.</p></short-summary>
  <detailed-instructions><p>Read the text twice.</p></detailed-instructions>
  <positive-example><p>“Glad”</p></positive-example>
</crowd-instructions>
<crowd-alert type="warning" dismissible>Some texts are rude.</crowd-alert>
<crowd-card heading="The text"><p>What a day!</p></crowd-card>
<crowd-tabs><crowd-tab header="Its author"><p>Nobody knows.</p></crowd-tab></crowd-tabs>
<crowd-modal link-text="See examples">A letter, for example.</crowd-modal>
<crowd-input name="feeling" label="What do you feel?"></crowd-input>
<crowd-icon-button icon="report-problem" title="Report a problem"></crowd-icon-button>
"""
SENTIMENT = """
<crowd-classifier name="sentiment" categories="['Positive', 'Negative', 'Don\\'t know']"
  header="What sentiment does this text convey?">
  <classification-target><p>Everything is great!</p></classification-target>
  <full-instructions header="Sentiment Instructions"><p>Joy is positive.</p></full-instructions>
  <short-instructions>Choose the one that fits best.</short-instructions>
</crowd-classifier>
<crowd-classifier-multi-select name="about" categories='["Food", "Weather"]' header="What is it about?"
  exclusion-category="{ text: 'None of the above' }">
  <classification-target>Sun and soup.</classification-target>
</crowd-classifier-multi-select>
<crowd-image-classifier name="picture" categories="['Cat', 'Dog']" header="What is it?"
  src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='300' height='200'%3E%3C/svg%3E">
  <worker-comment header="Say why">In one sentence.</worker-comment>
</crowd-image-classifier>
"""
NAMES = {TRANSCRIPTION: "transcription", SURVEY: "survey", READING: "reading", SENTIMENT: "sentiment"}


def page_of(body: str, *, attributes: str = "") -> str:
    head = f'<!DOCTYPE html><html lang="en"><title>A task</title>{SCRIPT}'
    return html_question(f"{head}<crowd-form {attributes}><h1>A task</h1>{body}</crowd-form></html>")


def read_back(credentials: Credentials, sites: Sites) -> dict[str, str]:
    """What the requester's program is told of the only work on the only HIT."""
    client: Any = boto3.client(
        "mturk",
        endpoint_url=sites.marketplace,
        region_name="us-east-1",
        aws_access_key_id=credentials.access_key_id,
        aws_secret_access_key=credentials.secret_access_key,
    )
    listed = client.list_assignments_for_hit(HITId=HIT.objects.get().external_id)
    answers = ET.fromstring(listed["Assignments"][0]["Answer"])  # noqa: S314
    space = f"{{{ANSWERS}}}"
    return {
        answer.findtext(f"{space}QuestionIdentifier", ""): answer.findtext(f"{space}FreeText", "")
        for answer in answers
    }


def send(page: Page, frame: FrameLocator) -> None:
    frame.get_by_role("button", name="Submit").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")


def test_texts_come_back_as_one_answer(page: Page, sites: Sites, credentials: Credentials) -> None:
    frame = open_question(page, page_of(TRANSCRIPTION), credentials=credentials, sites=sites)
    submit = frame.get_by_role("button", name="Submit")
    submit.press("Enter")
    expect(frame.get_by_role("textbox", name="What is written on the sign?")).to_be_focused()
    page.keyboard.type("Fresh “bread”")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("Fresh\nbread, or what they call so in that town")
    expect(frame.get_by_text("40 characters")).to_be_visible()
    frame.get_by_label("Language").select_option("French")
    frame.get_by_label("Year").fill("1987")
    send(page, frame)

    told = read_back(credentials, sites)
    assert told.keys() == {"taskAnswers"}
    assert json.loads(told["taskAnswers"]) == [
        {
            "sign": "Fresh “bread”",
            "shop": "none",
            "lines": "Fresh\nbread, or what they call so in tha",
            "language": "French",
            "year": "1987",
        }
    ]


def test_survey_is_filled_by_keyboard(page: Page, sites: Sites, credentials: Credentials) -> None:
    frame = open_question(page, page_of(SURVEY), credentials=credentials, sites=sites)
    often = frame.get_by_role("radiogroup", name="How often do you watch birds?")
    frame.get_by_role("button", name="Submit").press("Enter")
    expect(often.get_by_role("radio", name="Never")).to_be_focused()
    for key in ["ArrowDown", "ArrowDown", "Tab", "Space", "Tab", "Tab"]:
        page.keyboard.press(key)
    expect(often.get_by_role("radio", name="Every week")).to_be_checked()
    expect(frame.get_by_role("slider", name="How much do you like them, from 1 to 10?")).to_be_focused()
    for key in ["ArrowRight", "ArrowRight", "Tab", "Space", "Tab", "Space"]:
        page.keyboard.press(key)
    expect(frame.get_by_role("switch", name="Tell me the results.")).to_be_checked()
    frame.get_by_role("button", name="Submit").press("Enter")
    expect(frame.get_by_role("checkbox", name="I have read all of this")).to_be_focused()
    page.keyboard.press("Space")
    send(page, frame)

    assert json.loads(read_back(credentials, sites)["taskAnswers"]) == [
        {
            "never": {"never": False},
            "daily": {"daily": False},
            "weekly": {"on": True},
            "seen": {"robin": True, "owl": True},
            "how-much": 3,
            "results": {"on": True},
            "owner": {"yes": True, "no": False},
            "read": {"on": True},
        }
    ]


def test_classifiers_are_filled_by_keyboard(page: Page, sites: Sites, credentials: Credentials) -> None:
    frame = open_question(page, page_of(SENTIMENT), credentials=credentials, sites=sites)
    sentiment = frame.get_by_role("group", name="What sentiment does this text convey?")
    frame.get_by_role("button", name="Submit").press("Enter")
    expect(sentiment.get_by_role("radio", name="Positive")).to_be_focused()
    for key in ["Space", "ArrowUp", "Tab", "Space", "Tab", "Tab", "Space"]:
        page.keyboard.press(key)
    expect(sentiment.get_by_role("radio", name="Don't know")).to_be_checked()
    expect(frame.get_by_role("checkbox", name="Food")).not_to_be_checked()
    for key in ["Shift+Tab", "Space", "Shift+Tab", "Space"]:
        page.keyboard.press(key)
    expect(frame.get_by_role("checkbox", name="None of the above")).not_to_be_checked()
    frame.get_by_role("radio", name="Dog").press("Space")
    frame.get_by_label("Say why").fill("It barks.")
    send(page, frame)

    assert json.loads(read_back(credentials, sites)["taskAnswers"]) == [
        {
            "sentiment": {"label": "Don't know"},
            "about": {"labels": ["Food", "Weather"]},
            "picture": {"label": "Dog", "workerComment": "It barks."},
        }
    ]


@pytest.mark.parametrize("body", NAMES, ids=NAMES.values())
@pytest.mark.parametrize("size", SIZES)
def test_crowd_elements_look_right(
    open_page: OpenPage, sites: Sites, credentials: Credentials, size: str, body: str
) -> None:
    page = open_page(viewport=SIZES[size], reduced_motion="reduce")
    visitor = Visitor(page, size=size)
    open_question(page, page_of(body), credentials=credentials, sites=sites)
    name = NAMES[body]

    visitor.visit(f"crowd-{name}", page.url)
    visitor.visit(f"crowd-{name}-frame", page.frames[1].url)

    assert visitor.problems == {}


def test_crowd_form_cannot_be_sent_in_a_preview(page: Page, sites: Sites) -> None:
    hit = post_hit(question=page_of(SURVEY), title="About birds", now=timezone.now())
    sign_in(page.context, invite(now=timezone.now())[0], sites=sites)
    page.goto(f"{sites.marketplace}/groups/{hit.hit_type.external_id}/")
    submit = page.frame_locator("iframe").get_by_role("button")

    expect(submit).to_have_text("You must ACCEPT the HIT before you can submit the results.")
    expect(submit).to_be_disabled()


def test_what_is_to_be_read_can_be_opened_and_put_away(
    page: Page, sites: Sites, credentials: Credentials
) -> None:
    frame = open_question(page, page_of(READING), credentials=credentials, sites=sites)
    expect(frame.get_by_text("Read the text twice.")).to_be_hidden()
    frame.get_by_role("button", name="View instructions").press("Enter")
    instructions = frame.get_by_role("dialog", name="Instructions")
    expect(instructions.get_by_role("heading")).to_have_text(
        ["Instructions", "Summary", "Detailed instructions", "Good examples"]
    )
    expect(frame.get_by_text("Read the text twice.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(instructions).to_be_hidden()
    frame.get_by_role("button", name="Close").press("Enter")
    expect(frame.get_by_text("Some texts are rude.")).to_be_hidden()
    expect(frame.get_by_role("button", name="Report a problem")).to_be_visible()
    frame.get_by_label("What do you feel?").fill("glad")
    send(page, frame)

    assert json.loads(read_back(credentials, sites)["taskAnswers"]) == [{"feeling": "glad"}]


def test_flat_answers_come_back_one_by_one(page: Page, sites: Sites, credentials: Credentials) -> None:
    xml = page_of(
        """<input type="checkbox" name="seen" value="dog" checked>
<crowd-input name="sign" value="A"></crowd-input>""",
        attributes='answer-format="flatten-objects"',
    )
    send(page, open_question(page, xml, credentials=credentials, sites=sites))

    assert read_back(credentials, sites) == {"seen.dog": "true", "sign": "A"}


def test_form_without_an_answer_is_taken(page: Page, sites: Sites, credentials: Credentials) -> None:
    xml = page_of("<p>Thank you.</p>", attributes='answer-format="flatten-objects"')
    send(page, open_question(page, xml, credentials=credentials, sites=sites))

    assert read_back(credentials, sites) == {}


SENDERS = {
    "a button of theirs": '<crowd-button form-action="submit">Send it</crowd-button>',
    "a plain button": '<crowd-button form-action="submit" hidden></crowd-button><button>Send it</button>',
    "a script": """<crowd-button form-action="submit" hidden></crowd-button><a href="#" id="go">Send it</a>
<script>
document.getElementById("go").onclick = () => document.querySelector("crowd-form").submit();
</script>""",
}


@pytest.mark.parametrize("sender", SENDERS)
def test_page_may_send_by_its_own_means_and_object(
    page: Page, sites: Sites, credentials: Credentials, sender: str
) -> None:
    xml = page_of(f"""<crowd-input name="sign" label="Sign"></crowd-input>{SENDERS[sender]}<p id="said"></p>
<script>document.querySelector("crowd-form").onsubmit = function (event) {{
  if (document.querySelector("crowd-input").value) return;
  event.preventDefault();
  document.getElementById("said").textContent = "Write something.";
}};</script>""")
    frame = open_question(page, xml, credentials=credentials, sites=sites)
    expect(frame.get_by_role("button", name="Submit", exact=True)).to_have_count(0)
    frame.get_by_text("Send it").click()
    expect(frame.locator("#said")).to_have_text("Write something.")
    frame.get_by_label("Sign").fill("A")
    frame.get_by_text("Send it").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    assert json.loads(read_back(credentials, sites)["taskAnswers"]) == [{"sign": "A"}]
