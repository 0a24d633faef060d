"""Files of a release, opened to be downloaded. The user who takes one is on record."""

import re
from datetime import datetime
from typing import IO

from crowd.releases.files.stores import File, store_of
from crowd.releases.models import Release
from hits.core import audit_trail
from hits.identity.models.users import User


def open_stored(release: Release, name: str) -> IO[bytes] | None:
    """Open a file; None if the release has no such file, or is not ready.

    Raises StoreAway if the bucket that has it is away.
    """
    found = _find(release, name)
    if not release.is_complete or found is None:
        return None
    return store_of(found).open(release, found)


def open_file(*, release: Release, name: str, by: User, now: datetime) -> IO[bytes] | None:
    """Open a file for a user, as `open_stored` does, and put that on record."""
    file = open_stored(release, name)
    if file is None:
        return None
    words = f"{name} of release {release.version} was taken."
    audit_trail.note("release.taken", words, by=by, now=now, study=release.study)
    return file


def size_of(release: Release, name: str) -> int:
    """Return the bytes of a file, which the stream of a bucket does not tell."""
    found = _find(release, name)
    return int(found["bytes"]) if found else 0


def _find(release: Release, name: str) -> File | None:
    return next((file for file in release.files if file["name"] == name), None)


def download_name(release: Release, name: str) -> str:
    """Name such as words-1.0-associations.csv: a user may have several releases in one folder."""
    title = re.sub(r"[^a-z0-9]+", "-", release.title.casefold()).strip("-")[:60] or "release"
    return f"{title}-{release.version}-{name}"
