"""A copy to read from: found in its place, brought here, decrypted."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.management import CommandError

from config.copies.copy_names import copies_in
from config.copies.copy_places import Place, find_place
from config.copies.encryption import decrypt, is_encrypted, read_key_file


@dataclass(frozen=True, kw_only=True)
class Source:
    """A copy that can be read here; what else is fetched goes into the folder, which is removed later."""

    place: Place
    name: str
    path: Path
    keys: Sequence[Any]
    folder: Path

    @property
    def address(self) -> str:
        return self.place.address(self.name)


@contextmanager
def found_copy(address: str, *, key_file: Path | None) -> Iterator[Source]:
    """Yield the copy of this address, or the newest one if it is that of a folder or bucket."""
    place, name = find_place(address)
    name = name or next(iter(copies_in(place)), "")
    if not name:
        raise CommandError(f"There is no copy in {place.address('')}.")
    Path(settings.DATA_DIR).mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=settings.DATA_DIR, prefix=".restore-") as folder:
        path = place.local(name, folder=Path(folder))
        keys = read_key_file(key_file)
        plain = decrypt(path, Path(folder) / "opened.tar", keys) if is_encrypted(path) else path
        yield Source(place=place, name=name, path=plain, keys=keys, folder=Path(folder))
