"""Encryption of copies in the age format: for public keys, so that no server can read its own copies."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import IO, Any, Protocol

import pyrage
from django.conf import settings
from django.core.management import CommandError

ENDING = ".age"
MAGIC = b"age-encryption.org/"
NO_KEY = "The copy is encrypted. Name its key: --key-file FILE, or the setting CROWD_BACKUP_KEY_FILE."


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class Writable(Protocol):
    def write(self, content: bytes, /) -> int: ...


def read_recipients(names: Sequence[str]) -> list[Any]:
    """Return those for whom a copy is encrypted: the given ones, or those of the settings."""
    try:
        return [pyrage.x25519.Recipient.from_str(name) for name in names or settings.BACKUP_RECIPIENTS]
    except pyrage.RecipientError as error:
        raise CommandError(
            "A recipient of copies (--recipient, CROWD_BACKUP_RECIPIENTS) is a public key such as age1...; "
            f"`manage.py make_backup_key FILE` makes one: {error}."
        ) from error


def read_key_file(path: Path | None) -> list[Any]:
    """Return the private keys in a file, which may be one of age-keygen; none if no file is named."""
    named = path or (Path(settings.BACKUP_KEY_FILE) if settings.BACKUP_KEY_FILE else None)
    if named is None:
        return []
    try:
        lines = named.read_text().splitlines()
        found = [
            pyrage.x25519.Identity.from_str(line.strip())
            for line in lines
            if line.strip() and not line.startswith("#")
        ]
    except OSError as error:
        raise CommandError(f"The key file {named} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, pyrage.IdentityError) as error:
        raise CommandError(f"{named} is no key file: {error}.") from error
    if not found:
        raise CommandError(f"{named} is no key file: it holds no key.")
    return found


def make_key_file(path: Path) -> str:
    """Make a private key in a new file that its owner alone can read; return the public one."""
    key = pyrage.x25519.Identity.generate()
    made = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"# created: {made}\n# public key: {key.to_public()}\n{key}\n")
    except FileExistsError:
        raise CommandError(f"{path} exists, and copies may need it. Name a new file.") from None
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
    return str(key.to_public())


def is_encrypted(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def encrypt(source: Readable, target: Writable, recipients: Sequence[Any]) -> None:
    """Encrypt in pieces of 64 kB, each with its place and the last one marked: none can be moved or cut."""
    try:
        pyrage.encrypt_io(source, target, recipients)
    except (pyrage.EncryptError, OSError) as error:
        raise CommandError(f"The copy could not be encrypted: {error}.") from error


def decrypt(path: Path, target: Path, keys: Sequence[Any]) -> Path:
    """Decrypt into a file. Raises CommandError if no key fits, or if a bit is not as it was written."""
    if not keys:
        raise CommandError(NO_KEY)
    try:
        with path.open("rb") as source, target.open("wb") as plain:
            target.chmod(0o600)
            pyrage.decrypt_io(source, plain, keys)
    except pyrage.DecryptError as error:
        target.unlink(missing_ok=True)
        raise CommandError(f"None of the keys opens {path.name}: {error}. Name another key file.") from error
    except OSError as error:
        target.unlink(missing_ok=True)
        raise CommandError(f"{path.name} is no whole copy: it was cut or changed ({error}).") from error
    return target


@contextmanager
def encrypting(target: IO[bytes], recipients: Sequence[Any]) -> Iterator[IO[bytes]]:
    """Yield a file; what is written to it is encrypted into the target meanwhile."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as source:
        told = _Told(source)
        thread = _Encrypting(told, target, recipients)
        thread.start()
        try:
            with os.fdopen(writing, "wb") as plain:
                yield plain
                plain.flush()
                told.is_finished = True
        finally:
            thread.join()
    if thread.error:
        raise thread.error


class _Told:
    """A source whose end counts only if its writer has said so: what was broken off must not look whole."""

    is_finished = False

    def __init__(self, source: Readable) -> None:
        self._source = source

    def read(self, size: int = -1) -> bytes:
        content = self._source.read(size)
        if not content and not self.is_finished:
            raise EOFError("it was broken off")
        return content


class _Encrypting(Thread):
    def __init__(self, source: _Told, target: IO[bytes], recipients: Sequence[Any]) -> None:
        super().__init__(name="encrypting", daemon=True)
        self._source, self._target, self._recipients = source, target, recipients
        self.error: CommandError | None = None

    def run(self) -> None:
        try:
            encrypt(self._source, self._target, self._recipients)
        except CommandError as error:
            self.error = error
            while self._source_goes_on():
                pass

    def _source_goes_on(self) -> bool:
        """Take what is still written, so that the writer is not kept waiting for a reader that is gone."""
        try:
            return bool(self._source.read(1 << 20))
        except EOFError:
            return False
