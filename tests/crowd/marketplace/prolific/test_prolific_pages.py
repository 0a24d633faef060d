"""The participants' side in a browser without scripts."""

import re
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from crowd.marketplace.tools.conformance.browser import Answer, Browser
from tests.crowd.marketplace.prolific.prolific_calls import APPROVED_CODE, REVIEWED_CODE, Client, code

pytestmark = pytest.mark.pure


def at(client: Client, path: str) -> str:
    return f"{client.stand_in.world.base_url}{path}"


def home(client: Client, browser: Browser, participant_id: str) -> Answer:
    return browser.get(at(client, f"/participants/{participant_id}/"))


def newcomer(client: Client) -> str:
    return client.stand_in.controls.add_participant()


def press(browser: Browser, page: Answer, verb: str) -> Answer:
    return browser.submit(page, page.form(f"/{verb}/"))


def redirect_of(client: Client, path: str, body: str) -> str:
    """Where a form leads, without going there."""
    url = urlsplit(client.stand_in.world.base_url)
    connection = HTTPConnection(url.hostname or "", url.port, timeout=10)
    connection.request("POST", path, body=body)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 303
    return answer.headers["Location"]


def finishing_address(client: Client, *, entered: str = APPROVED_CODE) -> str:
    """A study that sends the browser back at once, with the code."""
    ids = "p={{%PROLIFIC_PID%}}&s={{%STUDY_ID%}}&i={{%SESSION_ID%}}"
    return at(client, f"/submissions/complete?cc={entered}&{ids}")


def test_every_page_says_that_it_is_no_real_prolific(client: Client) -> None:
    browser = Browser()
    participant_id = newcomer(client)

    pages = [
        browser.get(at(client, "/")),
        home(client, browser, participant_id),
        browser.get(at(client, "/submissions/complete?cc=X")),
        browser.get(at(client, "/nowhere")),
    ]

    assert all("It is not Prolific" in page.text for page in pages)
    assert not any("<script" in page.text or " style=" in page.text for page in pages)
    assert all("default-src 'none'" in page.headers["content-security-policy"] for page in pages)


def test_pages_have_a_language_a_title_and_one_heading(client: Client) -> None:
    client.publish()

    page = home(client, Browser(), newcomer(client)).text

    assert '<html lang="en">' in page
    assert len(re.findall("<title>[^<]+</title>", page)) == len(re.findall("<h1>[^<]+</h1>", page)) == 1
    assert re.findall("<h[1-6]>", page) == ["<h1>", "<h2>", "<h3>", "<h2>"]
    assert 'aria-label="Take part: Odd pictures"' in page


def test_participant_is_added_by_a_button(client: Client) -> None:
    browser = Browser()

    page = browser.get(at(client, "/participants/"))
    browser.submit(page, page.document.forms[0])

    assert len(client.stand_in.world.participants) == 1


def test_participant_sees_open_studies_only(client: Client) -> None:
    group_id = client.post("/participant-groups/", name="Others").body["id"]
    filters = [{"filter_id": "participant_group_allowlist", "selected_values": [group_id]}]
    client.publish(name="For others", filters=filters)
    client.create_study(name="A draft")
    client.publish(name="For all <b>")

    page = home(client, Browser(), newcomer(client)).text

    assert "For all &lt;b&gt;" in page
    assert "For others" not in page
    assert "A draft" not in page


def test_taking_part_redirects_to_the_study_with_the_three_ids(client: Client) -> None:
    study_id, participant_id = client.publish(), newcomer(client)

    address = redirect_of(
        client, "/participants/take-part/", f"study={study_id}&participant={participant_id}"
    )

    (submission_id,) = client.stand_in.world.submissions
    assert address == f"http://study.localhost/?pid={participant_id}&study={study_id}&session={submission_id}"
    assert client.status_of(submission_id) == "ACTIVE"


def test_opening_again_leads_to_the_same_session(client: Client) -> None:
    submission_id = client.take_part(client.publish())

    addresses = {redirect_of(client, "/participants/open/", f"submission={submission_id}") for _ in range(2)}

    assert addresses == {client.stand_in.controls.address_of(submission_id)}


def test_browser_goes_from_the_list_to_the_study_and_back_to_approval(client: Client) -> None:
    client.publish(external_study_url=finishing_address(client))
    browser = Browser()

    page = press(browser, home(client, browser, newcomer(client)), "take-part")

    assert "Thank you" in page.text
    assert "APPROVED" in page.text


