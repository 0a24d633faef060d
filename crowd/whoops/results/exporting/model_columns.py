"""What models are asked about weird images: columns of a release's frozen rows, and files made of them."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from hits.datasets.columns import FLAG, INTEGER, ROWS, TEXT, Column, Row, column

WEIRD, NORMAL = "weird", "normal"
IDENTIFIED, QUESTIONS = "identified", "question_answers"
# Columns of frozen rows, in no file of images; releases made before this have neither.
FOR_MODELS: Sequence[Column] = (
    column(
        IDENTIFIED,
        ROWS,
        "what people said of it and of its normal partner, once all who were wanted had answered",
        column("variant", TEXT, "weird or normal", of="question.variant"),
        column("yes", INTEGER, "how many said that it is weird", of="votes.yes"),
        column("answers", INTEGER, "of how many", of="votes.of"),
        column("majority", FLAG, "whether most of them said so; empty: a split", of="votes.majority"),
    ),
    column(
        QUESTIONS,
        ROWS,
        "questions about it with their right answers",
        column("question", TEXT, "what names the question", of="question.key"),
        column("text", TEXT, "the question", of="question.text"),
        column("answer", TEXT, "its right answer", of="text"),
        column("source", TEXT, "what made question and answer"),
        of="right_answers",
    ),
)
_PICTURE = (
    column("image", TEXT, "the image's id"),
    column("picture_sha256", TEXT, "of the picture's file"),
)
ANSWERED: Sequence[Column] = (
    *_PICTURE,
    column("question", TEXT, "what names the question"),
    column("text", TEXT, "the question"),
    column("answer", TEXT, "its right answer"),
    column("source", TEXT, "what made question and answer"),
)
SEQUENCES: Sequence[Column] = (
    *_PICTURE,
    column("task", TEXT, "vqa, captioning, matching, identification, explanation or explanation_in_detail"),
    column("input", TEXT, "what a model reads beside the picture"),
    column("target", TEXT, "what it should say"),
)


def questions_in(row: Row) -> Iterator[dict[str, Any]]:
    """Yield a row for each question about an image, with the image's own columns."""
    for one in row.get(QUESTIONS, ()):
        yield {**row, **one, "picture_sha256": row["weird_sha256"], "category": row["category"]}


def pair_of(row: Row) -> Iterator[dict[str, Any]]:
    """Yield an image and its normal partner, where it has one."""
    if row["normal_sha256"]:
        for variant in (WEIRD, NORMAL):
            yield {"variant": variant, "picture_sha256": row[f"{variant}_sha256"]}


def sequences_in(row: Row) -> Iterator[dict[str, Any]]:
    """Yield pairs of an input and its target for fine-tuning, in the words of the paper's Table 4."""
    weird = {**row, "picture_sha256": row["weird_sha256"]}
    for task, text, target in _about_weird(row):
        yield {**weird, "task": task, "input": text, "target": target}
    for picture in pair_of(row):
        asked = {"task": "identification", "input": "Is this normal or weird?", "target": picture["variant"]}
        yield {**row, **picture, **asked}


def _about_weird(row: Row) -> Iterator[tuple[str, str, str]]:
    for one in row.get(QUESTIONS, ()):
        yield "vqa", f"Question: {one['text']}", one["answer"]
    for caption in row["captions"]:
        yield "captioning", "Describe the image.", caption
    for detailed, underspecified in zip(row["captions"], row["underspecified_captions"], strict=True):
        first = _is_first(row["image"], detailed)
        one, other = (detailed, underspecified) if first else (underspecified, detailed)
        yield "matching", f"Which is better? A: {one} B: {other}", "A" if first else "B"
    for explanation in row["explanations"]:
        yield "explanation", "Why is it weird?", explanation
    in_detail = row["edited_explanation"] or row["designer_explanation"]
    yield "explanation_in_detail", "Why is it weird, in detail?", in_detail


def _is_first(image: str, caption: str) -> bool:
    """Whether the detailed caption is A: by lot, and the same whenever the file is written."""
    return sha256(f"{image}:{caption}".encode()).digest()[0] % 2 == 0
