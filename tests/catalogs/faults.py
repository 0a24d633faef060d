"""What is wrong with a catalog, in sentences that say what to do."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from tests.catalogs.compiling import compile_catalog
from tests.catalogs.entries import PUT_IN, Catalog, Entry, Text, write_catalog

REFRESH = "run python -m tests.catalogs refresh"
# A doubled sign of percent stands for itself, whatever follows it.
PLACEHOLDER = re.compile(rf"%%|{PUT_IN}|\{{\w*\}}", re.ASCII)
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
ENOUGH = 200  # numbers of things that are asked for the form in which they are said
SHOWN = 60


def faults_of(catalog: Catalog, *, code: str, texts: Collection[Text]) -> Iterator[str]:
    """Yield what is wrong with a catalog; one that is not complete yet may have empty texts."""
    if catalog.language != code:
        yield f"its header says Language: {catalog.language}, its folder {code}"
    if not catalog.forms:
        yield "its header has no Plural-Forms"
    yield from _differences(catalog, texts)
    for entry in catalog.entries:
        for fault in _faults_in(entry, catalog):
            yield f"“{_short(entry.text.one)}” {fault}"


def unsaid(catalog: Catalog) -> Iterator[str]:
    """Yield the texts that keep a language from being offered."""
    for entry in catalog.left:
        is_fuzzy = entry.is_fuzzy and all(entry.said)
        yield f"“{_short(entry.text.one)}” {'is fuzzy' if is_fuzzy else 'is not translated'}"


def faults_of_files(path: Path, catalog: Catalog) -> Iterator[str]:
    """Yield where a catalog's two files are not as `refresh` writes them."""
    compiled = path.with_suffix(".mo")
    if path.read_text(encoding="utf-8") != write_catalog(catalog):
        yield f"the file is not as it is kept: {REFRESH}"
    if compiled.exists() and compiled.read_bytes() != compile_catalog(catalog):
        yield f"{compiled.name} is not what {path.name} says: {REFRESH}"


def _differences(catalog: Catalog, texts: Collection[Text]) -> Iterator[str]:
    held = Counter(entry.text for entry in catalog.entries)
    plurals = {entry.text: entry.text.many for entry in catalog.entries}
    for text in texts:
        if text not in held:
            yield f"“{_short(text.one)}” stands in the code and not here: {REFRESH}"
        elif text.many != plurals[text]:
            yield f"“{_short(text.one)}” has another plural in the code: {REFRESH}"
    for text, times in held.items():
        if text not in texts:
            yield f"“{_short(text.one)}” no longer stands in the code: {REFRESH}"
        if times > 1:
            yield f"“{_short(text.one)}” stands here {times} times: {REFRESH}"


def _faults_in(entry: Entry, catalog: Catalog) -> Iterator[str]:
    wanted = catalog.forms if entry.text.many else 1
    if len(entry.said) != wanted:
        yield f"has {len(entry.said)} forms, where the language has {wanted}"
        return
    for form, said in enumerate(entry.said):
        if said:
            source = _source_of(entry.text, form, catalog)
            yield from _faults_between(entry.text, source, said, counts=_counts(form, catalog))


def _source_of(text: Text, form: int, catalog: Catalog) -> str:
    return text.many if text.many and catalog.form_of(1) != form else text.one


def _counts(form: int, catalog: Catalog) -> bool:
    """Whether a form is said of several numbers, so that it has to say which."""
    return sum(catalog.form_of(number) == form for number in range(ENOUGH)) > 1


def _faults_between(text: Text, source: str, said: str, *, counts: bool) -> Iterator[str]:
    known = _placeholders(text.one + text.many)
    wanted, found = _placeholders(source), _placeholders(said)
    for name in sorted(found - known):
        yield f"is said with {name}, which the text does not have"
    lost = sorted(wanted - found)
    # A form for exactly one number may leave the number out.
    if len(lost) > (0 if counts or not text.many else 1):
        yield f"is said without {', '.join(lost)}"
    if "%" in "".join(known) and "%" in PLACEHOLDER.sub("", said):
        yield "is said with a single %, which has to be %%"
    if Counter(TAG.findall(source)) != Counter(TAG.findall(said)):
        yield "is said with other tags"
    if (source[:1] == "\n", source[-1:] == "\n") != (said[:1] == "\n", said[-1:] == "\n"):
        yield "begins or ends with a line break in one of the two"


def _placeholders(text: str) -> set[str]:
    return {*PLACEHOLDER.findall(text)} - {"%%"}


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
