"""Moves modules to the room of their subject, and names them anew wherever they are named.

python -m tests.moving ROOM, in a clean checkout: what of tests/moves.txt goes to that room. Nothing else
changes but the order of imports, which ruff mends. It goes when all rooms are split.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

Names = Mapping[str, str]
ROOT = Path(__file__).parent.parent
MOVES = ROOT / "tests" / "moves.txt"
EXCUSED = re.compile(r"  # noqa: \w+")
TOLD = ("*.py", "*.md", "*.toml", "*.html", "*.txt", "justfile", ".ci/*")


def main(room: str) -> None:
    moves = read_moves(MOVES.read_text(), room=room)
    defined = {package: definitions(package) for package in packages()}
    for name in tracked("*.py"):
        source = (ROOT / name).read_text()
        (ROOT / name).write_text(rename_imports(source, moves, defined))
    for name in tracked(*TOLD, ":!tests/moves.txt"):
        source = (ROOT / name).read_text()
        (ROOT / name).write_text(rename_words(source, moves))
    for old, new in moves.items():
        move(old, new)


def read_moves(text: str, *, room: str) -> dict[str, str]:
    lines = (line.split() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return {
        old: new for old, new in lines if new.split(".")[1] == room and (ROOT / f"{_path(old)}.py").exists()
    }


def tracked(*kinds: str) -> list[str]:
    return [name for name in _git("ls-files", *kinds).splitlines() if (ROOT / name).is_file()]


def packages() -> Iterator[str]:
    """Those of the rooms that give on what their modules define."""
    for name in tracked("*/__init__.py"):
        if (ROOT / name).stat().st_size:
            yield ".".join(Path(name).parts[:-1])


def definitions(package: str) -> dict[str, str]:
    """Of each name that the package gives on, the module that it comes from."""
    tree = ast.parse((ROOT / package.replace(".", "/") / "__init__.py").read_text())
    return {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
    }


def rename_imports(source: str, moves: Names, defined: Mapping[str, Names]) -> str:
    """From the last to the first, so that no line is counted twice."""
    lines = source.split("\n")
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    for node in sorted(nodes, key=lambda node: -node.lineno):
        if node.module and not node.level and (found := _anew(node, moves, defined)):
            own = slice(node.lineno - 1, node.end_lineno)
            indent, excused = " " * node.col_offset, EXCUSED.search("\n".join(lines[own]))
            lines[own] = [f"{indent}{line}{excused[0] if excused else ''}" for line in found]
    return "\n".join(lines)


def _anew(node: ast.ImportFrom, moves: Names, defined: Mapping[str, Names]) -> list[str]:
    """Nothing where nothing of it has moved."""
    module = node.module or ""
    by_module: defaultdict[str, list[str]] = defaultdict(list)
    for alias in node.names:
        place, name = _place(module, alias.name, moves, defined)
        called = alias.asname or alias.name
        by_module[place].append(name if name == called else f"{name} as {called}")
    if list(by_module) == [module] and by_module[module] == [ast.unparse(alias) for alias in node.names]:
        return []
    return [f"from {place} import {', '.join(names)}" for place, names in by_module.items()]


def _place(module: str, name: str, moves: Names, defined: Mapping[str, Names]) -> tuple[str, str]:
    if new := moves.get(f"{module}.{name}"):
        package, _, last = new.rpartition(".")
        return package, last
    source = defined.get(module, {}).get(name, module)
    return moves.get(source, module), name


def rename_words(text: str, moves: Names) -> str:
    """Dotted names in strings, and paths in documents. The longest first: one may begin another."""
    words = {**moves, **{f"{_path(old)}.py": f"{_path(new)}.py" for old, new in moves.items()}}
    return _pattern(words).sub(lambda found: words[found[0]], text)


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"(?<![\w./-])(?:{either})(?!\w)")


def _path(module: str) -> str:
    return module.replace(".", "/")


def move(old: str, new: str) -> None:
    place = ROOT / f"{_path(new)}.py"
    for folder in reversed([place.parent, *place.parent.parents]):
        if folder.is_relative_to(ROOT) and folder != ROOT and not folder.exists():
            folder.mkdir()
            (folder / "__init__.py").touch()
            _git("add", str(folder / "__init__.py"))
    _git("mv", f"{_path(old)}.py", str(place))


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout  # noqa: S607


if __name__ == "__main__":
    main(sys.argv[1])
