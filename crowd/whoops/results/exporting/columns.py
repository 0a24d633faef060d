"""Columns of the files of images, and where each value is read."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from crowd.pictures.columns import picture_columns
from hits.datasets.columns import FLAG, INTEGER, MOMENT, PERSON, ROWS, TEXT, TEXTS, Column, column


def _made(prefix: str, of: Callable[[Any], Any]) -> Sequence[Column]:
    """Columns that say how an image, or a partner that may be missing, was made."""

    def told(name: str) -> Callable[[Any], str]:
        return lambda row: getattr(of(row), name, "")

    return (
        column(f"{prefix}prompt", TEXT, "what it was made from", of=told("prompt")),
        column(f"{prefix}seed", TEXT, "the seed it was made with", of=told("seed")),
        column(f"{prefix}tool", TEXT, "what it was made with", of=told("tool")),
    )


def _each(name: str) -> Callable[[Any], list[str]]:
    return lambda row: [getattr(one, name) for one in row.annotations]


IMAGES: Sequence[Column] = (
    column("image", TEXT, "the image's id", of=lambda row: str(row.image.public_id)),
    column("number", INTEGER, "its number in the study, as files name it", of="image.number"),
    column(
        "category",
        TEXT,
        "what kind of common sense it goes against",
        of=lambda row: str(row.image.category or ""),
    ),
    column(
        "category_origin",
        TEXT,
        "paper: named in the paper; ours: of our list, and not in the paper; added: by staff",
        of=lambda row: getattr(row.image.category, "origin", ""),
    ),
    *picture_columns("weird", "the weird image", of=attrgetter("image.picture")),
    *_made("", attrgetter("image")),
    column("normal_pair", TEXT, "what would be normal", of="image.normal_pair"),
    column("weird_pair", TEXT, "what the image shows instead", of="image.weird_pair"),
    column("designer", PERSON, "the designer's pseudonym", of="image.designer.public_id"),
    column("designer_explanation", TEXT, "why it is weird, as its designer says", of="image.explanation"),
    column(
        "edited_explanation",
        TEXT,
        "the same as researchers have edited it; empty: they have not",
        of="image.edited_explanation",
    ),
    column("captions", TEXTS, "annotators' captions, both parts named", of=_each("caption")),
    column("explanations", TEXTS, "annotators' explanations, in the same order", of=_each("explanation")),
    column(
        "underspecified_captions",
        TEXTS,
        "captions that leave a part out, in the same order",
        of=_each("underspecified"),
    ),
    *picture_columns("normal", "its normal partner", of=lambda row: getattr(row.normal, "picture", None)),
    *_made("normal_", attrgetter("normal")),
    *picture_columns("natural", "its natural partner", of=lambda row: getattr(row.natural, "picture", None)),
)
PROVENANCE: Sequence[Column] = (
    column("study", TEXT, "the study's id", of=lambda row: str(row.image.project.study.public_id)),
    column("state", TEXT, "accepted, or the state that it is in instead", of="image.state"),
    column("sent_at", MOMENT, "when its designer first sent it", of="image.sent_at"),
    column("accepted_at", MOMENT, "when it was accepted", of="image.accepted_at"),
    column("normal_element", TEXT, "the part that would be normal", of="image.normal_element"),
    column("weird_element", TEXT, "the part that stands there instead", of="image.weird_element"),
    column("shared_element", TEXT, "the part they go with", of="image.shared_element"),
    column(
        "revisions",
        ROWS,
        "each time it was sent, and what became of that",
        column("number", INTEGER, "the first is 1"),
        column("sent_at", MOMENT, "when"),
        column("outcome", TEXT, "returned, accepted, refused or withdrawn; empty: not decided"),
        column("reason", TEXT, "the reason that its designer read"),
    ),
    column(
        "control_group",
        ROWS,
        "what people who did not know saw in it",
        column("revision", INTEGER, "in which of its revisions"),
        column("by", PERSON, "pseudonym", of="worker.public_id"),
        column("text", TEXT, "what they saw; empty: nothing weird"),
        column("seen", FLAG, "whether that is what its designer meant; empty: not decided"),
        of="control_answers",
    ),
    column(
        "edits",
        ROWS,
        "what researchers changed in what its designer had sent",
        column("revision", INTEGER, "in which of its revisions"),
        column("what", TEXT, "explanation or category"),
        column("before", TEXT, "what was there; empty: nothing"),
        column("after", TEXT, "what is there instead"),
        column("why", TEXT, "the reason"),
        column("by", PERSON, "pseudonym", of="by.public_id"),
        column("at", MOMENT, "when"),
    ),
    column(
        "annotations",
        ROWS,
        "its annotations that count, in the same order as the captions",
        column("annotation", INTEGER, "its number, as files of models' scores name it", of="pk"),
        column("by", PERSON, "pseudonym", of="worker.public_id"),
        column("at", MOMENT, "when it was submitted", of="assignment.submitted_at"),
        column("flags", TEXTS, "what text filters found in it, each with its text"),
        column(
            "filters",
            TEXTS,
            "the filters that have read it, each with its version",
            of=lambda row: [f"{one['filter']} {one['version']}" for one in row.filtered_by],
        ),
    ),
)
FULL: Sequence[Column] = (*IMAGES, *PROVENANCE)
