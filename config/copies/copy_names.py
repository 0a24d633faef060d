"""Names of copies, by which the newest is found: they hold the time."""

import re
from datetime import UTC, datetime

from config.copies.copy_places import Place
from config.copies.encryption import ENDING

INCREMENTAL = "-incremental"
NAMED_BY_TIME = re.compile(rf"crowd-\d{{8}}-\d{{6}}({INCREMENTAL})?\.tar(\.age)?")


def name_by_time(*, is_encrypted: bool, is_incremental: bool) -> str:
    kind, ending = INCREMENTAL if is_incremental else "", ENDING if is_encrypted else ""
    return f"crowd-{datetime.now(UTC):%Y%m%d-%H%M%S}{kind}.tar{ending}"


def copies_in(place: Place) -> list[str]:
    """Copies that were named by the time, the newest first."""
    return sorted(filter(NAMED_BY_TIME.fullmatch, place.names()), reverse=True)
