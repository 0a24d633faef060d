"""The parts of a page that a worker's browser uses: forms, links, frames."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(frozen=True, kw_only=True)
class Form:
    action: str
    fields: list[tuple[str, str]] = field(default_factory=list)  # as the page fills them in
    names: list[str] = field(default_factory=list)  # names of all fields that a worker may fill in
    choices: list[tuple[str, str]] = field(default_factory=list)  # of radio buttons, boxes, lists

    @property
    def boxes(self) -> list[list[tuple[str, str]]]:
        """The choices of each question, in the order of the page."""
        names = dict.fromkeys(name for name, _ in self.choices)
        return [[choice for choice in self.choices if choice[0] == name] for name in names]


@dataclass(frozen=True, kw_only=True)
class Document:
    forms: list[Form] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    sandboxes: list[str] = field(default_factory=list)  # of the frames


def read_document(text: str) -> Document:
    reader = _Reader()
    reader.feed(text)
    return reader.document


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.document = Document()
        self._form: Form | None = None
        self._list = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(action=values.get("action", ""))
            self.document.forms.append(self._form)
        elif tag == "a" and "href" in values:
            self.document.links.append(values["href"])
        elif tag == "iframe":
            self.document.frames.append(values.get("src", ""))
            self.document.sandboxes.append(values.get("sandbox", ""))
        elif self._form:
            self._read_field(self._form, tag, values)

    def _read_field(self, form: Form, tag: str, values: dict[str, str]) -> None:
        name, kind = values.get("name", ""), values.get("type", "text")
        if tag == "option" and self._list:
            form.choices.append((self._list, values.get("value", "")))
        if tag == "select":
            self._list = name
        if not name:
            return
        if tag == "input" and kind in ("radio", "checkbox"):
            form.choices.append((name, values.get("value", "on")))
            if "checked" in values:
                form.fields.append((name, values.get("value", "on")))
        elif tag == "input" and kind != "submit":
            form.fields.append((name, values.get("value", "")))
        if tag in ("input", "textarea", "select"):
            form.names.append(name)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._list = ""
