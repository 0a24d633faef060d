"""What a row has: of an example, with its scores; and of one answer."""

from collections.abc import Sequence

from crowd.winoground.domain import PLACES
from crowd.winoground.domain.scores import Kind
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, ROWS, TEXT, TEXTS, Column, column

SIDES = (0, 1)


def name_of(caption: int, image: int) -> str:
    """What files call a combination."""
    return f"c{caption}_i{image}"


def _counts(caption: int, image: int) -> Sequence[Column]:
    what = f"caption {caption} with image {image}"
    return (
        column(f"yes_{name_of(caption, image)}", INTEGER, f"how many say that {what} match"),
        column(f"answers_{name_of(caption, image)}", INTEGER, f"of how many who were asked about {what}"),
    )


def _image(side: int) -> Sequence[Column]:
    return (
        column(f"image_{side}_file", TEXT, f"image {side}: the name of its file"),
        column(f"image_{side}_sha256", TEXT, "SHA-256 of that file"),
        column(f"image_{side}_credit", TEXT, "whose picture it is"),
        column(f"image_{side}_licence", TEXT, "its licence"),
        column(f"image_{side}_source", TEXT, "where it is from"),
    )


EXAMPLES: Sequence[Column] = (
    column("example", TEXT, "the example's id, as files of models' scores may name it"),
    column("number", INTEGER, "its number in the study"),
    column("caption_0", TEXT, "the caption that belongs to image 0"),
    column("caption_1", TEXT, "the caption that belongs to image 1"),
    *(one for side in SIDES for one in _image(side)),
    column("swap", TEXT, "what is swapped: object, relation or both"),
    column("tags", TEXTS, "the fine tags of the swap"),
    column("predicates", INTEGER, "main predicates of a caption"),
    column("symbolic", FLAG, "something must be understood as a symbol"),
    column("series", FLAG, "both images are of one series"),
    column("pragmatic", FLAG, "an image is not to be taken literally"),
    column("altered_morpheme", FLAG, "a word changes its form between the captions"),
    *(one for place in PLACES for one in _counts(*place)),
    *(column(kind, FLAG, f"whether people are right by the {kind} score; empty: open") for kind in Kind),
)
PROVENANCE: Sequence[Column] = (
    column("study", TEXT, "the study's id"),
    column("state", TEXT, "asked; or withdrawn, which counts nowhere"),
    column("author", TEXT, "pseudonym of who wrote it"),
    column("created_at", MOMENT, "when it was begun"),
    column("asked_at", MOMENT, "when workers were first asked about it"),
    column(
        "models",
        ROWS,
        "models' scores of it",
        column("model", TEXT, "the model's name"),
        *(column(name_of(*place), NUMBER, "its score of this combination") for place in PLACES),
        *(column(kind, FLAG, f"whether it is right by the {kind} score") for kind in Kind),
    ),
)
FULL: Sequence[Column] = (*EXAMPLES, *PROVENANCE)
ANSWERS: Sequence[Column] = (
    column("example", TEXT, "the example's id"),
    column("number", INTEGER, "its number in the study"),
    column("caption", INTEGER, "which caption was shown: 0 or 1"),
    column("image", INTEGER, "which image was shown: 0 or 1"),
    column("belong_together", FLAG, "whether they are of one pair"),
    column("match", FLAG, "the answer: whether the caption matches the image"),
    column("by", TEXT, "pseudonym of the worker"),
    column("at", MOMENT, "when it was handed in"),
)
