"""Shares of examples that people or a model are right about, by each score."""

from collections.abc import Sequence
from dataclasses import dataclass

from crowd.winoground.domain.caption_scores import Kind, Right
from crowd.winoground.domain.statistics import Share, share_of


@dataclass(frozen=True, kw_only=True)
class Summary:
    text: Share
    image: Share
    group: Share

    @property
    def of(self) -> int:
        return self.group.of

    def by(self, kind: Kind) -> Share:
        share: Share = getattr(self, kind)
        return share


def summarize(rights: Sequence[Right]) -> Summary:
    """Summarize rights that are given in the order of the examples' numbers."""
    return Summary(**{kind: share_of([right.by(kind) for right in rights]) for kind in Kind})
