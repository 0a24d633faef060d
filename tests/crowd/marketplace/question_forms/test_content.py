"""The content host: requesters' HTML and forms, in a sandbox of its own and without cookies."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings, settings
from django.test import Client
from django.utils import timezone

from crowd.marketplace import frames, seals
from crowd.marketplace.models import HIT, Assignment, QualificationRequest, QualificationType
from crowd.marketplace.services import work
from tests.crowd.marketplace.forms import FILE, form, html_question, overview, question, selection
from tests.crowd.marketplace.rows import accept
from tests.crowd.marketplace.site import (
    Browser,
    accepted,
    frame_url,
    group_path,
    open_hit,
    query_of,
    text_of,
    unsigned,
    work_path,
)
from tests.factories import invite, make_requester
from tests.pages import text_of as markup_of

pytestmark = pytest.mark.django_db

SANDBOX = "allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox"
PAGE = """<!DOCTYPE html><script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script>
<form action="https://www.mturk.com/mturk/externalSubmit"><b onclick="x()">Täst</b></form>"""
HOSTILE = overview("<Title>&lt;script&gt;alert(1)&lt;/script&gt;</Title>")


def fetch(url: str) -> Any:
    """Fetch the address as a frame does that has nobody's cookies."""
    parts = urlsplit(url)
    return Client(HTTP_HOST=parts.netloc).get(f"{parts.path}?{parts.query}")


def policy(page: Any) -> dict[str, str]:
    directives = (part.strip().partition(" ") for part in page["Content-Security-Policy"].split(";"))
    return {name: sources for name, _, sources in directives}


def work_on(xml: str) -> Assignment:
    return accept(open_hit(question=xml), now=timezone.now())


def begun_test(**changes: Any) -> QualificationRequest:
    now = timezone.now()
    kind = QualificationType.objects.create(
        requester=make_requester().requester,
        name="Colors",
        description="Knows colors.",
        status="Active",
        test=form(HOSTILE, question(selection("red", "blue"))),
        test_duration_s=60,
        created_at=now,
    )
    values: dict[str, Any] = {
        "type": kind,
        "worker": invite()[0],
        "status": QualificationRequest.Status.STARTED,
        "started_at": now,
        "deadline_at": now + timedelta(seconds=60),
        **changes,
    }
    return QualificationRequest.objects.create(**values)


def test_html_of_a_preview_is_framed_at_the_content_host_with_what_the_api_promises(browser: Browser) -> None:
    hit = open_hit(question=html_question(PAGE))

    url = frame_url(browser.get(group_path(hit)))

    own = frames.content_origin(hit.requester)
    assert frames.origin(url) == own == f"http://{hit.requester.external_id.lower()}.localhost:8000"
    assert query_of(url) == {
        "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE",
        "hitId": hit.external_id,
        "turkSubmitTo": settings.MARKETPLACE_URL,
    }
    scripts = f"{own}/static/marketplace"
    assert fetch(url).content.decode() == (
        f'<!DOCTYPE html><script src="{scripts}/form_addresses.js" '
        f'data-submit="{settings.MARKETPLACE_URL}/mturk/externalSubmit"></script>'
        f'<script src="{scripts}/external_hit.js"></script>\n'
        '<form action="https://www.mturk.com/mturk/externalSubmit"><b onclick="x()">Täst</b></form>'
    )


def test_html_of_accepted_work_sends_its_form_to_this_attempt(browser: Browser) -> None:
    assignment = accepted(browser, open_hit(question=html_question(PAGE)))

    url = frame_url(browser.get(work_path(assignment)))

    submit_to = query_of(url)["turkSubmitTo"]
    assert seals.read_submit(submit_to.rpartition("/")[2]) == {
        "assignment": assignment.external_id,
        "row": assignment.pk,
    }
    assert query_of(url)["workerId"] == browser.worker.external_id
    html = unsigned(fetch(url).content.decode())
    assert f'data-submit="{unsigned(submit_to)}/mturk/externalSubmit"' in html


def test_html_may_run_what_it_likes_in_an_origin_of_its_own() -> None:
    page = fetch(frames.work_url(work_on(html_question(PAGE))))

    assert policy(page) == {
        "default-src": "* data: blob: 'unsafe-inline' 'unsafe-eval'",
        "object-src": "'none'",
        "form-action": settings.MARKETPLACE_URL,
        "frame-ancestors": settings.MARKETPLACE_URL,
        "sandbox": f"{SANDBOX} allow-same-origin",
    }


def test_html_of_all_requesters_shares_a_host_only_without_an_origin(settings: LazySettings) -> None:
    settings.MARKETPLACE_CONTENT_URL = "http://content.localhost:8000"

    url = frames.work_url(work_on(html_question(PAGE)))

    assert frames.origin(url) == "http://content.localhost:8000"
    assert policy(fetch(url))["sandbox"] == SANDBOX


def test_html_is_shown_on_no_host_of_another_requester() -> None:
    work = work_on(html_question(PAGE))
    preview = frames.preview_url(work.hit)
    other = make_requester().requester

    pages = [
        fetch(url.replace(frames.content_origin(work.hit.requester), frames.content_origin(other)))
        for url in (frames.work_url(work), preview)
    ]

    assert [page.status_code for page in pages] == [404, 404]


def test_form_may_run_nothing_but_ours() -> None:
    page = fetch(frames.work_url(work_on(form(question()))))

    own = f"{settings.MARKETPLACE_CONTENT_URL} {settings.MARKETPLACE_URL}"
    assert policy(page) == {
        "default-src": "'none'",
        "script-src": own,
        "style-src": own,
        "img-src": "http: https: data:",
        "media-src": "http: https:",
        "base-uri": "'none'",
        "form-action": settings.MARKETPLACE_URL,
        "frame-ancestors": settings.MARKETPLACE_URL,
        "sandbox": SANDBOX,
    }


