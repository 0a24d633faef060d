"""The deployed form under measurement: scratch databases on PostgreSQL, and gunicorn in front of them.

The databases are made on the server of POSTGRES_URL (default: postgres@127.0.0.1), and dropped in the end.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import psycopg
from cryptography.fernet import Fernet

from tests.bench.servers import ROOT, Server, environment, running

PROCESSES = 4
DATABASES = ("DATABASE_URL", "MARKETPLACE_DATABASE_URL")
POSTGRES = os.environ.get("POSTGRES_URL", "postgres://postgres@127.0.0.1")


def environment_of(data: Path, port: int, databases: Mapping[str, str]) -> dict[str, str]:
    """Environment of an installation in an empty folder, with keys of its own."""
    (data / "static").mkdir()
    return {
        **environment(data, port),
        **databases,
        "CROWD_FIELD_KEYS": Fernet.generate_key().decode(),
        "CROWD_MARKETPLACE_KEYS": Fernet.generate_key().decode(),
        "CROWD_SECRET_KEY": "secret",
        "CROWD_PSEUDONYM_KEYS": "pseudonyms",
        "CROWD_TOKEN_KEYS": "tokens",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


@contextmanager
def scratch_databases(*variables: str) -> Iterator[dict[str, str]]:
    """Create a database for each variable of the environment, and yield their addresses by these names."""
    names = {variable: f"bench_{variable.lower()}_{os.getpid()}" for variable in variables or DATABASES}
    with psycopg.connect(f"{POSTGRES}/postgres", autocommit=True) as server:
        for name in names.values():
            server.execute(f"CREATE DATABASE {name}")
        try:
            yield {variable: f"{POSTGRES}/{name}" for variable, name in names.items()}
        finally:
            for name in names.values():
                server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def lay(tree: Path, environ: Mapping[str, str]) -> None:
    """Lay both databases as this checkout does."""
    for database in ("default", "marketplace"):
        migration = [sys.executable, "manage.py", "migrate", "--database", database, "--verbosity", "0"]
        subprocess.run(migration, cwd=tree, env=environ, check=True)


def stored_bytes(database: str) -> int:
    """Bytes of all tables with their indexes, and with what updates have left behind in them."""
    with psycopg.connect(database, autocommit=True) as server:
        row = server.execute("SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables").fetchone()
    return int(row[0]) if row else 0


def serving(
    environ: Mapping[str, str], port: int, *, processes: int = PROCESSES, tree: Path = ROOT
) -> AbstractContextManager[Server]:
    """Serve all sites, as several processes do behind a proxy."""
    command = [sys.executable, "-m", *gunicorn("config.wsgi", port, processes=processes)]
    folder = Path(environ["CROWD_DATA_DIR"])
    return running(command, port=port, page="/health/", folder=folder, cwd=tree, environ=environ)


def gunicorn(application: str, port: int, *, processes: int) -> list[str]:
    """Return the arguments of gunicorn, so that every application under measurement has the same."""
    threads = ("--worker-class=gthread", "--threads=4")
    quiet = ("--log-level=warning", "--no-control-socket")
    return ["gunicorn", application, f"--bind=127.0.0.1:{port}", f"--workers={processes}", *threads, *quiet]
