"""Moves modules to the room of their subject, and names them anew wherever they are named.

python -m tests.moving ROOM, in a clean checkout: what tests/moves.txt has below the heading of that room. A
module that is called otherwise in its new place is so in whatever names it. Nothing else changes but the
order of imports, which ruff mends. It goes when all rooms are split.
"""

import ast
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from io import StringIO
from pathlib import Path

Names = Mapping[str, str]
ROOT = Path(__file__).parent.parent
MOVES = ROOT / "tests" / "moves.txt"
OURS = (":!tests/moves.txt", ":!tests/config/test_moving.py")
# Too general to be called by alone.
LAYERS = frozenset({"domain", "models", "queries", "services"})
IMPORT = re.compile(r"\s*from [\w.]+ import ")
EXCUSED = re.compile(r"  # noqa: \w+")
TOLD = ("*.py", "*.md", "*.toml", "*.html", "*.txt", "justfile", ".ci/*")


def main(room: str) -> None:
    moves = read_moves(MOVES.read_text(), room=room)
    defined = {package: definitions(package) for package in packages()}
    for name in tracked("*.py", *OURS):
        source = (ROOT / name).read_text()
        (ROOT / name).write_text(rename_imports(source, moves, defined))
    for name in tracked(*TOLD, *OURS):
        source = (ROOT / name).read_text()
        (ROOT / name).write_text(rename_words(source, moves))
    for old, new in moves.items():
        move(old, new)


def read_moves(text: str, *, room: str) -> dict[str, str]:
    """Those that are not made yet."""
    (own,) = (part for part in text.split("\n# ") if part.startswith(f"{room}\n"))
    lines = (line.split() for line in own.splitlines()[1:] if line.strip())
    return {old: new for old, new in lines if (ROOT / f"{_path(old)}.py").exists()}


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
    lines, called = source.split("\n"), dict[str, str]()
    tree = ast.parse(source)
    taken = bound_names(tree)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    for node in sorted(nodes, key=lambda node: -node.lineno):
        if node.module and not node.level and (found := _anew(node, moves, defined, taken, called)):
            own = slice(node.lineno - 1, node.end_lineno)
            indent, excused = " " * node.col_offset, EXCUSED.search("\n".join(lines[own]))
            lines[own] = [f"{indent}{line}{excused[0] if excused else ''}" for line in found]
    return call_modules("\n".join(lines), called)


def bound_names(tree: ast.AST) -> set[str]:
    """What the file gives a name to, beside what it imports."""
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return (
        names | arguments | {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    )


def call_modules(source: str, called: Names) -> str:
    """By their new names. An attribute or an argument of the old name is something else."""
    if not called:
        return source
    lines = source.split("\n")
    tokens = list(tokenize.generate_tokens(StringIO(source).readline))
    for before, token, after in reversed(list(zip(tokens, tokens[1:], tokens[2:], strict=False))):
        (row, start), (last, end) = token.start, token.end
        if token.type == tokenize.NAME and token.string in called:
            if before.string != "." and not (after.string == "=" and after.start[1] == end):
                lines[row - 1] = lines[row - 1][:start] + called[token.string] + lines[row - 1][end:]
        elif token.type == tokenize.STRING and token.string[0] in "fF" and row == last:
            told = _pattern(called, after=r"(?=\.)").sub(lambda found: called[found[0]], token.string)
            lines[row - 1] = lines[row - 1][:start] + told + lines[row - 1][end:]
    return "\n".join(lines)


def _anew(
    node: ast.ImportFrom,
    moves: Names,
    defined: Mapping[str, Names],
    taken: AbstractSet[str],
    called: dict[str, str],
) -> list[str]:
    """Nothing where nothing of it has moved. Modules that are called otherwise from now on join `called`."""
    module = node.module or ""
    by_module: defaultdict[str, list[str]] = defaultdict(list)
    for alias in node.names:
        place, name = _place(module, alias.name, moves, defined)
        is_free = name not in LAYERS and taken.isdisjoint({name, alias.name})
        if name != alias.name and not alias.asname and is_free:
            called[alias.name] = name
        now = alias.asname or called.get(alias.name, alias.name)
        by_module[place].append(name if name == now else f"{name} as {now}")
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
    """Dotted names in strings, and paths in documents. The longest first: one may begin another.

    What a new name begins with may be an old one: imports and new names stay as they are.
    """
    words = {**moves, **{f"{_path(old)}.py": f"{_path(new)}.py" for old, new in moves.items()}}
    words |= {new: new for new in moves.values()}
    pattern = _pattern(words)
    lines = text.split("\n")
    return "\n".join(
        line if IMPORT.match(line) else pattern.sub(lambda found: words[found[0]], line) for line in lines
    )


def _pattern(words: Iterable[str], *, after: str = r"(?!\w)") -> re.Pattern[str]:
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"(?<![\w./-])(?:{either}){after}")


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
