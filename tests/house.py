"""Checks how modules are placed and named: `python -m tests.house` lists the faults, and CI refuses them.

The name of a module means one thing wherever it can be seen. Families never see each other, nor does the
marketplace see the rest; the layers of one room share a subject and its name. Every other name that is used
twice is reported, except for the lists below; so are folders too large to be looked through, docstrings
that go on with the name above them instead of being sentences, and lines of templates too long to be read.
"""

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
MOST_MODULES = 25
LONGEST_LINE = 120  # of a template; ruff watches those of modules
# Names that Django gives, and the layers of a room.
LAYERS = "__init__ admin api api_urls apps domain family formats gauges models queries services tasks urls"
# Nouns of the product, which mean the same everywhere.
NOUNS = "accounts assignments bonuses epochs halts hits items messages money studies wages workers"
# Names that each room may use: columns of files, errors, fields of forms, filters of lists, forms
# of pages, interfaces that others implement, registries of implementations, and what each role may do.
PARTS = "columns errors fields filters forms interface registry roles"
ALLOWED = frozenset(f"{LAYERS} {NOUNS} {PARTS}".split())
# A docstring that begins with one of these leans on the name above it instead of being a sentence.
LEANING = frozenset(
    "Of By With Without In On At To From For As Under Over Among Between Also And But Or So Then It Its "  # noqa: SIM905
    "They Their Them Those That Which Whose Nor There Here Likewise Otherwise Again Such Same Alone".split()
)


def main() -> int:
    modules = [path for path in _tracked("*.py") if "migrations" not in path.parts]
    found = [
        *two_meanings(modules),
        *large_folders(modules),
        *leaning_docstrings(modules),
        *long_lines(_tracked("*.html")),
    ]
    print("\n".join(found))  # noqa: T201
    return 1 if found else 0


def two_meanings(modules: Iterable[PurePosixPath]) -> Iterator[str]:
    by_name: defaultdict[str, list[PurePosixPath]] = defaultdict(list)
    for module in modules:
        is_command = module.parts[-2:-1] == ("commands",)
        if module.parts[0] != "tests" and not is_command and module.stem not in ALLOWED:
            by_name[module.stem].append(module)
    for name, places in sorted(by_name.items()):
        if _see_each_other(places):
            yield f"{name} means several things: {', '.join(map(str, places))}"


def large_folders(modules: Iterable[PurePosixPath]) -> Iterator[str]:
    counts: defaultdict[str, int] = defaultdict(int)
    for module in modules:
        counts[str(module.parent)] += module.stem != "__init__"
    for folder, count in sorted(counts.items()):
        if count > MOST_MODULES:
            yield f"{folder} holds {count} modules, more than {MOST_MODULES}"


def leaning_docstrings(modules: Iterable[PurePosixPath]) -> Iterator[str]:
    for module in modules:
        for line, docstring in docstrings((ROOT / module).read_text()):
            if docstring.split()[0].strip(",:;.") in LEANING:
                yield f"{module}:{line} says no whole sentence: {docstring.splitlines()[0]}"


def long_lines(templates: Iterable[PurePosixPath]) -> Iterator[str]:
    for template in templates:
        for number, line in enumerate((ROOT / template).read_text().splitlines(), start=1):
            if len(line) > LONGEST_LINE:
                yield f"{template}:{number} is {len(line)} characters long, more than {LONGEST_LINE}"


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Each docstring of a module with the line of what it documents."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and (docstring := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), docstring


def _see_each_other(places: Iterable[PurePosixPath]) -> bool:
    """Whether two of these places can see each other. Shared rooms see each other, and families see them."""
    by_world: defaultdict[str, set[str]] = defaultdict(set)
    for place in places:
        by_world[_world_of(place)].add(_room_of(place))
    by_world.pop("marketplace", None)
    shared = by_world.pop("", set())
    return len(shared) > 1 or bool(shared and by_world)


def _world_of(module: PurePosixPath) -> str:
    """The family of a module, or the marketplace; an empty text for rooms that all families see."""
    crowd, name = (*module.parts, "")[:2]
    is_family = crowd == "crowd" and (ROOT / "crowd" / name / "family.py").exists()
    return name if is_family or (crowd, name) == ("crowd", "marketplace") else ""


def _room_of(module: PurePosixPath) -> str:
    """The room of a module; for staff pages it is the room of their subject."""
    if module.parts[:2] == ("hits", "admin") and len(module.parts) > 3:
        return f"hits/{module.parts[2]}"
    return "/".join(module.parts[:2] if module.parts[0] in ("crowd", "hits") else module.parts[:1])


def _tracked(pattern: str) -> list[PurePosixPath]:
    command = ["git", "ls-files", pattern]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [PurePosixPath(name) for name in listed.splitlines()]


if __name__ == "__main__":
    sys.exit(main())
