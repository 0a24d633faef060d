"""What a row of an image has."""

from collections.abc import Sequence

from hits.datasets.columns import FLAG, INTEGER, MOMENT, ROWS, TEXT, TEXTS, Column, column


def _picture(name: str, words: str) -> Sequence[Column]:
    return (
        column(f"{name}_file", TEXT, f"{words}: the name of its file"),
        column(f"{name}_sha256", TEXT, "SHA-256 of that file"),
        column(f"{name}_credit", TEXT, "whose picture it is"),
        column(f"{name}_licence", TEXT, "its licence"),
        column(f"{name}_source", TEXT, "where it is from"),
    )


def _made(name: str) -> Sequence[Column]:
    return (
        column(f"{name}prompt", TEXT, "what it was made from"),
        column(f"{name}seed", TEXT, "the seed it was made with"),
        column(f"{name}tool", TEXT, "what it was made with"),
    )


IMAGES: Sequence[Column] = (
    column("image", TEXT, "the image's id"),
    column("number", INTEGER, "its number in the study, as files name it"),
    column("category", TEXT, "what kind of common sense it goes against"),
    *_picture("weird", "the weird image"),
    *_made(""),
    column("normal_pair", TEXT, "what would be normal"),
    column("weird_pair", TEXT, "what the image shows instead"),
    column("designer", TEXT, "pseudonym of who made it"),
    column("designer_explanation", TEXT, "why it is weird, as its designer says"),
    column("captions", TEXTS, "annotators' captions, both parts named"),
    column("explanations", TEXTS, "annotators' explanations, in the same order"),
    column("underspecified_captions", TEXTS, "captions that leave a part out, in the same order"),
    *_picture("normal", "its normal partner"),
    *_made("normal_"),
    *_picture("natural", "its natural partner"),
)
PROVENANCE: Sequence[Column] = (
    column("study", TEXT, "the study's id"),
    column("state", TEXT, "accepted; or what else became of it"),
    column("sent_at", MOMENT, "when its designer first sent it"),
    column("accepted_at", MOMENT, "when it was accepted"),
    column("normal_element", TEXT, "the part that would be normal"),
    column("weird_element", TEXT, "the part that stands there instead"),
    column("shared_element", TEXT, "the part they go with"),
    column(
        "revisions",
        ROWS,
        "each time it was sent, and what became of that",
        column("number", INTEGER, "the first is 1"),
        column("sent_at", MOMENT, "when"),
        column("outcome", TEXT, "returned, accepted, refused or withdrawn; empty: not decided"),
        column("reason", TEXT, "what its designer was told"),
    ),
    column(
        "control_group",
        ROWS,
        "what people who did not know saw in it",
        column("revision", INTEGER, "in which of its revisions"),
        column("by", TEXT, "pseudonym"),
        column("text", TEXT, "what they saw; empty: nothing weird"),
        column("seen", FLAG, "whether that is what its designer meant; empty: not decided"),
    ),
    column(
        "annotations",
        ROWS,
        "its annotations that count, in the same order as the captions",
        column("annotation", INTEGER, "its number, as files of models' scores name it"),
        column("by", TEXT, "pseudonym"),
        column("at", MOMENT, "when it was handed in"),
    ),
)
FULL: Sequence[Column] = (*IMAGES, *PROVENANCE)
