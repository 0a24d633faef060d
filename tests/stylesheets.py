"""Reads every stylesheet for what is wrong, double, left over or unlisted. `python -m tests.stylesheets`"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import django
import tinycss2

ROOT = Path(__file__).parent.parent
ROOMS = ("config", "crowd", "hits", "qualifications", "scoring")
THEIRS = Path(django.__file__).parent / "contrib/admin"
NAMING = ("*.html", "*.js", "*.py")
SHEETS = {"base", "site", "work", "admin", "tables", "cards"}
VARIABLE = re.compile(r"var\(\s*(--[\w-]+)")
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
WORD = re.compile(r"[\w-]+")
# A page in Hebrew is read from right to left: sides are the start and the end of a line.
SIDE = re.compile(r"(?:^|-)(?:left|right)(?:-|$)")
ONE_SIDE = {"text-align", "float", "clear"}
FOUR_SIDES = {"margin", "padding", "inset"}
# What a template gives to an element: its class, or the width of its page.
GIVEN = re.compile(r"""class="((?:[^"{]|{%.*?%}|{{.*?}})*)"|{% block width %}([^{]*)""")


@dataclass(frozen=True, kw_only=True)
class Declared:
    """One declaration, and where it stands."""

    name: str
    value: str
    line: int
    is_important: bool


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Declarations under one selector. Those inside of @media and its like know what they are inside of."""

    selector: str
    within: str
    line: int
    declared: list[Declared]


@dataclass
class Sheet:
    path: Path
    head: str = ""
    rules: list[Rule] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def stylesheets() -> list[Path]:
    return sorted(path for room in ROOMS for path in (ROOT / room).rglob("static/**/*.css"))


def read_sheet(path: Path) -> Sheet:
    text = path.read_text()
    sheet = Sheet(path, head=text.partition("*/")[0] if text.startswith("/*") else "")
    nodes = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    _read_rules(nodes, sheet, within="")
    return sheet


def _read_rules(nodes: Iterable[Any], sheet: Sheet, *, within: str) -> None:
    for node in nodes:
        if node.type == "error":
            sheet.errors.append(f"{node.source_line}: {node.message}")
        elif node.type == "at-rule" and node.content is not None:
            inside = f"{within} @{node.lower_at_keyword} {tinycss2.serialize(node.prelude).strip()}"
            inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
            _read_rules(inner, sheet, within=inside.strip())
        elif node.type == "qualified-rule":
            _read_block(node, sheet, within=within)


def _read_block(node: Any, sheet: Sheet, *, within: str) -> None:
    selector = " ".join(tinycss2.serialize(node.prelude).split())
    content = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
    declared = [
        Declared(
            name=one.lower_name if not one.name.startswith("--") else one.name,
            value=tinycss2.serialize(one.value).strip(),
            line=one.source_line,
            is_important=one.important,
        )
        for one in content
        if one.type == "declaration"
    ]
    sheet.rules.append(Rule(selector=selector, within=within, line=node.source_line, declared=declared))
    _read_rules((one for one in content if one.type != "declaration"), sheet, within=f"{within} {selector}")


def faults_of(sheet: Sheet) -> Iterator[str]:
    """What one file shows by itself."""
    yield from sheet.errors
    seen = Counter((rule.within, rule.selector) for rule in sheet.rules)
    for rule in sheet.rules:
        if not rule.declared:
            yield f"{rule.line}: {rule.selector} says nothing"
        if seen.pop((rule.within, rule.selector), 1) > 1:
            yield f"{rule.line}: {rule.selector} stands twice"
        names = Counter(one.name for one in rule.declared)  # the first of them is told
        for one in rule.declared:
            if names.pop(one.name, 1) > 1:
                yield f"{one.line}: {one.name} is said twice in {rule.selector}"
            if _names_a_side(one):
                yield f"{one.line}: {one.name}: {one.value} names a side; say start or end"
            if one.is_important:
                yield f"{one.line}: !important; a selector that fits better needs none"


def _names_a_side(one: Declared) -> bool:
    match one.value.split():
        case [_, right, _, left] if one.name in FOUR_SIDES and "(" not in one.value:
            return right != left
        case _:
            return bool(SIDE.search(one.name)) or (one.name in ONE_SIDE and bool(SIDE.search(one.value)))


def faults_between(sheets: list[Sheet], *, named: set[str], theirs: str) -> Iterator[tuple[Path, str]]:
    """What only all of them together show: names that nobody gives, or nobody uses."""
    known = set(WORD.findall(theirs))
    given = {one.name for _, one in _declarations(sheets) if one.name.startswith("--")} | known
    used = {name for _, one in _declarations(sheets) for name in VARIABLE.findall(one.value)} | known
    classes = named | known
    listed = {word for sheet in sheets for word in WORD.findall(sheet.head)} | known
    for path, one in _declarations(sheets):
        for name in VARIABLE.findall(one.value):
            if name not in given:
                yield path, f"{one.line}: {name} is defined nowhere"
        if one.name.startswith("--") and one.name not in used:
            yield path, f"{one.line}: {one.name} is used nowhere"
    for sheet in sheets:
        for rule in sheet.rules:
            for name in CLASS.findall(re.sub(r"\"[^\"]*\"", "", rule.selector)):
                # Django makes classes of its fields' names.
                if name.removeprefix("field-") not in classes:
                    yield sheet.path, f"{rule.line}: nothing has the class {name}"
                if name not in listed and not name.startswith("field-"):
                    yield sheet.path, f"{rule.line}: {name} is in no list of parts"


def _declarations(sheets: list[Sheet]) -> Iterator[tuple[Path, Declared]]:
    for sheet in sheets:
        for rule in sheet.rules:
            for one in rule.declared:
                yield sheet.path, one


def named_words() -> set[str]:
    """Every word that a template, a script or a module could give to an element as its class."""
    sources = [path for room in ROOMS for kind in NAMING for path in (ROOT / room).rglob(kind)]
    return {word for path in sources for word in WORD.findall(_naming(path))}


def _naming(path: Path) -> str:
    text = path.read_text()
    return text if path.suffix != ".html" else " ".join(" ".join(found) for found in GIVEN.findall(text))


def find_faults() -> list[str]:
    sheets = [read_sheet(path) for path in stylesheets()]
    theirs = " ".join(path.read_text() for kind in ("*.css", "*.html") for path in THEIRS.rglob(kind))
    own = [(sheet.path, fault) for sheet in sheets for fault in faults_of(sheet)]
    between = list(faults_between(sheets, named=named_words(), theirs=theirs))
    return [f"{path.relative_to(ROOT)}:{fault}" for path, fault in own + between]


def main() -> int:
    faults = find_faults()
    for fault in faults:
        print(fault)  # noqa: T201
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
