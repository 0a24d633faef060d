"""The folder of a release's files, and the lock of the process that works on them."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from crowd.releases.models import Release


@contextmanager
def only_one(release: Release, *, wait: bool) -> Iterator[bool]:
    """Lock a release's files for one process; if it dies, it lets go. Yields False if another has them."""
    release.folder.parent.mkdir(parents=True, exist_ok=True)
    path = release.folder.with_suffix(".lock")
    with path.open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def remove_files(release: Release) -> None:
    for folder in (release.folder, release.frozen):
        shutil.rmtree(folder, ignore_errors=True)


def remove(release: Release) -> None:
    remove_files(release)
    release.folder.with_suffix(".lock").unlink(missing_ok=True)
