"""What a hostile page in a question tries to reach, one by one: it may run anything, and gets nowhere."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.marketplace import frames
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.questions import read_answers
from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.site.session import COOKIE
from tests.conftest import Sites
from tests.crowd.marketplace.forms import html_question
from tests.factories import make_requester
from tests.foreign.working import open_question

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]

REPORTING = """<!DOCTYPE html><form method="post" id="mturk_form" action="/mturk/externalSubmit">
<input type="hidden" name="assignmentId" id="assignmentId"><textarea name="report" id="report"></textarea>
<input type="submit" id="send"></form>
<script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script>
<script>
turkSetAssignmentID();
const site = turkGetSubmitToHost().replace(/\\/submit\\/.*/, "");
const tries = {
  "cookies of the worker site": () => document.cookie,
  "a cookie for the worker site": () => { document.cookie = "%(cookie)s=mine; domain=localhost; path=/"; },
  "a cookie for all requesters": () => { document.cookie = "for_all=mine; domain=.localhost; path=/"; },
  "the page around it": () => parent.document.title,
  "the address of the page around it": () => parent.location.href,
  "the worker site's storage": () => parent.localStorage.length,
  "another address for the whole tab": () => { top.location = "http://a.example/"; },
  "the worker's profile": async () => (await fetch(`${site}/history/`, { credentials: "include" })).status,
  "the requester's API": async () => (await fetch(site, { method: "POST", credentials: "include" })).status,
  "a worker that outlives the page": async () => {
    const code = new Blob(["onfetch = () => {}"], { type: "text/javascript" });
    return String(await navigator.serviceWorker.register(URL.createObjectURL(code)));
  },
};
(async () => {
  const report = {};
  for (const [name, attempt] of Object.entries(tries)) {
    try { report[name] = (await attempt()) ?? "done"; } catch (error) { report[name] = error.name; }
  }
  report["cookies afterwards"] = document.cookie;
  document.getElementById("report").value = JSON.stringify(report);
  document.body.dataset.ready = "yes";
})();
</script>"""


def report_of(page: Page, html: str, *, credentials: Credentials, sites: Sites) -> Any:
    frame = open_question(page, html_question(html), credentials=credentials, sites=sites)
    expect(frame.locator("body[data-ready]")).to_be_attached()
    frame.locator("#send").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    (report,) = read_answers(Assignment.objects.latest("pk").answer)["report"]
    return json.loads(report)


def test_page_reaches_nothing_of_the_worker_site(page: Page, sites: Sites, credentials: Credentials) -> None:
    report = report_of(page, REPORTING % {"cookie": COOKIE}, credentials=credentials, sites=sites)

    assert report == {
        "cookies of the worker site": "",
        "a cookie for the worker site": "done",
        "a cookie for all requesters": "done",
        "the page around it": "SecurityError",
        "the address of the page around it": "SecurityError",
        "the worker site's storage": "SecurityError",
        "another address for the whole tab": "SecurityError",
        "the worker's profile": "TypeError",
        "the requester's API": "TypeError",
        "a worker that outlives the page": "TypeError",
        "cookies afterwards": "",
    }
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    assert COOKIE in cookies
    assert "mine" not in cookies.values()


KEEPING = """<!DOCTYPE html><form method="post" id="mturk_form"><input type="hidden" name="assignmentId"
id="assignmentId"><textarea name="report" id="report"></textarea><input type="submit" id="send"></form>
<script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script><script>
turkSetAssignmentID();
document.getElementById("report").value = JSON.stringify([localStorage.getItem("kept"), document.cookie]);
localStorage.setItem("kept", "yes");
document.cookie = "kept=yes; path=/; SameSite=None; Secure";
document.body.dataset.ready = "yes";
</script>"""


def test_storage_is_kept_for_its_requester_and_for_no_other(page: Page, sites: Sites) -> None:
    first, second = (make_requester(now=timezone.now()) for _ in range(2))

    reports = [
        report_of(page, KEEPING, credentials=credentials, sites=sites)
        for credentials in (first, second, first)
    ]

    assert reports == [[None, ""], [None, ""], ["yes", "kept=yes"]]


def test_page_cannot_move_to_another_requesters_host(
    page: Page, sites: Sites, credentials: Credentials
) -> None:
    other = frames.content_origin(make_requester(now=timezone.now()).requester)
    html = f"""<!DOCTYPE html><button>Go</button><script>
document.querySelector("button").onclick = () => {{ location.href = "{other}" + location.pathname; }};
</script>"""
    frame = open_question(page, html_question(html), credentials=credentials, sites=sites)
    answered: list[str] = []
    page.on("response", lambda response: answered.append(response.url))

    frame.get_by_text("Go").click()
    page.wait_for_timeout(300)

    assert [url for url in answered if url.startswith(other)] == []


@pytest.mark.parametrize(
    "attempt",
    [
        '<form action="http://a.example/" method="post"><button>Go</button></form>',
        '<a href="http://a.example/" target="_top">Go</a>',
        """<button onclick="parent.postMessage('submitted', '*')">Go</button>""",
    ],
)
def test_page_cannot_take_the_worker_away(
    page: Page, sites: Sites, credentials: Credentials, attempt: str
) -> None:
    frame = open_question(page, html_question(attempt), credentials=credentials, sites=sites)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before = page.url

    frame.get_by_text("Go").click()
    page.wait_for_timeout(300)

    assert (page.url, [url for url in asked if "a.example" in url]) == (before, [])


def test_page_cannot_frame_the_worker_site(page: Page, sites: Sites, credentials: Credentials) -> None:
    html = f'<!DOCTYPE html><iframe src="{sites.marketplace}/history/" title="History"></iframe>'
    frame = open_question(page, html_question(html), credentials=credentials, sites=sites)

    expect(frame.frame_locator("iframe").locator("body")).not_to_contain_text("History")
    assert Client(HTTP_HOST="localhost").get("/history/")["X-Frame-Options"] == "DENY"


def test_page_of_a_disposed_hit_is_gone(page: Page, sites: Sites, credentials: Credentials) -> None:
    open_question(page, html_question(KEEPING), credentials=credentials, sites=sites)
    hit = HIT.objects.get()
    url = frames.preview_url(hit)
    HIT.objects.update(disposed_at=timezone.now())

    response = page.goto(url)

    assert response
    assert response.status == 410
