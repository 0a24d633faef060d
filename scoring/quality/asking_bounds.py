"""Bounds of how many people are asked about an item, without arrays: web processes load no numpy."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Enough:
    """When an item has enough answers: from `fewest` on, once it is `sure` enough, and with `most` anyway."""

    fewest: int
    most: int
    sure: float

    def __post_init__(self) -> None:
        if not (1 <= self.fewest <= self.most and 0.5 <= self.sure < 1):
            raise ValueError("Enough needs 1 <= fewest <= most and 0.5 <= sure < 1.")
