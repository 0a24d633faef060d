"""Texts that would be elements, scripts, formulas or templates, in every column that holds a text."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urlsplit

from django.db import DatabaseError, connections, models, transaction

from tests.attacks.rows import database_of, tables

# A name that nothing of ours has.
MARK = "zq"
PRODUCT = "36084049"  # of the template below
# Signs that begin a spreadsheet's formula.
SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", " =", "\u200b=", "＝")
LONG = (
    f"{MARK}'\"><{MARK} {MARK}=1></script></style></title></textarea></select><{MARK} {MARK}=1>"
    "{{6007*6007}}{% now %}%00\\u0000\u202e\x01&lt;&#0;"
)
MIDDLE = f"{MARK}'\"><{MARK} {MARK}=1>"
SHORT = f"'\"><{MARK}>"
SHORTEST = 8
ADDRESS_ATTRIBUTES = ("href", "src", "action", "formaction", "poster", "data", "background", "ping")
RUNS = ("javascript", "vbscript", "data")
VOID_DATA = ("application/json", "application/ld+json", "text/plain")


def poison(number: int, *, longest: int | None, is_unique: bool = False) -> str:
    """Return the longest hostile text that fits. Texts of consecutive numbers begin with different signs."""
    sign, own = SIGNS[number % len(SIGNS)], str(number) if is_unique else ""
    for text in (LONG, MIDDLE, SHORT):
        if longest is None or len(sign + own + text) <= longest:
            return sign + own + text
    return ""


def poison_tables(*, spared: dict[str, set[str]], shorter: dict[str, int]) -> dict[str, int]:
    """Poison every column that people write, and return the number of rows by column.

    `shorter`: the longest text of columns that take longer ones.
    Append-only tables are changed as well: people wrote their rows too.
    """
    for alias in ("default", "marketplace"):
        unseal_tables(alias)
    return {
        name: count
        for model in tables()
        for field in written_columns(model, spared.get(model._meta.label, set()))
        if (name := f"{model._meta.label}.{field.name}")
        and (count := sum(_poison_row(model, field, pk, shorter.get(name)) for pk in _rows(model)))
    }


def written_columns(model: type[models.Model], spared: set[str]) -> Iterator[Any]:
    for field in model._meta.concrete_fields:
        is_text = isinstance(field, models.CharField | models.TextField | models.JSONField)
        if is_text and not field.choices and field.name not in spared and "*" not in spared:
            yield field


def unseal_tables(alias: str) -> None:
    """Drop the triggers that protect append-only tables, in this test's transaction alone."""
    connection = connections[alias]
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP TRIGGER "{name}"')


def _rows(model: type[models.Model]) -> list[Any]:
    return list(model._default_manager.order_by("-pk").values_list("pk", flat=True)[:40])


def _poison_row(model: type[models.Model], field: Any, pk: Any, longest: int | None) -> bool:
    rows = model._default_manager.filter(pk=pk)
    number = (pk if isinstance(pk, int) else 0) + field.creation_counter
    if isinstance(field, models.JSONField):
        value = poison_json(rows.values_list(field.name, flat=True).get(), number)
    else:
        value = poison(number, longest=longest or field.max_length, is_unique=True)
    if not value:
        return False
    try:
        with transaction.atomic(using=database_of(model)):
            return bool(rows.update(**{field.name: value}))
    except DatabaseError:
        return False  # a constraint of the column refuses the text


def poison_json(value: Any, number: int) -> Any:
    """Replace the texts of a JSON value; the names and numbers that the program reads stay."""
    if isinstance(value, dict):
        return {key: poison_json(inner, number) for key, inner in value.items()}
    if isinstance(value, list):
        return [poison_json(inner, number) for inner in value]
    return poison(number, longest=None) if isinstance(value, str) else value


def find_leaks(html: str) -> list[str]:
    """Elements and attributes made by a poisoned text, and places of a page where a text would run."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return [*reader.leaks, *(["a template was filled in"] if PRODUCT in html else [])]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.leaks: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == MARK:
            self.leaks.append(f"an element {tag}")
        found = {name: value or "" for name, value in attrs}
        is_data = tag == "script" and found.get("type") in VOID_DATA
        self._inside = tag if tag in ("script", "style") and not is_data else ""
        self.leaks += [f"{tag} {name}={value!r}" for name, value in attrs if _runs(name, value or "")]

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside and MARK in data:
            self.leaks.append(f"inside {self._inside}: {data[:60]!r}")


def _runs(name: str, value: str) -> bool:
    if MARK in name:
        return True
    if MARK not in value:
        return False
    if name.startswith("on") or name in ("style", "srcdoc"):
        return True
    return name in ADDRESS_ATTRIBUTES and (
        urlsplit(value.strip()).scheme in RUNS or unquote(value).strip().startswith((MARK, *SIGNS))
    )
