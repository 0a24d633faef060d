"""A worker at the worker site, by plain HTTP."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from crowd.marketplace.tools.conformance.browser import Answer, Browser
from crowd.marketplace.tools.conformance.outcomes import Failed, expect, same

MOST_PAGES = 200


@dataclass(frozen=True, kw_only=True)
class Work:
    """Accepted work as its page shows it."""

    page: Answer
    frame: str

    @property
    def query(self) -> dict[str, str]:
        return query_of(self.frame)

    @property
    def assignment_id(self) -> str:
        return self.query["assignmentId"]


@dataclass(frozen=True, kw_only=True)
class Worker:
    external_id: str
    site: str
    browser: Browser = field(repr=False)

    def sign_in(self, invitation: str) -> None:
        page = self.browser.get(invitation)
        same("HTTP status of the invitation", page.status, 200)
        expect(page.document.forms, f"the invitation has no form (HTTP {page.status})")
        entered = self.browser.submit(page, page.document.forms[0])
        same("HTTP status after signing in", entered.status, 200)

    def preview(self, hit: dict[str, Any]) -> Answer:
        return self.browser.get(f"{self.site}/groups/{hit['HITTypeId']}/")

    def lists(self, hit: dict[str, Any]) -> bool:
        """Whether any page of the list names the HIT's title."""
        url, seen = f"{self.site}/", set[str]()
        while url not in seen and len(seen) < MOST_PAGES:
            seen.add(url)
            page = self.browser.get(url)
            if hit["Title"] in page.text:
                return True
            url = next((urljoin(page.url, link) for link in page.document.links if _is_next(link)), url)
        return False

    def try_accept(self, hit: dict[str, Any]) -> Work | None:
        """The work, or None if the site does not give it to this worker."""
        preview = self.preview(hit)
        if not preview.has_form("/accept/"):
            return None
        page = self.browser.submit(preview, preview.form("/accept/"))
        if not page.document.frames:
            return None
        return Work(page=page, frame=page.frame)

    def accept(self, hit: dict[str, Any]) -> Work:
        work = self.try_accept(hit)
        if work is None:
            raise Failed(f"worker {self.external_id} cannot accept HIT {hit['HITId']}")
        same("hitId in the frame's address", work.query["hitId"], hit["HITId"])
        return work

    def give_back(self, work: Work) -> None:
        page = self.browser.submit(work.page, work.page.form("/return/"))
        same("HTTP status after returning", page.status, 200)

    def submit(self, work: Work, fields: Iterable[tuple[str, str]] = (("answer", "yes"),)) -> Answer:
        """Submit as the question page in the frame does; it has no cookie of ours."""
        return submit_frame(work.frame, fields)

    def take_test(self, type_id: str, ticked: Mapping[int, Iterable[int]]) -> None:
        """Take a test, ticking boxes by the numbers of question and selection, both counted from 0."""
        page = self.browser.get(f"{self.site}/qualifications/{type_id}/")
        test = self.browser.submit(page, page.form("/begin/"))
        question = Browser(cookies=False).get(test.frame)
        expect(question.document.forms, f"the test has no form (HTTP {question.status})")
        form = question.document.forms[0]
        boxes = [
            form.boxes[number][selection] for number, selections in ticked.items() for selection in selections
        ]
        answer = Browser(cookies=False).submit(question, form, *boxes)
        same("HTTP status of the test's answer", answer.status, 200)

    def do(self, hit: dict[str, Any]) -> str:
        """Accept and submit a HIT; return the assignment's id."""
        work = self.accept(hit)
        same("HTTP status of handing in", self.submit(work).status, 200)
        return work.assignment_id


def submit_frame(frame: str, fields: Iterable[tuple[str, str]]) -> Answer:
    query = query_of(frame)
    url = f"{query['turkSubmitTo'].rstrip('/')}/mturk/externalSubmit"
    return Browser(cookies=False).post(url, [("assignmentId", query["assignmentId"]), *fields])


def query_of(url: str) -> dict[str, str]:
    """The parameters of an address. Raises Failed if one appears twice."""
    pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    same("parameters that appear twice", len(pairs), len(dict(pairs)))
    return dict(pairs)


def _is_next(link: str) -> bool:
    return "after=" in link or "page=" in link