def test_content_sets_no_cookie_and_is_kept_by_nobody() -> None:
    forms, htmls = (open_hit(question=xml, max_assignments=2) for xml in (form(question()), html_question()))
    urls = [frames.preview_url(forms), frames.preview_url(htmls)]
    urls += [frames.work_url(accept(hit, now=timezone.now())) for hit in (forms, htmls)]

    pages = [fetch(url) for url in [*urls, frames.test_url(begun_test())]]

    assert [(page.status_code, page.cookies.output(), page.get("X-Frame-Options")) for page in pages] == [
        (200, "", None)
    ] * 5
    assert [(page["Cache-Control"], page["Referrer-Policy"]) for page in pages] == [
        ("no-store", "no-referrer")
    ] * 5


def test_form_escapes_every_word_of_the_requester() -> None:
    hostile = "<Text>&lt;img src=x onerror=alert(1)&gt; \"'&amp;</Text>"
    xml = form(
        HOSTILE,
        question(name="&lt;script&gt;", content=hostile, identifier="&lt;script&gt;"),
        question(
            '<FreeTextAnswer><DefaultText>"&gt;&lt;script&gt;</DefaultText></FreeTextAnswer>', identifier="b"
        ),
        question(selection("&lt;script&gt;"), identifier="c"),
        question(
            selection("&lt;script&gt;", before="<StyleSuggestion>dropdown</StyleSuggestion>"), identifier="d"
        ),
    )

    html = fetch(frames.work_url(work_on(xml))).content.decode()

    assert html.count("<script") == 1
    assert "<img" not in html
    assert 'value="&quot;&gt;&lt;script&gt;"' in html
    assert "&lt;img src=x onerror=alert(1)&gt; &quot;&#x27;&amp;" in html


def test_form_of_a_preview_can_be_read_and_not_sent() -> None:
    hit = open_hit(
        question=form(
            question(required=True), question(selection(), identifier="c"), question(FILE, identifier="f")
        )
    )

    page = fetch(frames.preview_url(hit))

    html = page.content.decode()
    assert "This is a preview. Accept the HIT to answer." in text_of(page)
    assert (html.count("<input"), html.count("disabled>")) == (5, 6)
    assert " action=" not in html


def test_form_of_accepted_work_names_every_field() -> None:
    assignment = work_on(
        form(question(name="Name"), question(selection("a", "b"), identifier="c", required=True))
    )

    page = fetch(frames.work_url(assignment))

    html = markup_of(page)
    assert f'action="{unsigned(frames.submit_to(assignment))}/mturk/externalSubmit"' in unsigned(html)
    assert f'<input type="hidden" name="assignmentId" value="{assignment.external_id}">' in html
    assert '<label class="legend" for="q0"><bdi>Name</bdi></label>' in html
    assert "<legend><bdi>Question 2</bdi> " in html
    assert html.count('type="radio" name="q1"') == 2
    assert "<style" not in html
    assert " style=" not in html


def test_form_of_a_test_is_sent_to_the_worker_site() -> None:
    begun = begun_test()

    page = fetch(frames.test_url(begun))

    path = f"{settings.MARKETPLACE_URL}/submit/test/"
    assert f'action="{path}' in page.content.decode()
    signed = page.content.decode().partition(f'action="{path}')[2].partition('"')[0]
    assert seals.read_submit(signed) == {"test": begun.external_id}


def test_content_that_is_over_says_so() -> None:
    returned, handed_in, late = (work_on(form(question())) for _ in range(3))
    work.return_assignment(assignment=returned, now=timezone.now())
    work.submit_assignment(assignment=handed_in, answer="<a/>", now=timezone.now())
    Assignment.objects.filter(pk=late.pk).update(deadline_at=timezone.now())
    disposed = open_hit(question=form(question()))
    HIT.objects.filter(pk=disposed.pk).update(disposed_at=timezone.now())
    lapsed = begun_test(deadline_at=timezone.now())

    urls = [frames.work_url(one) for one in (returned, handed_in, late)]
    pages = [fetch(url) for url in [*urls, frames.preview_url(disposed), frames.test_url(lapsed)]]

    assert [page.status_code for page in pages] == [410] * 5
    assert [policy(page)["sandbox"] for page in pages] == [SANDBOX] * 5


def test_content_at_an_address_that_is_not_ours_is_not_found() -> None:
    assignment = work_on(form(question()))
    row = urlsplit(frames.work_url(assignment)).path
    signed = row.split("/")[2]
    submit = seals.sign_submit({"assignment": assignment.external_id, "row": assignment.pk})
    paths = [f"/hits/{signed}/", f"/tests/{signed}/", f"/files/{signed}/", f"/work/{signed}x/", "/work/x/"]
    paths += [f"/work/{submit}/", "/", "/work/", "/history/", "/sign-out/", "/admin/"]

    own = frames.content_origin(assignment.hit.requester)
    pages = [fetch(f"{own}{path}") for path in paths]

    assert [page.status_code for page in pages] == [404] * 11
    assert [page.cookies.output() for page in pages] == [""] * 11


def test_content_is_read_only() -> None:
    url = urlsplit(frames.work_url(work_on(form(question()))))

    assert Client(HTTP_HOST=url.netloc).post(url.path).status_code == 405


def test_content_addresses_are_unknown_to_the_other_sites() -> None:
    work = work_on(html_question())
    url, own = frames.work_url(work), frames.content_origin(work.hit.requester)

    others = [settings.MARKETPLACE_URL, settings.PUBLIC_URL]
    pages = [fetch(url.replace(own, other)) for other in others]

    assert [page.status_code for page in pages] == [404, 404]
