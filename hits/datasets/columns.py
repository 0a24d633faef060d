"""Columns of a data set: files, cards and the docs are made from one list of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any
from uuid import UUID

TEXT, INTEGER, NUMBER, FLAG, MOMENT = "text", "integer", "number", "flag", "moment"
TEXTS = "texts"  # a list of them
ROWS = "rows"  # a list of rows of their own columns
JSON = "json"  # a value of any shape, in no Parquet
PERSON = "person"  # whose id is never written, but a pseudonym
IMAGE = "image"  # named by the SHA-256 of its file; Parquet alone holds the file itself

Row = Mapping[str, Any]
# Returns the name under which files show a person.
Called = Callable[[UUID], str]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column. `of` reads its value from the row's source, which otherwise has it by the column's name."""

    name: str
    kind: str
    words: str
    columns: tuple["Column", ...] = ()
    of: Callable[[Any], Any] | None = None


def column(
    name: str, kind: str, words: str, *columns: Column, of: str | Callable[[Any], Any] | None = None
) -> Column:
    """Return a column. `of` is a dotted name in the row's source, or a function that reads the value."""
    read = attrgetter(of) if isinstance(of, str) else of
    return Column(name=name, kind=kind, words=words, columns=columns, of=read)


def user_column(name: str, words: str) -> Column:
    """Return a column of a user by name, empty where the row names none."""
    return column(name, TEXT, words, of=lambda source: (user := getattr(source, name)) and user.username)


def only(columns: Sequence[Column], row: Row) -> dict[str, Any]:
    return {one.name: row[one.name] for one in columns}


def nobody(_: UUID) -> str:
    raise ValueError("There is a person in these rows: say how people are called.")


def rows_of(
    columns: Sequence[Column], sources: Iterable[Any], *, person: Called = nobody
) -> Iterator[dict[str, Any]]:
    """Yield one row for each source, when it is asked for: no source is held once its row was taken."""
    for source in sources:
        yield _row_of(columns, source, person)


def utc_text(at: datetime | None) -> str | None:
    """Return a moment as files write it: in UTC, whatever the reader's time zone."""
    return None if at is None else at.astimezone(UTC).isoformat()


def _row_of(columns: Sequence[Column], source: Any, person: Called) -> dict[str, Any]:
    return {one.name: _value_of(one, source, person) for one in columns}


def _value_of(one: Column, source: Any, person: Called) -> Any:
    value = _named(one.name, source) if one.of is None else one.of(source)
    if value is None:
        return None
    if one.kind == PERSON:
        return person(value)
    if one.kind == MOMENT:
        return utc_text(value)
    return [_row_of(one.columns, inner, person) for inner in value] if one.kind == ROWS else value


def _named(name: str, source: Any) -> Any:
    return source[name] if isinstance(source, Mapping) else getattr(source, name)
