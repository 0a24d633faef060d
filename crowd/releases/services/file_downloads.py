"""Downloads of a release's files. The user who takes one is on record."""

import re
from datetime import datetime
from typing import IO

from crowd.releases.models import Release
from hits.core import audit_trail
from hits.identity.models.users import User


def open_file(*, release: Release, name: str, by: User, now: datetime) -> IO[bytes] | None:
    """Open a file to be downloaded; None if the release has no such file, or is not ready."""
    known = {file["name"] for file in release.files}
    if not release.is_complete or name not in known:
        return None
    file = (release.folder / name).open("rb")
    words = f"{name} of release {release.version} was taken."
    audit_trail.note("release.taken", words, by=by, now=now, study=release.study)
    return file


def download_name(release: Release, name: str) -> str:
    """Name such as words-1.0-associations.csv: a user may have several releases in one folder."""
    title = re.sub(r"[^a-z0-9]+", "-", release.title.casefold()).strip("-")[:60] or "release"
    return f"{title}-{release.version}-{name}"
