"""The shape of a database, apart from the order of its columns, to compare two ways of making it."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg

Shape = dict[str, set[Any]]
Ask = Callable[[str], list[tuple[Any, ...]]]
# Rows that are there from the beginning, without their ids.
ROWS = {
    "default": {
        "migrations": "SELECT app, name FROM django_migrations",
        "content types": "SELECT app_label, model FROM django_content_type",
        "permissions": "SELECT app_label, codename, name FROM auth_permission p "
        "JOIN django_content_type c ON c.id = p.content_type_id",
        "groups": "SELECT name FROM auth_group",
        "permissions of groups": "SELECT g.name, c.app_label, p.codename FROM auth_group_permissions x "
        "JOIN auth_group g ON g.id = x.group_id JOIN auth_permission p ON p.id = x.permission_id "
        "JOIN django_content_type c ON c.id = p.content_type_id",
        "grants": "SELECT role, permission FROM hits_rolegrant",
        "tags": "SELECT name, is_first FROM winoground_tag",
        "categories": "SELECT name, about FROM whoops_category",
    },
    "marketplace": {"migrations": "SELECT app, name FROM django_migrations"},
}
POSTGRES = {
    "columns": "SELECT table_name, column_name, data_type, character_maximum_length, numeric_precision, "
    "numeric_scale, is_nullable, column_default, is_identity, collation_name "
    "FROM information_schema.columns WHERE table_schema = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE connamespace = 'public'::regnamespace AND contype <> 'n'",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "triggers": "SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger "
    "WHERE NOT tgisinternal",
    "functions": "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
}


def shape_of_file(path: Path, *, database: str) -> Shape:
    with sqlite3.connect(path) as connection:
        ask: Ask = lambda query: connection.execute(query).fetchall()  # noqa: E731
        made = ask("SELECT type, tbl_name, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
        schema = {(kind, table, name, *_parts(kind, sql)) for kind, table, name, sql in made}
        return {"schema": schema, **_rows(ask, database)}


def shape_on_server(url: str, *, database: str) -> Shape:
    with psycopg.connect(url) as connection:
        ask: Ask = lambda query: connection.execute(query).fetchall()  # noqa: E731
        return {**{name: set(ask(query)) for name, query in POSTGRES.items()}, **_rows(ask, database)}


def _rows(ask: Ask, database: str) -> Shape:
    return {name: set(ask(query)) for name, query in ROWS[database].items()}


def _parts(kind: str, sql: str | None) -> Iterator[str]:
    """Columns and constraints of a table, in one order; of everything else the whole statement."""
    plain = re.sub(r"\s+", " ", sql or "")
    if kind != "table":
        yield plain
        return
    yield from sorted(_split(plain[plain.index("(") + 1 : plain.rindex(")")]))


def _split(body: str) -> Iterator[str]:
    depth, quoted, part = 0, False, ""
    for sign in body:
        quoted ^= sign == "'"
        depth += 0 if quoted else (sign == "(") - (sign == ")")
        if sign == "," and not depth and not quoted:
            yield part.strip()
            part = ""
        else:
            part += sign
    yield part.strip()
