"""Every event in the audit log has a subject by which the log's list can be narrowed."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from hits.core.audit_subjects import SUBJECTS

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("hits", "scoring", "qualifications", "crowd", "config")
WRITES = re.compile(r"\baudit_trail\b|AuditEvent\.objects\.create")
WRITERS = ("note", "_note")
KIND = re.compile(r"[a-z_]+\.[a-z_]*")


def kinds_in(text: str) -> Iterator[str]:
    """Kinds of the events that a module writes, or how those kinds begin."""
    nodes = list(ast.walk(ast.parse(text)))
    named = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.Call):
            given = [word.value for word in node.keywords if word.arg == "kind"]
            given += node.args[:1] if _name_of(node.func) in WRITERS else []
            found = (named.get(one.id, one) if isinstance(one, ast.Name) else one for one in given)
            yield from (kind for one in found for kind in _texts(one) if KIND.fullmatch(kind))


def _name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _texts(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            yield text
        case ast.IfExp():
            yield from (*_texts(node.body), *_texts(node.orelse))


def test_kinds_are_read_from_every_way_of_writing_them() -> None:
    lines = ['A = "a.b"', "note(A)", 'note("c.d", x)', '_note(f"e.{f}")', 'put(kind="g.h" if x else "i.j")']
    text = "\n".join([*lines, 'log.info("k.l")', 'note("Words. And more.")'])

    assert sorted(kinds_in(text)) == ["a.b", "c.d", "e.", "g.h", "i.j"]


def test_every_kind_of_event_has_a_subject() -> None:
    modules = (path.read_text() for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    kinds = {kind for text in modules if WRITES.search(text) for kind in kinds_in(text)}

    lost = {kind for kind in kinds if not kind.startswith(tuple(SUBJECTS))}

    assert lost == set()
    assert len(kinds) > 60
