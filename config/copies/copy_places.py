"""Where copies are kept: a folder, or a bucket. What is written there appears whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Protocol

from django.conf import settings
from django.core.management import CommandError

from config.copies.bucket_place import BucketPlace

BUCKET = "s3://"
DRAFTS = ".copy-"
COPY_ENDINGS = (".tar", ".tar.age")


class Place(Protocol):
    """A folder or a bucket with named files."""

    def writing(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """Write a file. It appears when the context ends well, and otherwise never."""

    def local(self, name: str, *, folder: Path) -> Path:
        """Return the file: itself, or fetched into the folder. Raises CommandError if there is none."""

    def names(self, below: str = "") -> set[str]:
        """Names of the files, or of those in all folders below one whose name ends with a slash."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    def address(self, name: str) -> str:
        """Return what people call the file."""


class FolderPlace:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        path = self.folder / name
        with self._reached():
            path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=path.parent, prefix=DRAFTS) as folder:
            draft = Path(folder) / path.name
            with draft.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            draft.chmod(0o600)
            draft.replace(path)

    def local(self, name: str, *, folder: Path) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        return path

    def names(self, below: str = "") -> set[str]:
        with self._reached():
            found = (self.folder / below).rglob("*") if below else self.folder.iterdir()
            files = (path.relative_to(self.folder) for path in found if path.is_file())
            return {path.as_posix() for path in files if not path.parent.name.startswith(DRAFTS)}

    def remove(self, name: str) -> None:
        with self._reached():
            (self.folder / name).unlink(missing_ok=True)

    def address(self, name: str) -> str:
        return str(self.folder / name)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Make no folder that is missing: it may be a disk that is not mounted."""
        if not self.folder.is_dir():
            raise CommandError(f"There is no folder {self.folder}.")
        try:
            yield
        except OSError as error:
            raise CommandError(f"{self.folder} cannot be used: {error}.") from error


def find_place(address: str) -> tuple[Place, str]:
    """Return the place of an address, and the file's name in it: empty if the place alone was meant."""
    if not address.startswith(BUCKET):
        path = Path(address).resolve()
        return (FolderPlace(path), "") if path.is_dir() else (FolderPlace(path.parent), path.name)
    bucket, _, key = address.removeprefix(BUCKET).partition("/")
    if not bucket:
        raise CommandError("A bucket is written s3://BUCKET, or s3://BUCKET/FOLDER.")
    folder, _, name = key.rpartition("/") if key.endswith(COPY_ENDINGS) else (key.rstrip("/"), "", "")
    return BucketPlace(bucket, folder, endpoint_url=settings.BACKUP_ENDPOINT_URL), name
