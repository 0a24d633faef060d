"""The texts of the code that are marked for translation, and where they stand.

They are those that Django's makemessages finds, without xgettext: modules are read by their syntax tree, and
templates by Django's own reader of its tags.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

from tests.catalogs.entries import Text

ROOMS = ("config", "crowd", "hits", "qualifications", "scoring")
# Pages of staff are in English, and mark a text only to say it of one or of many.
OF_STAFF = "admin"
MODULE = "django.utils.translation"
KINDS = ("py", "html", "txt")
# What each function is given beside the text: a context before it, a plural after it.
MARKS = {
    "gettext": (False, False),
    "gettext_noop": (False, False),
    "gettext_lazy": (False, False),
    "ngettext": (False, True),
    "ngettext_lazy": (False, True),
    "pgettext": (True, False),
    "pgettext_lazy": (True, False),
    "npgettext": (True, True),
    "npgettext_lazy": (True, True),
}
STRING = r"""u?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
CALL = re.compile(rf"(?<!\w)(_|n?p?gettext)\(({STRING}(?:\s*,\s*{STRING})*)\s*(?:,\s*count)?\)", re.DOTALL)


def texts_of(root: Path) -> dict[Text, list[str]]:
    """Return each text once, with its plural if it has one anywhere, and the places where it stands."""
    places: defaultdict[Text, list[str]] = defaultdict(list)
    plurals: dict[Text, Text] = {}
    for path in _sources(root):
        for line, text in _texts_in(path):
            places[text].append(f"{path.relative_to(root)}:{line}")
            if text.many:
                plurals[text] = text
    return {plurals.get(text, text): places[text] for text in sorted(places)}


def _sources(root: Path) -> list[Path]:
    found = (path for room in ROOMS for kind in KINDS for path in (root / room).rglob(f"*.{kind}"))
    return sorted(path for path in found if OF_STAFF not in path.relative_to(root).parts)


def _texts_in(path: Path) -> Iterator[tuple[int, Text]]:
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from texts_of_module(source) if MODULE in source else ()
    elif "trans" in source or "_(" in source:
        yield from texts_of_template(source)


def texts_of_module(source: str) -> Iterator[tuple[int, Text]]:
    tree = ast.parse(source)
    imported = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == MODULE)
    names = {name.asname or name.name: name.name for node in imported for name in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            given = [one.value for one in node.args if isinstance(one, ast.Constant)]
            yield from _marked(
                names[node.func.id], [one for one in given if isinstance(one, str)], node.lineno
            )


def texts_of_template(source: str) -> Iterator[tuple[int, Text]]:
    marked = templatize(source)
    for found in CALL.finditer(marked):
        name = "gettext" if found[1] == "_" else found[1]
        given = [ast.literal_eval(one) for one in re.findall(STRING, found[2], re.DOTALL)]
        yield from _marked(name, given, marked.count("\n", 0, found.start()) + 1)


def _marked(name: str, given: list[str], line: int) -> Iterator[tuple[int, Text]]:
    if name not in MARKS:
        return
    has_context, has_plural = MARKS[name]
    if len(given) >= 1 + has_context + has_plural:
        context = given[0] if has_context else ""
        one, *more = given[has_context:]
        yield line, Text(one=one, context=context, many=more[0] if has_plural else "")
