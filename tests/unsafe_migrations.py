"""Refuses migrations under which the version before cannot go on: `python -m tests.unsafe_migrations`, in CI.

Old and new code run at once while an installation is upgraded. docs/upgrading.md has the two steps, and the
words by which a migration says why it may do what is refused here: `gone_since` and `is_safe_because`.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import django
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader

ROOT = Path(__file__).parent.parent
VERSION = re.compile(r"^## \[?(\d+\.\d+\.\d+)", re.MULTILINE)
# The last migration of each app that was written before this was asked of them.
LAST = {
    "benchmarks": 9,
    "boards": 1,
    "hits": 12,
    "marketplace": 7,
    "papers": 1,
    "pictures": 2,
    "plain": 2,
    "qualifications": 2,
    "releases": 4,
    "scoring": 10,
    "whoops": 4,
    "winogavil": 2,
    "winogavil_annotation": 1,
    "winogavil_play": 4,
    "winogavil_releases": 8,
    "winoground": 5,
    "winoventi": 3,
}
# Tables with a row for each answer, payment or event: an index of theirs takes minutes, and must not lock.
LARGE = frozenset(
    {
        *(
            f"hits.{name}"
            for name in ("assignment", "auditevent", "bonus", "decision", "event", "hit", "item")
        ),
        *(f"hits.{name}" for name in ("lease", "ledgerentry", "notice", "recipient", "runrow", "worker")),
        *(f"scoring.{name}" for name in ("modelquestion", "rivalquery", "score", "vector", "verdict")),
        *(f"winogavil.{name}" for name in ("association", "place", "solution")),
        *(f"winoventi.{name}" for name in ("choice", "judgement", "filterscore", "modelanswer")),
        *(f"whoops.{name}" for name in ("annotation", "controlanswer", "option")),
        *(f"marketplace.{name}" for name in ("assignment", "bonuspayment", "email", "event", "hit")),
        *(f"marketplace.{name}" for name in ("ledgerentry", "message", "policyoutcome", "upload", "worker")),
        "benchmarks.itemresult",
        "qualifications.swowedge",
    }
)
CONTRACT = (migrations.RemoveField, migrations.DeleteModel)
RENAME = (migrations.RenameField, migrations.RenameModel, migrations.AlterModelTable)
Check = Callable[[Any, Any, str], Iterator[str]]


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    loader = MigrationLoader(None)
    found = [
        f"{app}.{name}: {fault}"
        for (app, name), migration in sorted(loader.disk_migrations.items())
        if app in LAST and int(name[:4]) > LAST[app]
        for fault in faults_of(migration, loader.project_state((app, name), at_end=False))
    ]
    print("\n".join(found) or "No unsafe migrations.")  # noqa: T201
    return 1 if found else 0


def faults_of(migration: Any, state: Any) -> Iterator[str]:
    """Yield what old code could not live with, unless the migration says why it can."""
    said = getattr(migration, "gone_since", "")
    if said and said not in VERSION.findall((ROOT / "CHANGELOG.md").read_text()):
        yield f"gone_since is {said!r}, which is no version of the changelog"
    made: set[str] = set()
    for operation in migration.operations:
        yield from _of(operation, migration, state, made)
        operation.state_forwards(migration.app_label, state)


def _of(operation: Any, migration: Any, state: Any, made: set[str]) -> Iterator[str]:
    app = migration.app_label
    if isinstance(operation, migrations.CreateModel):
        made.add(operation.name_lower)
    elif isinstance(operation, migrations.SeparateDatabaseAndState):
        for inner in operation.database_operations:
            yield from _of(inner, migration, state, made)
    elif isinstance(operation, CONTRACT):
        if not getattr(migration, "gone_since", ""):
            yield f"{operation.describe()}: say gone_since, the version that no longer reads or writes it"
    elif isinstance(operation, RENAME):
        yield f"{operation.describe()}: old code knows the old name; add, copy, and remove it later"
    elif not _is_explained(operation, migration, made):
        for check in CHECKS:
            yield from check(operation, state, app)


def _is_explained(operation: Any, migration: Any, made: set[str]) -> bool:
    """Whether its table was made here, so that nobody uses it yet, or the migration says why it is safe."""
    is_new = getattr(operation, "model_name_lower", "") in made
    return is_new or bool(getattr(migration, "is_safe_because", ""))


def _added_field(operation: Any, state: Any, app: str) -> Iterator[str]:
    if not isinstance(operation, migrations.AddField) or isinstance(operation.field, models.ManyToManyField):
        return
    field = operation.field
    if not field.null and not field.has_db_default():
        yield f"{operation.describe()}: old code writes rows without it; give it db_default, or null"
    if _is_indexed(field) and _is_large(operation, app):
        yield f"{operation.describe()}: its index locks a large table; use AddIndexOnline"


def _altered_field(operation: Any, state: Any, app: str) -> Iterator[str]:
    if not isinstance(operation, migrations.AlterField):
        return
    old = state.models[app, operation.model_name_lower].fields[operation.name]
    new = operation.field
    if old.null and not new.null and not new.has_db_default():
        yield f"{operation.describe()}: old code still writes null; give it db_default"
    if _shape(old) != _shape(new) and not _is_wider(old, new):
        yield f"{operation.describe()}: the type changes under old code; add another column"
    if _is_indexed(new) and not _is_indexed(old) and _is_large(operation, app):
        yield f"{operation.describe()}: its index locks a large table; use AddIndexOnline"


def _index(operation: Any, state: Any, app: str) -> Iterator[str]:
    is_plain = type(operation) is migrations.AddIndex
    unique = isinstance(operation, migrations.AddConstraint) and isinstance(
        operation.constraint, models.UniqueConstraint
    )
    if (is_plain or unique) and _is_large(operation, app):
        yield f"{operation.describe()}: it locks a large table; use AddIndexOnline, or say is_safe_because"


def _sql(operation: Any, state: Any, app: str) -> Iterator[str]:
    if isinstance(operation, migrations.RunSQL):
        yield f"{operation.describe()}: nobody sees here what it does; say is_safe_because"


CHECKS: tuple[Check, ...] = (_added_field, _altered_field, _index, _sql)


def _is_large(operation: Any, app: str) -> bool:
    return f"{app}.{operation.model_name_lower}" in LARGE


def _is_indexed(field: Any) -> bool:
    return bool(field.db_index or field.unique)


def _shape(field: Any) -> tuple[object, ...]:
    lengths = (getattr(field, name, None) for name in ("max_length", "max_digits", "decimal_places"))
    return field.get_internal_type(), *lengths


def _is_wider(old: Any, new: Any) -> bool:
    """Whether every value of the old type is one of the new, so that no table is written anew."""
    if new.get_internal_type() == "TextField":
        return old.get_internal_type() in ("CharField", "TextField")
    same = old.get_internal_type() == new.get_internal_type() == "CharField"
    return same and (new.max_length or 0) >= (old.max_length or 0)


if __name__ == "__main__":
    sys.exit(main())
