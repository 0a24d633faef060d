"""Results of models on a project's material: a file for each model, taken whole or not at all."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO, Generic, TypeVar

import structlog
from django.db import transaction
from django.db.models import Model, QuerySet

from hits.common.uploads import UploadedColumn
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import Row, read_uploaded
from hits.core.errors import InvalidItems, RuleBroken
from hits.identity.models.users import User

AT_ONCE = 500
log = structlog.get_logger()
Of = TypeVar("Of", bound=Model)
Made = TypeVar("Made", bound=Model)
Found = Mapping[Any, Any]


class Subjects:
    """Subjects of rows. A subclass with too many of them looks some up for each part of a file."""

    def look_up(self, rows: Sequence[Row]) -> None: ...


def _any_name(_: Any, name: str) -> str:
    return "" if name else "Give the model a name of its own."


@dataclass(frozen=True, kw_only=True)
class ModelResults(Generic[Of, Made]):
    """One kind of results: the layout of its files, and the table that has a row for each model."""

    name: str
    of: type[Made]
    # Names of that table's fields, by their meaning.
    header: Mapping[str, str]
    columns: Sequence[UploadedColumn]
    any_of: Sequence[Sequence[str]] = ()
    most: int | None = None
    held: Callable[[Of], AbstractContextManager[Of]]
    subjects: Callable[[Of], Any]
    # The values of a row, by keys that no two rows may share. Raises ValueError with what is wrong.
    row: Callable[[Mapping[str, Any], Any], Iterable[tuple[Hashable, Any]]]
    # Name of a row's subject, in words.
    called: Callable[[Mapping[str, Any], Any], str]
    # Adds the problems of the file as a whole.
    whole: Callable[[Found, Any, Problems], None] | None = None
    # Stores the rows of a model that has just been saved; returns how many subjects they have.
    store: Callable[[Made, Found], int]
    rows: str = "rows"
    # Number of further subjects that the file could have.
    missing: Callable[[Of, int], int] | None = None
    # Of the results with a name, those that keep others from taking it.
    holding: Callable[[QuerySet[Any]], QuerySet[Any]] = lambda rows: rows
    # Why a name cannot be taken; empty where it can.
    taken: Callable[[Of, str], str] = _any_name
    # Code and advice for a name that has results already.
    code: str = "known_name"
    remedy: str = "Replace those, or take another name."


@dataclass(frozen=True, kw_only=True)
class Upload(Generic[Made]):
    """Outcome of an upload. `missing` counts the subjects of which the file says nothing."""

    made: Made
    count: int
    missing: int


def add_results(
    results: ModelResults[Of, Made],
    *,
    of: Of,
    name: str,
    file: BinaryIO,
    by: User | None,
    now: datetime,
    **values: Any,
) -> Upload[Made]:
    """Add results under a new name. Raises RuleBroken for the name, and InvalidItems for the file."""
    with results.held(of) as locked:
        name = " ".join(name.split())
        check_name(results, of=locked, name=name)
        found = read_results(results, file, of=locked)
        header = results.header
        made = results.of(
            **{header["of"]: locked, header["name"]: name, header["by"]: by, header["at"]: now}, **values
        )
        with transaction.atomic():
            made.save()
            return _store(results, made, found, of=locked)


def replace_results(
    results: ModelResults[Of, Made],
    *,
    made: Made,
    file: BinaryIO,
    by: User | None,
    now: datetime,
    **values: Any,
) -> Upload[Made]:
    """Replace a model's results, once the new file is read whole. Raises RuleBroken if they are gone."""
    header = results.header
    with results.held(getattr(made, header["of"])) as locked:
        if not results.of._default_manager.filter(pk=made.pk).exists():
            raise RuleBroken("gone", f"These {results.name} were removed meanwhile. Upload them as new ones.")
        found = read_results(results, file, of=locked)
        getattr(made, results.rows).all().delete()
        changed = {header["by"]: by, header["at"]: now, **values}
        for field, value in changed.items():
            setattr(made, field, value)
        made.save(update_fields=list(changed))
        return _store(results, made, found, of=locked)


def remove_results(results: ModelResults[Of, Made], *, made: Made) -> None:
    """Remove a model's results. Idempotent: results that are already gone stay gone."""
    with results.held(getattr(made, results.header["of"])) as locked:
        results.of._default_manager.filter(pk=made.pk).delete()
    log.info("results.removed", of=results.of._meta.label, project=locked.pk, model=str(made))


def check_name(results: ModelResults[Of, Made], *, of: Of, name: str) -> None:
    """Check the name of new results. Raises RuleBroken if it cannot be taken."""
    if problem := results.taken(of, name):
        raise RuleBroken("bad_name", problem)
    header = results.header
    known = results.of._default_manager.filter(**{header["of"]: of, f"{header['name']}__iexact": name})
    if results.holding(known).exists():
        raise RuleBroken(results.code, f"There are {results.name} of {name} already. {results.remedy}")


def read_results(results: ModelResults[Of, Made], file: BinaryIO, *, of: Of) -> Found:
    """Return the file's values by their subjects. Raises InvalidItems with every line that is wrong."""
    problems, subjects = Problems(InvalidItems), results.subjects(of)
    found: dict[Any, Any] = {}
    lines: dict[Any, int] = {}
    rows = read_uploaded(
        file, columns=results.columns, any_of=results.any_of, most=results.most, problems=problems
    )
    for row in _looked_up(rows, subjects):
        with problems.of(row.place, line=row.line):
            for key, value in results.row(row.cells, subjects):
                if before := lines.get(key):
                    called = results.called(row.cells, key)
                    raise ValueError(f"{called} is in line {before} already.")
                lines[key], found[key] = row.line, value
    problems.arrange()
    if results.whole:
        results.whole(found, subjects, problems)
    if not found:
        problems.say(f"The file has no {results.name}.")
    problems.refuse()
    return found


def _looked_up(rows: Iterable[Row], subjects: Subjects) -> Iterator[Row]:
    remaining = iter(rows)
    while some := list(islice(remaining, AT_ONCE)):
        subjects.look_up(some)
        yield from some


def _store(results: ModelResults[Of, Made], made: Made, found: Found, *, of: Of) -> Upload[Made]:
    count = results.store(made, found)
    return Upload(made=made, count=count, missing=results.missing(of, count) if results.missing else 0)
