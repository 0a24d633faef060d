"""A store of pictures beside the copies, by the digests of their contents: only new ones are added.

Each copy that uses it has a list of what it names, unencrypted, since whoever removes old copies has no key.
"""

import hashlib
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.core.management import CommandError

from config.copies.archive import CHUNK
from config.copies.copy_places import Place
from config.copies.copy_sources import Source
from config.copies.encryption import ENDING, decrypt, encrypt

STORE = "pictures/"
LIST = ".pictures"
STORED = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}(\.[0-9a-f]{8}\.age)?")


def store_pictures(
    place: Place, copy: str, pictures: Mapping[str, Path], *, recipients: Sequence[Any]
) -> dict[str, str]:
    """Add what the store lacks; return where each picture is in it.

    The list comes first: whoever removes old pictures meanwhile must know of it. And the store is looked at
    again afterwards, for what was removed before the list was seen.
    """
    places = {name: stored for name, path in pictures.items() if (stored := _place_of(path, recipients))}
    with place.writing(copy + LIST) as file:
        file.write("".join(f"{stored}\n" for stored in sorted(set(places.values()))).encode())
    for _ in range(2):
        there = place.names(STORE)
        for name, stored in list(places.items()):
            if STORE + stored in there:
                continue
            try:
                _store(place, stored, pictures[name], recipients=recipients)
                there.add(STORE + stored)
            except FileNotFoundError:
                del places[name]  # removed since; the database has recorded that removal too
    return places


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch_picture(source: Source, stored: str, target: Path) -> Path:
    """Bring a picture of the store here. Raises CommandError if it is missing, damaged, or sealed."""
    if not STORED.fullmatch(stored):
        raise CommandError(f"{stored} does not belong into a store of pictures.")
    target.parent.mkdir(parents=True, exist_ok=True)
    path = source.place.local(STORE + stored, folder=source.folder)
    if stored.endswith(ENDING):
        decrypt(path, target, source.keys)
    else:
        shutil.copyfile(path, target)
    if path.parent == source.folder:
        path.unlink()
    if digest_of(target) != digest_in(stored):
        raise CommandError(
            f"{source.place.address(STORE + stored)} is not what was copied: the file is damaged."
        )
    return target


def digest_in(stored: str) -> str:
    return PurePosixPath(stored).name.partition(".")[0]


def _place_of(path: Path, recipients: Sequence[Any]) -> str:
    """Name the place by the digest, and by the recipients: others could not read what is there for these.

    It is empty if the picture was removed meanwhile.
    """
    try:
        digest = digest_of(path)
    except FileNotFoundError:
        return ""
    names = "\n".join(sorted(map(str, recipients))).encode()
    ending = f".{hashlib.sha256(names).hexdigest()[:8]}{ENDING}" if recipients else ""
    return f"{digest[:2]}/{digest}{ending}"


def _store(place: Place, stored: str, path: Path, *, recipients: Sequence[Any]) -> None:
    with path.open("rb") as picture, place.writing(STORE + stored) as file:
        checked = _Checked(picture)
        if recipients:
            encrypt(checked, file, recipients)
        else:
            shutil.copyfileobj(checked, file, CHUNK)
        if checked.digest.hexdigest() != digest_in(stored):
            raise CommandError(f"{path} was changed while it was copied.")


class _Checked:
    def __init__(self, picture: IO[bytes]) -> None:
        self._picture, self.digest = picture, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        content = self._picture.read(size)
        self.digest.update(content)
        return content
