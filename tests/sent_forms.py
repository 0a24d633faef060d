"""Forms as a browser sends them: read from the page, and sent with one field wrong after another."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

ERROR = "_error"
CHOSEN = ("select", "radio", "checkbox")
# Kinds of fields that a page never shows again, or fills in itself.
NOT_SHOWN = ("password", "file", "hidden")
# Values that are wrong in almost any field; in any field of text; and in a large box of text.
ANYWHERE = {"empty": "", "of another type": "no such thing \N{SNOWMAN}", "a NUL": "words\0words"}
TYPED = {**ANYWHERE, "too long": "x" * 20_000, "too large": "9" * 5_000, "not finite": "NaN"}
WRITTEN = {
    **TYPED,
    "a NUL in JSON": r'["\u0000"]',
    "half a surrogate": r'["\ud800"]',
    "not finite in JSON": "[NaN]",
    "too deep": "[" * 20_000,
}
Sent = dict[str, list[str]]
NO_FILES: Mapping[str, bytes] = {}
ITSELF: Mapping[str, str] = {}


@dataclass(kw_only=True)
class Control:
    """One name in a form, with all values that are sent under it."""

    kind: str
    values: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)


@dataclass(kw_only=True)
class SentForm:
    controls: dict[str, Control] = field(default_factory=dict)
    action: str = ""
    is_posted: bool = False
    # Name and value of the button that the Enter key presses, if it has a name.
    pressed: Sent = field(default_factory=dict)
    has_button: bool = False

    @property
    def values(self) -> Sent:
        return {name: list(control.values) for name, control in self.controls.items()}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[SentForm] = []
        self.wrong: set[str] = set()
        self._open: SentForm | None = None
        self._select: Control | None = None
        self._area: Control | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        words = found.get("id") or ""
        if words.startswith("id_") and words.endswith(ERROR):
            self.wrong.add(words.removeprefix("id_").removesuffix(ERROR))
        if tag == "form":
            is_posted = (found.get("method") or "").lower() == "post"
            self._open = SentForm(action=found.get("action") or "", is_posted=is_posted)
            self.forms.append(self._open)
        elif self._open is not None and _is_submit(tag, found):
            if not self._open.has_button and found.get("name"):
                self._open.pressed = {found["name"] or "": [found.get("value") or ""]}
            self._open.has_button = True
        elif self._open is not None and found.get("name"):
            self._take(tag, found, self._open.controls)
        elif tag == "option" and self._select is not None:
            value = found.get("value") or ""
            self._select.options.append(value)
            if "selected" in found:
                self._select.values.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select":
            self._select = None
        elif tag == "textarea" and self._area is not None:
            # HTML leaves out a line break at the start of a text area.
            self._area.values[0] = self._area.values[0].removeprefix("\n")
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area.values[0] += data

    def _take(self, tag: str, found: Mapping[str, str | None], controls: dict[str, Control]) -> None:
        name, value = found["name"] or "", found.get("value")
        kind = (found.get("type") or "text") if tag == "input" else tag
        if kind in ("submit", "button"):
            return
        control = controls.setdefault(name, Control(kind=kind))
        if tag == "select":
            self._select = control
        elif tag == "textarea":
            self._area = control
            control.values.append("")
        elif kind in CHOSEN:
            control.options.append("on" if value is None else value)
            if "checked" in found:
                control.values.append("on" if value is None else value)
        else:
            control.values.append(value or "")


def _is_submit(tag: str, found: Mapping[str, str | None]) -> bool:
    return (tag == "button" and found.get("type") in (None, "submit")) or (
        tag == "input" and found.get("type") == "submit"
    )


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A page's own form, and the names of the fields that it marks as wrong."""

    form: SentForm
    wrong: set[str]

    def says_wrong(self, name: str) -> bool:
        return any(name == one or name.startswith(f"{one}_") for one in self.wrong)


def read_page(page: Any) -> Shown:
    """Read the largest form of the page: the others sign out, or search."""
    reader = _Reader()
    reader.feed(page.content.decode())
    return Shown(form=max(reader.forms, key=lambda form: len(form.controls)), wrong=reader.wrong)


