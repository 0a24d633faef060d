"""The one file of a copy: a tar whose last member lists the others with the digests of their contents."""

import hashlib
import json
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.core.management import CommandError

FORMAT = 1
# The pictures are in a store beside the copy.
INCREMENTAL_FORMAT = 2
MANIFEST = "manifest.json"
KEYS = "keys.json"
PICTURES = "media/"
CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Database:
    """A database in a copy; `migrations` are those that it had, by app and name."""

    vendor: str
    file: str
    copied_at: str
    migrations: list[str]


@dataclass(kw_only=True)
class Manifest:
    """The list of a copy's contents.

    `files`: the SHA-256 of each member. `keys`: marks of the keys with which columns were encrypted.
    `beside`: where each picture is in the store beside the copy, if they are there.
    """

    format: int = FORMAT
    made_at: str
    databases: dict[str, Database] = field(default_factory=dict)
    keys: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)

    @property
    def pictures(self) -> list[str]:
        return [name for name in (*self.files, *self.beside) if name.startswith(PICTURES)]

    def copied_at(self, alias: str) -> datetime:
        return datetime.fromisoformat(self.databases[alias].copied_at)


class Writer:
    def __init__(self, tar: tarfile.TarFile, manifest: Manifest) -> None:
        self._tar, self._manifest = tar, manifest

    def add(self, path: Path, *, name: str) -> None:
        """Add a file to the copy. Raises FileNotFoundError if it was removed meanwhile."""
        with path.open("rb") as content:
            reader = _Hashing(content)
            about = self._tar.gettarinfo(arcname=name, fileobj=content)
            about.uname = about.gname = ""
            about.uid = about.gid = 0
            self._tar.addfile(about, reader)
        self._manifest.files[name] = reader.digest

    def finish(self, path: Path) -> None:
        listed = asdict(self._manifest)
        if listed["beside"]:
            listed["format"] = INCREMENTAL_FORMAT
        else:  # earlier versions read this too
            del listed["beside"]
        path.write_text(json.dumps(listed, indent=1))
        self._tar.add(path, arcname=MANIFEST)


class _Hashing:
    def __init__(self, content: IO[bytes]) -> None:
        self._content, self._hash = content, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self._content.read(size)
        self._hash.update(chunk)
        return chunk

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def opened(path: Path) -> Iterator[tuple[tarfile.TarFile, Manifest]]:
    """Open a copy. Raises CommandError if the file is no copy of ours, or was not written to its end."""
    with ExitStack() as stack:
        with _readable(path):
            tar = stack.enter_context(tarfile.open(path, "r:"))
            manifest = _manifest_of(tar)
        yield tar, manifest


def check(tar: tarfile.TarFile, manifest: Manifest) -> None:
    """Check every byte of the copy before anything is put back. Raises CommandError if it is damaged."""
    with _readable(tar.name):
        members = {member.name: member for member in tar if member.name != MANIFEST}
    for name in manifest.beside:
        _check_place(name, only=PICTURES)
    if missing := manifest.files.keys() - members.keys():
        raise CommandError(f"The copy lacks {len(missing)} files, such as {min(missing)}.")
    for name, member in members.items():
        _check_name(name, member)
        if name not in manifest.files or _sha256(tar, member) != manifest.files[name]:
            raise CommandError(f"{name} in the copy is not what was copied: the file is damaged.")


def extract(tar: tarfile.TarFile, name: str, target: Path) -> Path:
    """Extract a member by way of a file beside the target, so that a crash leaves no half-written file."""
    content = _content(tar, name)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f"{target.name}.part")
    with draft.open("wb") as written:
        while chunk := content.read(CHUNK):
            written.write(chunk)
    return draft.replace(target)


@contextmanager
def _readable(path: object) -> Iterator[None]:
    """Turn errors into CommandError, only while the copy is read: later ones are no fault of the copy."""
    try:
        yield
    except (OSError, tarfile.TarError, KeyError, TypeError, ValueError) as error:
        raise CommandError(f"{path} is no whole copy: {error}") from error


def _manifest_of(tar: tarfile.TarFile) -> Manifest:
    known: dict[str, Any] = json.load(_content(tar, MANIFEST))
    if known["format"] not in (FORMAT, INCREMENTAL_FORMAT):
        raise CommandError(
            f"This copy is of format {known['format']}; this version reads {FORMAT} and {INCREMENTAL_FORMAT}."
        )
    known["databases"] = {alias: Database(**about) for alias, about in known["databases"].items()}
    return Manifest(**known)


def _check_name(name: str, member: tarfile.TarInfo) -> None:
    """Refuse unsafe member names: a copy made by others may name any file of this machine."""
    _check_place(name)
    if not member.isreg():
        raise CommandError(f"{name} in the copy is no file.")


def _check_place(name: str, *, only: str = "") -> None:
    path = PurePosixPath(name)
    is_safe = not path.is_absolute() and ".." not in path.parts
    is_ours = (name == KEYS or name.startswith(("databases/", PICTURES))) and name.startswith(only)
    if not (is_safe and is_ours):
        raise CommandError(f"{name} does not belong into a copy.")


def _sha256(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    digest = hashlib.sha256()
    content = _content(tar, member)
    while chunk := content.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _content(tar: tarfile.TarFile, member: str | tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(member)
    if content is None:
        raise CommandError(f"{member} in the copy is no file.")
    return content
