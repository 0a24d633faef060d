"""Where files of releases are kept: in the media folder, or in a bucket of any service like S3."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import IO, Any

from django.conf import settings

from crowd.releases.models import Release
from hits.core.errors import RuleBroken

# A file as the release's row lists it; "bucket" names the bucket that it is in, if it is in one.
File = Mapping[str, Any]


class StoreAway(RuleBroken):
    """The bucket did not answer, or refused. What it was asked may be asked again at any time."""

    def __init__(self, message: str) -> None:
        super().__init__("bucket_away", message)


class ReleaseStore(ABC):
    """A place where files of releases are kept. Whatever needs a network raises StoreAway without it."""

    @abstractmethod
    def holds(self, file: File) -> bool:
        """Whether the file is in this place, as its release's row says."""

    @abstractmethod
    def keep(self, release: Release, file: File) -> File:
        """Bring a file that is written here, and return it as the row then lists it. Safe to repeat."""

    @abstractmethod
    def open(self, release: Release, file: File) -> IO[bytes]:
        """Open a file for reading from its beginning."""

    @abstractmethod
    def read(self, release: Release, file: File, *, most: int) -> bytes:
        """Return the beginning of a file, at most so many bytes."""

    @abstractmethod
    def remove(self, release: Release) -> None:
        """Remove everything of the release from this place."""

    @abstractmethod
    def check(self) -> str:
        """Return in words where this is, having reached it."""


class FolderStore(ReleaseStore):
    """The folder in which the files are written: they stay there."""

    def holds(self, file: File) -> bool:
        return True

    def keep(self, release: Release, file: File) -> File:
        return file

    def open(self, release: Release, file: File) -> IO[bytes]:
        try:
            return (release.folder / str(file["name"])).open("rb")
        except OSError as problem:
            raise StoreAway(f"{file['name']} of {release} is not here.") from problem

    def read(self, release: Release, file: File, *, most: int) -> bytes:
        with self.open(release, file) as opened:
            return opened.read(most)

    def remove(self, release: Release) -> None:
        """Do nothing: folders of a release are removed with it, wherever its files are."""

    def check(self) -> str:
        return "folder of files"


def current_store() -> ReleaseStore:
    """Return the place for releases that are being made."""
    return _bucket(settings.RELEASES_BUCKET) if settings.RELEASES_BUCKET else FolderStore()


def store_of(file: File) -> ReleaseStore:
    """Return the place that a file is in, whatever the settings have become since."""
    return _bucket(file["bucket"]) if file.get("bucket") else FolderStore()


def stores_of(release: Release) -> Iterator[ReleaseStore]:
    """Yield each bucket that may hold something of the release."""
    for name in sorted({file.get("bucket", "") for file in release.files} | {settings.RELEASES_BUCKET}):
        if name:
            yield _bucket(name)


def _bucket(name: str) -> ReleaseStore:
    from crowd.releases.files.bucket import BucketStore  # noqa: PLC0415 - most installations have none

    return BucketStore(name, endpoint_url=settings.RELEASES_ENDPOINT_URL)