def test_reloading_the_last_page_finishes_nothing_twice(client: Client) -> None:
    client.publish(external_study_url=finishing_address(client))
    browser = Browser()
    page = press(browser, home(client, browser, newcomer(client)), "take-part")

    again = browser.get(page.url)

    assert (again.status, "APPROVED" in again.text) == (200, True)
    assert len(client.stand_in.controls.payments()) == 1


def test_place_can_be_reserved_opened_and_returned(client: Client) -> None:
    client.publish()
    browser, participant_id = Browser(), newcomer(client)

    page = press(browser, home(client, browser, participant_id), "reserve")
    assert "RESERVED" in page.text
    page = press(browser, page, "return")

    assert "RETURNED" in page.text
    assert not page.has_form("/open/")


def test_finish_without_a_code_is_a_button(client: Client) -> None:
    submission_id = client.take_part(client.publish())
    browser = Browser()

    press(browser, home(client, browser, client.participant_of(submission_id)), "finish-without-code")

    assert client.get(f"/submissions/{submission_id}/").body["entered_code"] == "NOCODE"


def test_code_finishes_the_study_that_has_it(client: Client) -> None:
    first = client.publish(completion_codes=[code("FIRST")])
    second = client.publish(completion_codes=[code("SECOND")])
    controls, participant_id, browser = client.stand_in.controls, newcomer(client), Browser()
    submissions = [controls.take_part(one, participant_id) for one in (first, second)]
    home(client, browser, participant_id)

    browser.get(at(client, "/submissions/complete?cc=FIRST"))

    assert [client.status_of(one) for one in submissions] == ["AWAITING REVIEW", "ACTIVE"]


def test_participant_is_shown_credentials_of_the_pool_that_nobody_else_is(client: Client) -> None:
    pool = client.post("/credentials/", credentials="first,secret\nsecond,secret").body["credential_pool_id"]
    study_id = client.publish(credential_pool_id=pool, total_available_places=3)

    pages = [
        home(client, Browser(), client.participant_of(client.take_part(study_id))).text for _ in range(2)
    ]

    assert [re.findall(r"as (\w+) with", page) for page in pages] == [["first"], ["second"]]
    assert "Odd pictures" not in home(client, Browser(), newcomer(client)).text


def test_reloading_an_earlier_last_page_leaves_the_next_study_alone(client: Client) -> None:
    first = client.publish(completion_codes=[code("FIRST")])
    second = client.publish(completion_codes=[code("SECOND")])
    controls, participant_id, browser = client.stand_in.controls, newcomer(client), Browser()
    home(client, browser, participant_id)
    done = controls.take_part(first, participant_id)
    browser.get(at(client, "/submissions/complete?cc=FIRST"))
    running = controls.take_part(second, participant_id)

    browser.get(at(client, "/submissions/complete?cc=FIRST"))

    assert [client.status_of(one) for one in (done, running)] == ["AWAITING REVIEW", "ACTIVE"]


def test_browser_of_nobody_finishes_nothing(client: Client) -> None:
    submission_id = client.take_part(client.publish())

    page = Browser(cookies=False).get(at(client, f"/submissions/complete?cc={REVIEWED_CODE}"))

    assert (page.status, client.status_of(submission_id)) == (403, "ACTIVE")


def test_full_study_is_refused_on_a_page(client: Client) -> None:
    study_id = client.publish()
    browser = Browser()
    page = home(client, browser, newcomer(client))
    client.transition(study_id, "STOP")

    told = press(browser, page, "take-part")

    assert (told.status, "The study has no open place." in told.text) == (409, True)


def test_page_tells_bonuses_requests_and_rejections(client: Client) -> None:
    asking = code("ASK", {"action": "REQUEST_RETURN", "return_reason": "No consent & no work."})
    study_id = client.publish(completion_codes=[asking])
    submission_id = client.submit(study_id, code="ASK")
    csv = f"{submission_id},1.05"
    setup = client.post("/submissions/bonus-payments/", study_id=study_id, csv_bonuses=csv).body["id"]
    client.post(f"/bulk-bonus-payments/{setup}/pay/")
    client.decide(submission_id, "REJECT", message="No. " * 25, rejection_category="OTHER")

    page = home(client, Browser(), client.participant_of(submission_id)).text

    assert "£1.05" in page
    assert "No consent &amp; no work." in page
    assert "Rejected: No. No." in page
