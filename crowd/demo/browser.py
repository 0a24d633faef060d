"""A minimal browser for simulated workers: pages, forms, cookies. Standard library only."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener
from uuid import uuid4

Fields = Sequence[tuple[str, str]]


@dataclass(kw_only=True)
class Choice:
    """A checkbox, and the address of the picture on it."""

    name: str
    value: str
    picture: str = ""


@dataclass(kw_only=True)
class Entry:
    """A text box, or one of the answers to pick from; `name` is its name in the form."""

    name: str
    entry: str
    value: str


@dataclass(kw_only=True)
class Part:
    """The contents of one fieldset: addresses of pictures, entries, and texts by their class."""

    pictures: list[str] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    said: list[tuple[str, str]] = field(default_factory=list)

    def texts(self, name: str) -> list[str]:
        return [text for named, text in self.said if named == name]


@dataclass(kw_only=True)
class Form:
    action: str
    # The addresses at which its script asks the model and reads the verdict; empty on other pages.
    ask: str = ""
    verdict: str = ""
    # What its last button says to those who only hear it.
    label: str = ""
    hidden: list[tuple[str, str]] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    # Texts of the form with the classes of their elements.
    said: list[tuple[str, str]] = field(default_factory=list)
    # The options of each list: their values and texts.
    options: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    def texts(self, name: str) -> list[str]:
        return [text for named, text in self.said if named == name]


@dataclass(kw_only=True)
class Page:
    url: str
    status: int
    forms: list[Form]
    frames: list[str]
    cues: list[str]
    # How many pictures each cue needs.
    counts: list[int]
    links: list[str]

    def form(self, ending: str) -> Form | None:
        return next((form for form in self.forms if form.action.endswith(ending)), None)


class Browser:
    """A browser that keeps the site's cookies, as a worker's own does; the frame gets none of them."""

    def __init__(self) -> None:
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))

    def get(self, url: str) -> Page:
        return self._read(url, None)

    def post(self, form: Form, answers: Fields = ()) -> Page:
        return self._read(form.action, urlencode([*form.hidden, *answers]).encode())

    def send_file(self, form: Form, answers: Fields, *, name: str, content: bytes) -> Page:
        """Send a form with a file field."""
        boundary = uuid4().hex
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{text}\r\n'.encode()
            for key, text in (*form.hidden, *answers)
        ]
        heading = f'Content-Disposition: form-data; name="{name}"; filename="picture.png"'
        parts += [f"--{boundary}\r\n{heading}\r\nContent-Type: image/png\r\n\r\n".encode(), content]
        parts += [f"\r\n--{boundary}--\r\n".encode()]
        sent = Request(form.action, data=b"".join(parts))
        sent.add_header("Content-Type", f"multipart/form-data; boundary={boundary}")
        return self._read(sent, None)

    def call(self, url: str, fields: Fields) -> dict[str, Any]:
        """Send what a page's script sends, and return the JSON that it reads."""
        with self._opener.open(url, data=urlencode(fields).encode(), timeout=30) as response:
            content: dict[str, Any] = json.load(response)
        return content

    def download(self, url: str) -> bytes:
        with self._opener.open(url, timeout=30) as response:
            content: bytes = response.read()
        return content

    def _read(self, url: str | Request, body: bytes | None) -> Page:
        try:
            response = self._opener.open(url, data=body, timeout=30)
        except HTTPError as error:
            response = error
        with response:
            reader = _PageReader(response.geturl())
            reader.feed(response.read().decode())
            return Page(
                url=response.geturl(),
                status=response.status,
                forms=reader.forms,
                frames=reader.frames,
                cues=reader.cues,
                counts=reader.counts,
                links=reader.links,
            )


class _PageReader(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.forms: list[Form] = []
        self.frames: list[str] = []
        self.cues: list[str] = []
        self.counts: list[int] = []
        self.links: list[str] = []
        self._class = ""
        self._list = ""
        self._value: str | None = None
        self._slot = ""
        self._in_form = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(self._read_form(values))
            self._in_form = True
        elif tag == "fieldset":
            self._slot = values.get("data-slot", "")
            if self.forms and "data-question" in values:
                self.forms[-1].parts.append(Part())
            self.counts += [int(values["data-k"])] if "data-k" in values else []
        elif tag == "iframe":
            self.frames.append(values["src"])
        elif tag == "a":
            self.links.append(urljoin(self.url, values.get("href", "")))
        elif tag in ("select", "button") and self.forms:
            self._read_control(tag, values)
        elif tag == "option" and self.forms:
            self._value = values.get("value")
        elif tag in ("input", "textarea") and self.forms:
            self._read_input(values)
        elif tag == "img" and self.forms:
            self._read_picture(urljoin(self.url, values["src"]))
        self._class = values.get("class", "")

    def handle_endtag(self, tag: str) -> None:
        self._in_form = self._in_form and tag != "form"

    def handle_data(self, data: str) -> None:
        if self._class == "cue":
            self.cues.append(data)
        if self._value is not None:
            self.forms[-1].options.setdefault(self._list, []).append((self._value, data.strip()))
            self._value = None
        if self._class and self._in_form:
            self.forms[-1].said.append((self._class, data))
            if self.forms[-1].parts:
                self.forms[-1].parts[-1].said.append((self._class, data))
        self._class = ""

    def _read_form(self, values: dict[str, str]) -> Form:
        action, ask, verdict = (values.get(name, "") for name in ("action", "data-ask", "data-verdict"))
        return Form(
            action=urljoin(self.url, action),
            ask=urljoin(self.url, ask) if ask else "",
            verdict=urljoin(self.url, verdict) if verdict else "",
        )

    def _read_control(self, tag: str, values: dict[str, str]) -> None:
        if tag == "select":
            self._list = values.get("name", "")
        else:
            self.forms[-1].label = values.get("aria-label", "")

    def _read_picture(self, url: str) -> None:
        form = self.forms[-1]
        if form.choices:
            form.choices[-1].picture = url
        if form.parts:
            form.parts[-1].pictures.append(url)

    def _read_input(self, values: dict[str, str]) -> None:
        pair = (values.get("name", self._slot), values.get("value", values.get("data-place", "")))
        if values.get("type") == "hidden":
            self.forms[-1].hidden.append(pair)
        elif "data-entry" in values:
            one = Entry(name=pair[0], entry=values["data-entry"], value=values.get("value", ""))
            self.forms[-1].entries.append(one)
            if self.forms[-1].parts:
                self.forms[-1].parts[-1].entries.append(one)
        elif values.get("type") == "checkbox" and "data-keys-on" not in values:
            self.forms[-1].choices.append(Choice(name=pair[0], value=pair[1]))
