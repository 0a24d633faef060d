"""Restoring a copy: it replaces what is there, which is moved aside and never destroyed.

Afterwards one side is older than the other. So a new epoch begins on each side that was put back: what that
means is known to the app whose tables they are (`was_put_back` of its AppConfig).
"""

import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tarfile import TarFile
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from config.copies.archive import KEYS, PICTURES, Manifest, check, extract, opened
from config.copies.copy_sources import Source
from config.copies.databases import replaced
from config.copies.making_copies import key_marks
from config.copies.picture_store import digest_in, digest_of, fetch_picture
from config.fresh_database import OwnLoader, is_empty, own_apps
from hits.common.channels import Pipes

Say = Callable[[str], None]
TOLD_EVERY = 1000
OTHER_CONNECTIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def put_back(
    source: Source,
    *,
    aliases: Sequence[str],
    replace: bool,
    other_keys: bool,
    although_running: bool,
    say: Say,
) -> list[str]:
    """Restore a copy; return the restored databases.

    Raises CommandError, and then everything is as before.
    """
    with opened(source.path) as (tar, manifest):
        wanted = [alias for alias in manifest.databases if alias in aliases]
        against = list(problems(manifest, aliases=wanted, replace=replace, other_keys=other_keys))
        against += () if although_running else running(wanted)
        if against:
            raise CommandError(" ".join(against))
        say("Reading the whole copy ...")
        check(tar, manifest)
        staged = fetch_pictures(source, manifest)
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        with ExitStack() as stack:
            for alias in wanted:
                say(f"Putting back the database {alias} ...")
                copy = extract(tar, manifest.databases[alias].file, source.folder / alias)
                before = stack.enter_context(replaced(connections[alias], copy, stamp=stamp))
                if before:
                    say(f"  What was there is now {before}.")
                call_command("migrate", database=alias, verbosity=0, interactive=False)
            _put_back_pictures(tar, manifest, say=say)
            _move_pictures(staged)
            begin_epochs(wanted, copied_at={alias: manifest.copied_at(alias) for alias in wanted})
            if _brings_keys(manifest) and foreign_key(manifest):
                _put_back_keys(tar, stamp=stamp, say=say)
    return wanted


def check_stored(source: Source, manifest: Manifest) -> None:
    """Check every stored picture that the copy names. Raises CommandError."""
    for stored in sorted(set(manifest.beside.values())):
        fetch_picture(source, stored, source.folder / "checked").unlink()


def fetch_pictures(source: Source, manifest: Manifest) -> dict[Path, Path]:
    """Fetch stored pictures that are not here, before anything changes; return where each of them belongs.

    Raises CommandError if one is missing or damaged.
    """
    fetched: dict[Path, Path] = {}
    for name, stored in manifest.beside.items():
        target = Path(settings.MEDIA_ROOT) / name.removeprefix(PICTURES)
        if not target.is_file() or digest_of(target) != digest_in(stored):
            fetched[fetch_picture(source, stored, source.folder / name)] = target
    return fetched


def begin_epochs(aliases: Sequence[str], *, copied_at: dict[str, datetime]) -> None:
    """Begin a new epoch in each database, also one that was restored without a copy of ours."""
    for alias in aliases:
        for app in own_apps(connections[alias]):
            if hasattr(app, "was_put_back"):
                app.was_put_back(copied_at=copied_at.get(alias))


def problems(manifest: Manifest, *, aliases: Sequence[str], replace: bool, other_keys: bool) -> Iterator[str]:
    """Everything that prevents the restoration, with what to do about it."""
    if not aliases:
        yield "The copy holds no database that is wanted here."
    for alias in aliases:
        connection, about = connections[alias], manifest.databases[alias]
        if about.vendor != connection.vendor:
            yield (
                f"The copy's {alias} is of {about.vendor}, and this installation runs on "
                f"{connection.vendor}. Put it back into an installation of that form."
            )
            continue
        known = {f"{app}.{name}" for app, name in OwnLoader(connection).graph.nodes}
        if unknown := set(about.migrations) - known:
            yield f"The copy was made by another version, for it has {min(unknown)}. Use that version."
        if not is_empty(connection) and not replace:
            yield f"The database {alias} holds tables. Pass --replace to move them aside."
    if not other_keys and not _brings_keys(manifest) and (name := foreign_key(manifest)):
        yield (
            f"The copy was written with other keys: its {name} is not among today's, so what is sealed "
            "with it could not be read. Set the old keys behind today's, or pass --other-keys."
        )


def running(aliases: Sequence[str]) -> Iterator[str]:
    """Processes that still run: they would write into what was moved aside, or into what was restored."""
    advice = "Stop every process of the product first, and keep them from being started."
    if settings.EMBEDDED:
        sites = {"default": settings.PUBLIC_URL, "marketplace": settings.MARKETPLACE_URL}
        for url in filter(_answers, (sites[alias] for alias in aliases)):
            yield f"Something answers at {url}. {advice}"
        if Pipes(settings.BROKER_DIR / "sweeps").is_heard():
            yield f"A background process runs. {advice}"
    for connection in (connections[alias] for alias in aliases):
        if others := _others(connection):
            yield f"{others} other connections to the database {connection.alias} are open. {advice}"


def _put_back_pictures(tar: TarFile, manifest: Manifest, *, say: Say) -> None:
    """Restore pictures. One never changes under its name, so existing and later ones stay."""
    inside = [name for name in manifest.files if name.startswith(PICTURES)]
    for count, name in enumerate(inside, start=1):
        target = Path(settings.MEDIA_ROOT) / name.removeprefix(PICTURES)
        if not target.exists() or target.stat().st_size != tar.getmember(name).size:
            extract(tar, name, target)
        if count % TOLD_EVERY == 0:
            say(f"{count} of {len(inside)} pictures ...")


def _move_pictures(fetched: dict[Path, Path]) -> None:
    for path, target in fetched.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f"{target.name}.part")
        shutil.move(path, draft)
        draft.replace(target)


def _put_back_keys(tar: TarFile, *, stamp: str, say: Say) -> None:
    keys = Path(settings.DATA_DIR) / KEYS
    aside = keys.with_name(f"{KEYS}.before-{stamp}")
    shutil.copy2(keys, aside)
    extract(tar, KEYS, keys).chmod(0o600)
    say(f"  The keys are those of the copy; those that were there are now {aside}.")


def _brings_keys(manifest: Manifest) -> bool:
    return settings.EMBEDDED and KEYS in manifest.files


def foreign_key(manifest: Manifest) -> str:
    """The name of a key that the copy needs and that is missing here; empty if there is none."""
    ours = key_marks()
    return next((name for name, marks in manifest.keys.items() if set(marks) - set(ours.get(name, ()))), "")


def _others(connection: BaseDatabaseWrapper) -> int:
    if connection.vendor == "sqlite":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(OTHER_CONNECTIONS)
        (count,) = cursor.fetchone()
    return int(count)


def _answers(url: str) -> bool:
    try:
        socket.create_connection(("127.0.0.1", urlsplit(url).port or 80), timeout=2).close()
    except OSError:
        return False
    return True
