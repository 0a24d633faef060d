"""Whether a model scores the detailed caption higher than the one that leaves something out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from crowd.whoops.judge.domain.votes import Share


@dataclass(frozen=True, kw_only=True)
class Specificity:
    """How well a model ranks: over all pairs, and as the mean over images, each of which counts the same."""

    pairs: Share
    images: int
    mean_of_images: Fraction | None


def is_ranked_rightly(*, detailed: float, underspecified: float) -> bool:
    """Whether the detailed caption scores higher; a tie is wrong."""
    return detailed > underspecified


def specificity(by_image: Iterable[Share]) -> Specificity:
    """Combine the shares of images; each share says how many pairs of one image are ranked rightly."""
    shares = [share for share in by_image if share.of]
    values = [share.value or Fraction(0) for share in shares]
    return Specificity(
        pairs=Share(right=sum(one.right for one in shares), of=sum(one.of for one in shares)),
        images=len(shares),
        mean_of_images=sum(values, Fraction(0)) / len(values) if values else None,
    )


def shares_by_image(pairs: Iterable[tuple[int, float, float]]) -> Mapping[int, Share]:
    """Each image's share of rightly ranked pairs, from rows of image, detailed and underspecified score."""
    counts: dict[int, list[bool]] = {}
    for image, detailed, underspecified in pairs:
        counts.setdefault(image, []).append(
            is_ranked_rightly(detailed=detailed, underspecified=underspecified)
        )
    return {image: Share(right=sum(rights), of=len(rights)) for image, rights in counts.items()}
