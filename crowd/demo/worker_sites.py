"""Where simulated workers find work and hand it in: what a person does around a question page."""

from abc import ABC, abstractmethod
from http import HTTPStatus
from urllib.parse import urlencode

from crowd.demo.browser import Browser, Form, Page
from hits.core.errors import CrowdError


class WorkerSite(ABC):
    """One worker's use of a platform's site. `browser` is the one that reads our question pages."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    @abstractmethod
    def sign_in(self, address: str) -> None:
        """Sign in by the address that the worker was given."""

    @abstractmethod
    def accept(self, title: str) -> Page | None:
        """Accept work, and return its question page. None: there is none.

        `title`: only work that is called so; empty for any.
        """

    @abstractmethod
    def give_back(self) -> None:
        """Give back the work that was accepted last."""

    @abstractmethod
    def hand_in(self, saved: Page) -> None:
        """Hand in, from the page that says that the answer is saved."""


class MarketplaceSite(WorkerSite):
    """Our own marketplace, which frames the question page; the frame gets none of the site's cookies."""

    def __init__(self, browser: Browser) -> None:
        super().__init__(browser)
        self._site = Browser()

    def sign_in(self, address: str) -> None:
        page = self._site.get(address)
        if page.status != HTTPStatus.OK or not page.forms:
            raise CrowdError("A worker's invitation was not accepted.")
        self._home = self._site.post(page.forms[0]).url

    def accept(self, title: str) -> Page | None:
        listed = f"{self._home}?{urlencode({'q': title})}" if title else self._home
        offer = self._site.get(listed).form("/accept/")
        if offer is None:
            return None
        self._work = self._site.post(offer)
        return self._browser.get(self._work.frames[0]) if self._work.frames else None

    def give_back(self) -> None:
        self._site.post(_expect(self._work, "/return/"))

    def hand_in(self, saved: Page) -> None:
        _check(self._browser.post(_expect(saved, "/mturk/externalSubmit")))


class ParticipantsSite(WorkerSite):
    """Prolific's side in its stand-in. Nobody takes part twice there, so each work is somebody new's."""

    def sign_in(self, address: str) -> None:
        self._people = address

    def accept(self, title: str) -> Page | None:
        self._home = self._browser.post(_expect(self._browser.get(self._people), "/participants/"))
        offers = [form for form in self._home.forms if form.action.endswith("/take-part/")]
        offer = next((form for form in offers if title in form.label), None)
        return self._browser.post(offer) if offer else None

    def give_back(self) -> None:
        self._browser.post(_expect(self._browser.get(self._home.url), "/return/"))

    def hand_in(self, saved: Page) -> None:
        last = _expect(saved, "/submissions/complete")
        _check(self._browser.get(f"{last.action}?{urlencode(last.hidden)}"))


def _expect(page: Page, ending: str) -> Form:
    form = page.form(ending)
    if form is None:
        raise CrowdError(f"{page.url} answered {page.status} without a form for {ending}.")
    return form


def _check(handed_in: Page) -> None:
    if handed_in.status != HTTPStatus.OK:
        raise CrowdError(f"Handing in was refused: {handed_in.status} {handed_in.url}")