def read_forms(text: str) -> list[SentForm]:
    reader = _Reader()
    reader.feed(text)
    return reader.forms


def read_form(text: str) -> SentForm:
    """Read the first form in the text."""
    return read_forms(text)[0]


def fill_in(form: SentForm, known: Mapping[str, Sequence[str]]) -> Sent:
    """Put a valid value into each field that must not stay empty, as far as its kind tells one."""
    sent = form.values
    for name, control in form.controls.items():
        if name in known:
            sent[name] = list(known[name])
        elif control.kind in ("text", "textarea") and not any(control.values):
            sent[name] = ["words"]
        elif control.kind in ("select", "radio") and not any(control.values):
            sent[name] = [option for option in control.options if option][:1]
    return sent


def each_wrong(form: SentForm, good: Sent, *, turn: int | None) -> Iterator[tuple[str, str, Sent]]:
    """Yield each field's name, the kind of mistake, and everything that is sent.

    With a turn every third field gets one mistake: another turn takes other fields, and other mistakes.
    """
    names = [name for name in good if name != "csrfmiddlewaretoken"]
    for number, name in enumerate(names):
        mistakes = list(_wrong_in(form.controls[name].kind).items())
        if turn is not None:
            which, rest = divmod(number + turn, 3)
            mistakes = [] if rest else [mistakes[which % len(mistakes)]]
        for kind, value in mistakes:
            yield name, kind, {**good, name: [value]}


def _wrong_in(kind: str) -> Mapping[str, str]:
    if kind == "textarea":
        return WRITTEN
    return ANYWHERE if kind in (*CHOSEN, "hidden", "file") else TYPED


@contextmanager
def undone() -> Iterator[None]:
    """Roll back whatever a form writes, so that the next one finds the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def find_lost(sent: Sent, shown: Shown, *, but: str) -> list[str]:
    """Other fields whose typed or chosen values are missing from the page that came back."""
    return [
        name
        for name, control in shown.form.controls.items()
        if name != but
        and control.kind not in NOT_SHOWN
        and list(filter(None, sent.get(name, []))) != list(filter(None, control.values))
    ]


def post(client: Client, address: str, sent: Sent, files: Mapping[str, bytes] = NO_FILES) -> Any:
    """Send the form, and roll back what it writes."""
    uploads = {name: SimpleUploadedFile(f"{name}.csv", content) for name, content in files.items()}
    with undone():
        return client.post(address, {**sent, **uploads})


def refused(page: Any, form: SentForm) -> Shown | None:
    """Read the form if it was shown again; None if it was accepted, and another page was led to or shown."""
    if page.status_code == 302:
        return None
    shown = read_page(page)
    return shown if shown.form.controls.keys() >= form.controls.keys() else None


def find_faults(
    client: Client,
    address: str,
    good: Sent,
    form: SentForm,
    *,
    files: Mapping[str, bytes] = NO_FILES,
    said_at: Mapping[str, str] = ITSELF,
    turn: int | None = None,
) -> tuple[list[str], set[str]]:
    """Send the form with each field wrong in turn; list what a person would complain of.

    Also returns the fields that accepted every mistake. An exception in the view is raised here.
    """
    faults, refusing = [], set()
    for name, kind, sent in each_wrong(form, good, turn=turn):
        page = post(client, address, sent, {key: files[key] for key in files if key != name})
        shown = refused(page, form)
        if shown is None:
            continue
        lost = find_lost(sent, shown, but=name)
        if page.status_code != 200:
            faults.append(f"{name}, {kind}: answered by {page.status_code}")
        if shown.says_wrong(name) or shown.says_wrong(said_at.get(name, name)):
            refusing.add(name)
        elif form.controls[name].kind != "hidden":
            faults.append(f"{name}, {kind}: refused without a word beside it")
        if lost:
            faults.append(f"{name}, {kind}: lost what was in {', '.join(lost)}")
    asked = {name for name in good if form.controls[name].kind not in ("hidden", "checkbox")}
    return faults, asked - refusing
