"""Drawing by lot: the same seed ranks the same keys alike, whatever other keys there are."""

from collections.abc import Iterable
from hashlib import sha256


def draw(keys: Iterable[str], *, seed: int) -> list[str]:
    """All keys in the order of the lot; a caller who needs only some takes the first ones."""
    return sorted(set(keys), key=lambda key: (_lot(key, seed=seed), key))


def _lot(key: str, *, seed: int) -> str:
    return sha256(f"{seed} {key}".encode()).hexdigest()
