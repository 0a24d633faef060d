"""A browser without scripts: pages, forms, cookies if they are allowed, and never a proxy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin
from urllib.request import (
    HTTPCookieProcessor,
    HTTPHandler,
    ProxyHandler,
    Request,
    build_opener,
)

from crowd.marketplace.tools.conformance.html import Document, Form, read_document
from crowd.marketplace.tools.conformance.outcomes import Failed

PATIENCE_S = 30


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    url: str
    headers: Mapping[str, str]
    text: str
    set_cookies: list[str] = field(default_factory=list)

    @property
    def document(self) -> Document:
        return read_document(self.text)

    @property
    def frame(self) -> str:
        """The address of the only frame. Raises Failed if there is not exactly one."""
        frames = self.document.frames
        if len(frames) != 1:
            raise Failed(f"{self.url} (HTTP {self.status}) has {len(frames)} frames, not one")
        return urljoin(self.url, frames[0])

    def form(self, ending: str) -> Form:
        """The form whose action has this ending. Raises Failed if there is none."""
        for form in self.document.forms:
            if form.action.split("?")[0].endswith(ending):
                return form
        raise Failed(f"{self.url} (HTTP {self.status}) has no form for …{ending}")

    def has_form(self, ending: str) -> bool:
        return any(form.action.split("?")[0].endswith(ending) for form in self.document.forms)


class _LoopbackConnection(HTTPConnection):
    """Connects names under localhost to this machine, as browsers do; not every resolver does."""

    def connect(self) -> None:
        named = self.host
        self.host = "127.0.0.1" if named.endswith(".localhost") else named
        super().connect()
        self.host = named


class _LoopbackHandler(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_LoopbackConnection, req)


class Browser:
    """A browser that keeps cookies, or blocks all of them."""

    def __init__(self, *, cookies: bool = True) -> None:
        policy = None if cookies else DefaultCookiePolicy(allowed_domains=[])
        jar = HTTPCookieProcessor(CookieJar(policy))
        self._opener = build_opener(ProxyHandler({}), _LoopbackHandler(), jar)

    def get(self, url: str) -> Answer:
        return self.send(url)

    def post(self, url: str, fields: Iterable[tuple[str, str]]) -> Answer:
        data = urlencode(list(fields)).encode()
        return self.send(url, data=data, headers={"Content-Type": "application/x-www-form-urlencoded"})

    def submit(self, page: Answer, form: Form, *more: tuple[str, str]) -> Answer:
        """Send the form as the page fills it in, with the worker's entries."""
        filled = {name for name, _ in more}
        kept = [(name, value) for name, value in form.fields if name not in filled]
        return self.post(urljoin(page.url, form.action or page.url), [*kept, *more])

    def send(
        self, url: str, *, data: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        request = Request(url, data=data, headers=dict(headers or {}))  # noqa: S310
        try:
            response = self._opener.open(request, timeout=PATIENCE_S)
        except HTTPError as error:
            response = error
        with response:
            return Answer(
                status=response.status,
                url=response.url,
                headers={name.lower(): value for name, value in response.headers.items()},
                text=response.read().decode(errors="replace"),
                set_cookies=response.headers.get_all("Set-Cookie") or [],
            )
