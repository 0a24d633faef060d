"""New databases on the server that the environment names."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from uuid import uuid4

import psycopg
from psycopg.sql import SQL, Identifier

VARIABLES = {"default": "DATABASE_URL", "marketplace": "MARKETPLACE_DATABASE_URL"}


@contextmanager
def made_on_server(*names: str) -> Iterator[dict[str, str]]:
    """Make empty databases and yield their addresses by these names. They are dropped whatever happens."""
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    own = {name: f"crowd_{name}_{uuid4().hex[:10]}" for name in names}
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection, ExitStack() as stack:
        for database in map(Identifier, own.values()):
            connection.execute(SQL("CREATE DATABASE {}").format(database))
            stack.callback(connection.execute, SQL("DROP DATABASE {} WITH (FORCE)").format(database))
        yield {name: f"{server}/{database}" for name, database in own.items()}
