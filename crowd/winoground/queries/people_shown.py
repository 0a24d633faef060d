"""Gendered words in captions, and who the metadata of pictures speak of (Appendix F of the paper)."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from django.db.models import QuerySet

from crowd.winoground.domain.gendered_words import (
    Shown,
    gendered_places,
    gendered_words,
    shown_by,
    words_about_people,
)
from crowd.winoground.models import Example, GenderedConfirmation


@dataclass(frozen=True, kw_only=True)
class GenderedExample:
    """An example with gendered words in its captions. `open`: those that nobody has let stay."""

    example: Example
    words: Sequence[str]
    open: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class PictureMetadata:
    """What is written about one picture. `shown` is None if no word of it is about people."""

    example: Example
    side: int
    sha256: str
    text: str
    words: Sequence[str]
    shown: Shown | None


@dataclass(frozen=True, kw_only=True)
class PeopleEstimate:
    """Counts of pictures. `told`: those with metadata; `named`: those with a word about people in them."""

    pictures: int
    told: int
    by: Mapping[Shown, int]

    @property
    def named(self) -> int:
        return sum(self.by.values())


def confirmed_places(example: Example) -> frozenset[tuple[int, str]]:
    """Words that somebody let stay in this example, each with the caption where it stays."""
    return frozenset(place for one in example.gendered_confirmations.all() for place in _places_of(one))


def unconfirmed_places(example: Example) -> list[tuple[int, str]]:
    """Gendered words that nobody has let stay in their caption."""
    stays = confirmed_places(example)
    return [place for place in gendered_places(example.caption_0, example.caption_1) if place not in stays]


def unconfirmed_words(example: Example) -> list[str]:
    """Gendered words that nobody has let stay in one of the captions or both, each once."""
    return list(dict.fromkeys(word for _, word in unconfirmed_places(example)))


def _places_of(confirmation: GenderedConfirmation) -> Iterator[tuple[int, str]]:
    if confirmation.places is None:
        yield from product((0, 1), confirmation.words)
    else:
        yield from ((caption, word) for caption, word in confirmation.places)


def gendered_examples(examples: QuerySet[Example]) -> list[GenderedExample]:
    """Examples with gendered words, in two queries; those to be confirmed come first."""
    rows = examples.exclude(state=Example.State.WITHDRAWN).select_related("author").order_by("number")
    found = [
        GenderedExample(example=row, words=words, open=unconfirmed_words(row))
        for row in rows.prefetch_related("gendered_confirmations__by")
        if (words := gendered_words(row.caption_0, row.caption_1))
    ]
    return sorted(found, key=lambda one: not one.open)


def picture_metadata(examples: QuerySet[Example]) -> Iterator[PictureMetadata]:
    """Each picture of the examples once: where it is shown first with something written about it."""
    rows = examples.exclude(state=Example.State.WITHDRAWN).select_related("image_0", "image_1")
    seen: dict[int, PictureMetadata] = {}
    for example in rows.order_by("number"):
        for side, picture in enumerate((example.image_0, example.image_1)):
            text = (example.metadata_0, example.metadata_1)[side]
            if picture is None or (picture.pk in seen and (seen[picture.pk].text or not text)):
                continue
            seen[picture.pk] = PictureMetadata(
                example=example,
                side=side,
                sha256=picture.sha256,
                text=text,
                words=words_about_people(text),
                shown=shown_by(text),
            )
    yield from seen.values()


def estimate(pictures: Collection[PictureMetadata]) -> PeopleEstimate:
    counts = Counter(one.shown for one in pictures if one.shown is not None)
    return PeopleEstimate(
        pictures=len(pictures),
        told=sum(bool(one.text) for one in pictures),
        by={shown: counts[shown] for shown in Shown},
    )
