"""Removal of old copies, and of the stored pictures that no copy names any more."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from config.copies.copy_names import INCREMENTAL, copies_in
from config.copies.copy_places import Place
from config.copies.picture_store import LIST, STORE

Say = Callable[[str], None]


def remove_old(place: Place, *, keep: int, say: Say) -> None:
    """Keep this many of the newest copies. What was not named by the time is left alone."""
    copies = copies_in(place)
    for name in copies[keep:]:
        place.remove(name)
        say(f"Removed {place.address(name)}.")
    kept = copies[:keep]
    stored = place.names(STORE)
    lists = {name for name in place.names() if name.endswith(LIST)}
    # A list without its copy may be of one that is being made; one older than all copies is not.
    for name in sorted(lists):
        if name.removesuffix(LIST) < kept[-1]:
            place.remove(name)
            lists.discard(name)
    if missing := [name for name in kept if INCREMENTAL in name and name + LIST not in lists]:
        say(f"No picture was removed: {place.address(missing[0] + LIST)} is missing.")
        return
    named = {STORE + line for name in lists for line in _lines(place, name)}
    for name in stored - named:
        place.remove(name)
    if stored - named:
        say(f"Removed {len(stored - named)} pictures that no copy names any more.")


def _lines(place: Place, name: str) -> list[str]:
    with TemporaryDirectory() as folder:
        return place.local(name, folder=Path(folder)).read_text().splitlines()
