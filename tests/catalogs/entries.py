"""Catalogs of translations: their entries, and the files that translators edit (.po)."""

import ast
import gettext
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

# The file of a language below the folder of all.
PLACE = "LC_MESSAGES/django.po"
LINE = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s+)?(".*")\s*', re.ASCII)
PLURALS = re.compile(r"nplurals\s*=\s*(\d+)\s*;\s*plural\s*=\s*([^;]+)")
# What a program puts in where it formats a text.
PUT_IN = r"%\([\w.]+\)[a-z]|%[sd]"
FORMATTED = re.compile(PUT_IN, re.ASCII)
ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t"})
# Names of texts in the order in which a file has them.
CONTEXT, ONE, MANY = "msgctxt", "msgid", "msgid_plural"


@dataclass(frozen=True, order=True, kw_only=True)
class Text:
    """A text as it stands in the code. A plural may be said of the same text elsewhere."""

    one: str
    context: str = ""
    many: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True)
class Entry:
    text: Text
    said: tuple[str, ...]
    is_fuzzy: bool = False

    @property
    def is_said(self) -> bool:
        return all(self.said) and not self.is_fuzzy


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """What one language says. Its plural rule is that of its header."""

    language: str
    plurals: str
    entries: tuple[Entry, ...] = ()

    @property
    def forms(self) -> int:
        found = PLURALS.search(self.plurals)
        return int(found[1]) if found else 0

    @property
    def form_of(self) -> Callable[[int], int]:
        """The number of the form in which a number of things is said."""
        found = PLURALS.search(self.plurals)
        return _form_of(found[2] if found else "0")

    @property
    def left(self) -> list[Entry]:
        """Entries that are not translated yet."""
        return [entry for entry in self.entries if not entry.is_said]


_form_of = cache(gettext.c2py)  # it compiles a function


def catalogs_in(folder: Path) -> Iterator[tuple[Path, Catalog]]:
    for path in sorted(folder.glob(f"*/{PLACE}")):
        yield path, read_catalog(path.read_text(encoding="utf-8"))


def read_catalog(source: str) -> Catalog:
    """Read a file of any tool. Comments are left out, and so is what was translated once (#~)."""
    header: dict[str, str] = {}
    entries = []
    for block in re.split(r"\n\s*\n", source):
        entry = _read_entry(block.splitlines())
        if entry and entry.text == Text(one=""):
            lines = (line.partition(":") for line in entry.said[0].splitlines())
            header = {name: value.strip() for name, _, value in lines}
        elif entry:
            entries.append(entry)
    language, plurals = header.get("Language", ""), header.get("Plural-Forms", "")
    return Catalog(language=language, plurals=plurals, entries=tuple(entries))


def _read_entry(lines: Iterable[str]) -> Entry | None:
    texts: dict[str, str] = {}
    name, is_fuzzy = "", False
    for line in map(str.strip, lines):
        if line.startswith("#"):
            is_fuzzy = is_fuzzy or (line.startswith("#,") and "fuzzy" in line)
        elif found := LINE.fullmatch(line):
            name = found[1] or name
            texts[name] = texts.get(name, "") + ast.literal_eval(found[2])
        elif line:
            raise ValueError(f"This line is no part of a catalog: {line}")
    if ONE not in texts:
        return None
    text = Text(one=texts[ONE], context=texts.get(CONTEXT, ""), many=texts.get(MANY, ""))
    said = tuple(texts[key] for key in texts if key.startswith("msgstr"))
    return Entry(text=text, said=said, is_fuzzy=is_fuzzy)


def merge(catalog: Catalog, texts: Iterable[Text]) -> Catalog:
    """Return the catalog with exactly these texts, sorted. What it says of the same text stays."""
    known = {entry.text: entry for entry in catalog.entries}
    return replace(catalog, entries=tuple(_entry(text, known, catalog.forms) for text in sorted(texts)))


def _entry(text: Text, known: dict[Text, Entry], forms: int) -> Entry:
    entry = known.get(text)
    if entry and bool(entry.text.many) == bool(text.many):
        return replace(entry, text=text)
    return Entry(text=text, said=("",) * (forms if text.many else 1))


def write_catalog(catalog: Catalog) -> str:
    """Write a file that is the same whoever made it: no dates, no places, one line a text."""
    first = Entry(text=Text(one=""), said=(header_of(catalog),))
    return "\n".join("\n".join(_lines(entry)) + "\n" for entry in (first, *catalog.entries))


def header_of(catalog: Catalog) -> str:
    return (
        "Project-Id-Version: crowd\n"
        f"Language: {catalog.language}\n"
        "MIME-Version: 1.0\n"
        "Content-Type: text/plain; charset=UTF-8\n"
        "Content-Transfer-Encoding: 8bit\n"
        f"Plural-Forms: {catalog.plurals}\n"
    )


def _lines(entry: Entry) -> Iterator[str]:
    text = entry.text
    if flags := ["fuzzy"] * entry.is_fuzzy + ["python-format"] * bool(FORMATTED.search(text.one + text.many)):
        yield f"#, {', '.join(flags)}"
    if text.context:
        yield _line(CONTEXT, text.context)
    yield _line(ONE, text.one)
    if text.many:
        yield _line(MANY, text.many)
        yield from (_line(f"msgstr[{number}]", said) for number, said in enumerate(entry.said))
    else:
        yield from (_line("msgstr", said) for said in entry.said)


def _line(name: str, text: str) -> str:
    lines = [f'"{line.translate(ESCAPES)}"' for line in text.splitlines(keepends=True)] or ['""']
    return f"{name} {lines[0]}" if len(lines) == 1 else "\n".join((f'{name} ""', *lines))
