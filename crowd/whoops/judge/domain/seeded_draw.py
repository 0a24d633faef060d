"""What is drawn by lot: the same seed draws the same, whatever else there is."""

from collections.abc import Iterable
from hashlib import sha256


def draw(keys: Iterable[str], *, seed: int) -> list[str]:
    """All of them, in the order of the lot: whoever wants some takes the first ones."""
    return sorted(set(keys), key=lambda key: (_lot(key, seed=seed), key))


def _lot(key: str, *, seed: int) -> str:
    return sha256(f"{seed} {key}".encode()).hexdigest()
