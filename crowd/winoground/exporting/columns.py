"""Columns of the files of examples and of answers, and where each value is read."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from crowd.pictures.columns import picture_columns
from crowd.winoground.domain import PLACES
from crowd.winoground.domain.caption_scores import Kind
from crowd.winoground.domain.gendered_words import gendered_words
from hits.datasets.columns import FLAG, INTEGER, MOMENT, PERSON, ROWS, TEXT, TEXTS, Column, column

PAIRING = "item.winoground_pairing"


def name_of(caption: int, image: int) -> str:
    """The name of a combination in files."""
    return f"c{caption}_i{image}"


def _votes(what: str, place: int) -> Callable[[Any], int]:
    return lambda told: getattr(told.votes[place], what, 0)


def _counts(place: int) -> Sequence[Column]:
    caption, image = PLACES[place]
    what, name = f"caption {caption} with image {image}", name_of(caption, image)
    return (
        column(f"yes_{name}", INTEGER, f"how many say that {what} match", of=_votes("yes", place)),
        column(
            f"answers_{name}",
            INTEGER,
            f"of how many who were asked about {what}",
            of=_votes("answers", place),
        ),
    )


def _right(kind: Kind) -> Callable[[Any], bool | None]:
    return lambda told: None if told.four is None else told.four.right.by(kind)


EXAMPLES: Sequence[Column] = (
    column(
        "example",
        TEXT,
        "the example's id, as files of models' answers name it",
        of=lambda told: str(told.example.public_id),
    ),
    column("number", INTEGER, "its number in the study", of="example.number"),
    column("caption_0", TEXT, "the caption that belongs to image 0", of="example.caption_0"),
    column("caption_1", TEXT, "the caption that belongs to image 1", of="example.caption_1"),
    *picture_columns("image_0", "image 0", of=attrgetter("example.image_0")),
    *picture_columns("image_1", "image 1", of=attrgetter("example.image_1")),
    column("swap", TEXT, "what is swapped: object, relation or both", of="example.swap"),
    column(
        "tags",
        TEXTS,
        "the fine tags of the swap",
        of=lambda told: [tag.name for tag in told.example.tags.all()],
    ),
    column("predicates", INTEGER, "main predicates of a caption", of="example.predicates"),
    column("symbolic", FLAG, "something must be understood as a symbol", of="example.is_symbolic"),
    column("series", FLAG, "both images are of one series", of="example.is_series"),
    column("pragmatic", FLAG, "an image is not to be taken literally", of="example.is_pragmatic"),
    column(
        "altered_morpheme",
        FLAG,
        "a word changes its form between the captions",
        of="example.has_altered_morpheme",
    ),
    *(one for place in range(len(PLACES)) for one in _counts(place)),
    *(
        column(kind, FLAG, f"whether people are right by the {kind} score; empty: open", of=_right(kind))
        for kind in Kind
    ),
)
PROVENANCE: Sequence[Column] = (
    column("study", TEXT, "the study's id", of=lambda told: str(told.example.project.study.public_id)),
    column("state", TEXT, "asked; or withdrawn, which counts nowhere", of="example.state"),
    column("author", PERSON, "the author's pseudonym", of="example.author.public_id"),
    column("created_at", MOMENT, "when it was begun", of="example.created_at"),
    column("asked_at", MOMENT, "when workers were first asked about it", of="example.asked_at"),
    column("metadata_0", TEXT, "image 0's title and description at its source", of="example.metadata_0"),
    column("metadata_1", TEXT, "image 1's title and description at its source", of="example.metadata_1"),
    column(
        "gendered_words",
        TEXTS,
        "gendered words of its captions",
        of=lambda told: gendered_words(told.example.caption_0, told.example.caption_1),
    ),
    column(
        "gendered_confirmations",
        ROWS,
        "who let gendered words stay, and why",
        column("words", TEXTS, "these words"),
        column("reason", TEXT, "why they stay"),
        column("by", PERSON, "pseudonym", of="by.public_id"),
        column("at", MOMENT, "when"),
        of=lambda told: told.example.gendered_confirmations.all(),
    ),
)
FULL: Sequence[Column] = (*EXAMPLES, *PROVENANCE)
ANSWERS: Sequence[Column] = (
    column(
        "example",
        TEXT,
        "the example's id",
        of=lambda score: str(score.item.winoground_pairing.example.public_id),
    ),
    column("number", INTEGER, "its number in the study", of=f"{PAIRING}.example.number"),
    column("caption", INTEGER, "which caption was shown: 0 or 1", of=f"{PAIRING}.caption"),
    column("image", INTEGER, "which image was shown: 0 or 1", of=f"{PAIRING}.image"),
    column("belong_together", FLAG, "whether they are of one pair", of=f"{PAIRING}.is_match"),
    column(
        "match",
        FLAG,
        "the answer: whether the caption matches the image",
        of=lambda score: bool(score.numerator),
    ),
    column("by", PERSON, "pseudonym of the worker", of="assignment.worker.public_id"),
    column("at", MOMENT, "when it was submitted", of="assignment.submitted_at"),
)
