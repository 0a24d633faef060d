"""A copy is made while everything runs: each database at one instant, then the pictures that it names.

Our own database comes first: what the marketplace did between the two instants is what any provider does.
"""

import hashlib
import tarfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.db import connections

from config.copies.archive import KEYS, PICTURES, Database, Manifest, Writer
from config.copies.copy_places import DRAFTS, FolderPlace, Place
from config.copies.databases import copy_database, file_name
from config.copies.encryption import encrypting
from config.copies.picture_store import store_pictures
from config.fresh_database import OwnLoader, is_empty

Say = Callable[[str], None]
# The keys with which columns are encrypted or found.
SEALING = {
    "CROWD_FIELD_KEYS": settings.FIELD_KEYS,
    "CROWD_PSEUDONYM_KEYS": settings.PSEUDONYM_KEYS,
    "CROWD_MARKETPLACE_KEYS": settings.MARKETPLACE_KEYS,
}
TOLD_EVERY = 1000


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What goes into a copy, and who can read it; without recipients it is not encrypted.

    An incremental copy has its pictures in a store beside it.
    """

    with_keys: bool = True
    with_pictures: bool = True
    is_incremental: bool = False
    recipients: Sequence[Any] = ()


def make_copy(place: Place, name: str, *, wish: Wish, say: Say) -> tuple[Manifest, int]:
    """Make a copy, whole or not at all; return its contents and its size.

    Raises CommandError if the file exists or a part fails.
    """
    if name in place.names():
        raise CommandError(
            f"{place.address(name)} exists. A copy never replaces another one: name a new file."
        )
    manifest = Manifest(made_at=_now(), keys=key_marks())
    with TemporaryDirectory(dir=_drafts(place, wish), prefix=DRAFTS) as folder, ExitStack() as stack:
        file = stack.enter_context(place.writing(name))
        plain = stack.enter_context(encrypting(file, wish.recipients)) if wish.recipients else file
        with tarfile.open(fileobj=plain, mode="w|") as tar:
            writer = Writer(tar, manifest)
            _add_databases(writer, manifest, Path(folder), say=say)
            if wish.with_keys and settings.EMBEDDED:
                writer.add(Path(settings.DATA_DIR) / KEYS, name=KEYS)
            if wish.with_pictures and wish.is_incremental:
                say("Storing new pictures ...")
                manifest.beside = store_pictures(place, name, _pictures(), recipients=wish.recipients)
            elif wish.with_pictures:
                _add_pictures(writer, say=say)
            writer.finish(Path(folder) / "manifest.json")
        size = file.tell()
    return manifest, size


def _drafts(place: Place, wish: Wish) -> Path:
    """Where databases are copied to first: beside the copy, if whoever reads that may read them too."""
    if isinstance(place, FolderPlace) and not wish.recipients:
        return place.folder
    folder = Path(settings.DATA_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def key_marks() -> dict[str, list[str]]:
    """Marks by which a key is recognized without its value: keys are random, so none can be guessed."""
    return {
        name: [hashlib.sha256(key.encode()).hexdigest()[:16] for key in keys]
        for name, keys in SEALING.items()
    }


def _add_databases(writer: Writer, manifest: Manifest, folder: Path, *, say: Say) -> None:
    for alias in settings.DATABASES:
        connection = connections[alias]
        if is_empty(connection):
            continue
        say(f"Copying the database {alias} ...")
        copied_at, name = _now(), file_name(connection)
        copy = folder / Path(name).name
        copy_database(connection, copy)
        writer.add(copy, name=name)
        copy.unlink()
        applied = sorted(f"{app}.{each}" for app, each in OwnLoader(connection).applied_migrations)
        manifest.databases[alias] = Database(
            vendor=connection.vendor, file=name, copied_at=copied_at, migrations=applied
        )


def _add_pictures(writer: Writer, *, say: Say) -> None:
    for count, (name, path) in enumerate(_pictures().items(), start=1):
        try:
            writer.add(path, name=name)
        except FileNotFoundError:
            continue  # removed since; the database has recorded that removal too
        if count % TOLD_EVERY == 0:
            say(f"{count} pictures ...")


def _pictures() -> dict[str, Path]:
    root = Path(settings.MEDIA_ROOT)
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {f"{PICTURES}{path.relative_to(root).as_posix()}": path for path in files}


def _now() -> str:
    return datetime.now(UTC).isoformat()
