"""Every file for a spreadsheet that a site offers: by a link, or by a form that asks for one."""

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from html.parser import HTMLParser
from typing import Any
from unicodedata import category
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from django.test import Client

from tests.attacks.crawling import Page, Reading

KINDS = {"csv": "csv", "xlsx": "spreadsheetml"}
SIGNS = "=+-@＝＋－＠"
# Endings of the addresses of files.
FILE = re.compile(r"\.(csv|xlsx|<slug:form>)$|(^|/)(file|files|export|download|data|list)/$")
UNSEEN = ("Cc", "Cf", "Zl", "Zp", "Zs")


@dataclass(frozen=True, kw_only=True)
class Download:
    route: str
    kind: str
    cells: list[str]
    # Cells that a spreadsheet would run.
    harmful: list[str]


@dataclass(kw_only=True)
class Form:
    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, set[str]] = field(default_factory=dict)


def take_downloads(client: Client, reading: Reading) -> Iterator[Download]:
    done: set[tuple[str, str]] = set()
    for page in reading.shown:
        if kind := kind_of(page.kind):
            yield read_download(page.route, kind, page.content)
        elif page.is_html:
            yield from _take_by_forms(client, page, done)


def _take_by_forms(client: Client, page: Page, done: set[tuple[str, str]]) -> Iterator[Download]:
    for form in forms_of(page):
        for sent, wanted in _ways_to_send(form):
            key = (page.route, wanted or form.action)
            if key in done:
                continue
            done.add(key)
            ask: Any = client.post if form.method == "post" else client.get
            answer = ask(form.action or page.address, sent)
            if kind := kind_of(answer.headers.get("Content-Type", "")):
                yield read_download(answer.resolver_match.route, kind, _content(answer))


def _ways_to_send(form: Form) -> Iterator[tuple[dict[str, str], str]]:
    """Yield the fields to send: unchanged if the form leads to a file, and for each kind that it offers."""
    if FILE.search(urlsplit(form.action).path):
        yield form.fields, ""
    for name, values in form.choices.items():
        for wanted in sorted(values & set(KINDS)):
            yield {**form.fields, name: wanted}, wanted


def _content(answer: Any) -> bytes:
    content: bytes = answer.getvalue()
    if file := getattr(answer, "file_to_stream", None):
        file.close()
    return content


def kind_of(content_type: str) -> str:
    return next((kind for kind, part in KINDS.items() if part in content_type), "")


def read_download(route: str, kind: str, content: bytes) -> Download:
    cells, formulas = _read_csv(content) if kind == "csv" else _read_xlsx(content)
    return Download(route=route, kind=kind, cells=cells, harmful=formulas)


def _read_csv(content: bytes) -> tuple[list[str], list[str]]:
    text = content.decode("utf-8-sig")
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    return cells, [cell for cell in cells if would_run(cell)]


def _read_xlsx(content: bytes) -> tuple[list[str], list[str]]:
    """Texts and formulas of the file. A text there is a text whatever it begins with; only a formula runs."""
    cells, formulas = [], []
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        for name in book.namelist():
            if not name.startswith("xl/worksheets/"):
                continue
            tree = ET.fromstring(book.read(name))  # noqa: S314 -- our own file
            formulas += [one.text or "" for one in tree.iter() if one.tag.endswith(("}f", "}hyperlink"))]
            cells += [one.text or "" for one in tree.iter() if one.tag.endswith("}t")]
        if "xl/sharedStrings.xml" in book.namelist():
            shared = ET.fromstring(book.read("xl/sharedStrings.xml"))  # noqa: S314
            cells += [one.text or "" for one in shared.iter() if one.tag.endswith("}t")]
    return cells, formulas


def would_run(cell: str) -> bool:
    """Whether a spreadsheet that drops invisible characters would take the cell for a formula."""
    first = next((sign for sign in cell if category(sign) not in UNSEEN), "")
    begins = cell[:1] in ("\t", "\r", "\n") or (first != "" and first in SIGNS)
    return begins and not _is_number(cell)


def _is_number(cell: str) -> bool:
    try:
        return Decimal(cell).is_finite()
    except InvalidOperation:
        return False


def forms_of(page: Page) -> list[Form]:
    reader = _Forms()
    reader.feed(page.text)
    return reader.forms


class _Forms(HTMLParser):
    """A parser of forms, as a browser would send them unchanged, and of the choices that they offer."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            action, method = found.get("action", ""), found.get("method", "get").lower()
            self.forms.append(Form(action=action, method=method))
        elif self.forms and tag in ("input", "button", "textarea", "select", "option"):
            self._note(self.forms[-1], tag, found)

    def _note(self, form: Form, tag: str, found: dict[str, str]) -> None:
        name = self._select if tag == "option" else found.get("name", "")
        self._select = name if tag in ("select", "option") else ""
        if not name:
            return
        value = found.get("value", "")
        if tag in ("option", "button") or found.get("type") in ("radio", "checkbox", "submit"):
            form.choices.setdefault(name, set()).add(value)
        chosen = {"selected", "checked"} & set(found) or found.get("type") not in ("radio", "checkbox")
        if tag in ("option", "input", "textarea") and chosen:
            form.fields.setdefault(name, value) if tag == "option" else form.fields.update({name: value})
