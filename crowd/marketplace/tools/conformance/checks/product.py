"""Promises that the project's own question pages and client make beside the marketplace's."""

import tempfile
from urllib.parse import parse_qsl, urlencode, urlsplit

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.browser import Browser
from crowd.marketplace.tools.conformance.outcomes import expect, same
from crowd.marketplace.tools.conformance.product import run_manage
from crowd.marketplace.tools.conformance.questions import external
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.server import inherited_environment

ELSEWHERE = "https://elsewhere.example.org"
AMAZON = {
    "CROWD_ACCOUNT_NAME": "amazon",
    "CROWD_ACCOUNT_ENVIRONMENT": "production",
    "CROWD_ACCOUNT_ENDPOINT": "https://mturk-requester.us-east-1.amazonaws.com",
    "CROWD_ACCOUNT_ACCESS_KEY_ID": "nobody",
    "CROWD_ACCOUNT_SECRET_ACCESS_KEY": "nothing",
}


@check(65, "question page: no X-Frame-Options, frame-ancestors set; admin DENY")
def headers(bench: Bench) -> None:
    page = Browser(cookies=False).get(bench.product.question_page)
    same("HTTP status of the question page", page.status, 200)
    expect("x-frame-options" not in page.headers, "the question page has X-Frame-Options")
    policy = page.headers.get("content-security-policy", "")
    ancestors = [part.split() for part in policy.split(";") if part.split()[:1] == ["frame-ancestors"]]
    same("frame-ancestors", ancestors, [["frame-ancestors", bench.endpoint]])
    admin = Browser(cookies=False).get(f"{bench.product.served.public_url}/admin/login/")
    same("HTTP status of the admin", admin.status, 200)
    same("X-Frame-Options of the admin", admin.headers.get("x-frame-options"), "DENY")


@check(66, "foreign turkSubmitTo -> rejected")
def foreign_submit(bench: Bench) -> None:
    requester = bench.product.requester
    hit = requester.post(Title="Sent elsewhere", Question=external(bench.product.question_page))
    frame = bench.worker().accept(hit).frame
    query = {**dict(parse_qsl(urlsplit(frame).query)), "turkSubmitTo": ELSEWHERE}
    tampered = urlsplit(frame)._replace(query=urlencode(query)).geturl()
    browser = Browser(cookies=False)
    rejected = browser.get(tampered)
    expect(400 <= rejected.status < 500, f"HTTP {rejected.status} with a foreign turkSubmitTo")
    same("forms on the page", [form.action for form in rejected.document.forms], [])
    expect(ELSEWHERE not in rejected.text, "the page names the foreign address")
    same("HTTP status with the right turkSubmitTo", browser.get(frame).status, 200)


@check(72, "endpoint guard: amazonaws.com not enabled -> refuses to start")
def endpoint_guard(bench: Bench) -> None:
    with tempfile.TemporaryDirectory(prefix="crowd-conformance-") as folder:
        environment = {**inherited_environment(), **AMAZON, "CROWD_DATA_DIR": folder}
        refused = run_manage("check", environment=environment)
        allowed = run_manage("check", environment={**environment, "CROWD_ALLOW_AMAZON": "true"})
    expect(refused.returncode != 0, "it started with an endpoint of amazonaws.com")
    expect("CROWD_ALLOW_AMAZON" in refused.stderr, f"it said: {refused.stderr[-500:]}")
    same(f"exit code with CROWD_ALLOW_AMAZON=true ({allowed.stderr[-500:]})", allowed.returncode, 0)
