"""Where a release's files lie, and who is at work on them."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from crowd.winogavil.releases.models import Release


@contextmanager
def only_one(release: Release, *, wait: bool) -> Iterator[bool]:
    """One process at a time works on its files, and one that dies lets go. False: another one is at it."""
    release.folder.parent.mkdir(parents=True, exist_ok=True)
    path = release.folder.with_suffix(".lock")
    with path.open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def remove(release: Release) -> None:
    shutil.rmtree(release.folder, ignore_errors=True)
    release.folder.with_suffix(".lock").unlink(missing_ok=True)
