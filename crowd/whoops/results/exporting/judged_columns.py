"""Columns of the files of judged questions and of single answers, and where each value is read."""

from collections.abc import Sequence

from crowd.whoops.models.judged_items import Question
from hits.datasets.columns import FLAG, INTEGER, MOMENT, PERSON, TEXT, Column, column


def kind_of(question: Question) -> str:
    """The kind's short name: “captions” for “whoops.captions”."""
    return question.kind.rpartition(".")[2]


QUESTIONS: Sequence[Column] = (
    column("question", TEXT, "what names the question within its kind", of="question.key"),
    column(
        "kind",
        TEXT,
        "identify: weird or not; explanations; answers; captions: right or not",
        of=lambda judged: kind_of(judged.question),
    ),
    column("image", TEXT, "the image's id", of=lambda judged: str(getattr(judged.image, "public_id", ""))),
    column("number", INTEGER, "the image's number", of=lambda judged: getattr(judged.image, "number", None)),
    column(
        "variant", TEXT, "weird for the image itself; or its normal or natural partner", of="question.variant"
    ),
    column(
        "text", TEXT, "the question that was asked about the image, where there is one", of="question.text"
    ),
    column("option", INTEGER, "the number of what was judged, within the question", of="option.number"),
    column("option_text", TEXT, "what was judged: an explanation, an answer, a caption", of="option.text"),
    column("source", TEXT, "people, designer, or the name of a model", of="option.source"),
    column("label", FLAG, "what it was known to be: weird, right; empty: nobody knew", of="option.label"),
    column("yes", INTEGER, "how many judges said yes, or marked it", of="votes.yes"),
    column("answers", INTEGER, "of how many", of="votes.of"),
    column(
        "majority",
        FLAG,
        "what most of them say; empty: a split, or judges are missing",
        of=lambda judged: judged.votes.majority if judged.complete else None,
    ),
    column("complete", FLAG, "whether as many judges as are wanted have answered"),
    column(
        "sample",
        INTEGER,
        "the sample for verification that it was drawn in; empty: none",
        of="question.sample_id",
    ),
    column(
        "sample_seed",
        INTEGER,
        "the seed of that sample",
        of=lambda judged: getattr(judged.question.sample, "seed", None),
    ),
    column("sample_place", INTEGER, "its place in that sample, from 1", of="question.sample_place"),
)
ANSWERS: Sequence[Column] = (
    column("question", TEXT, "what names the question within its kind", of="item.whoops_question.key"),
    column("kind", TEXT, "as in the file of questions", of=lambda score: kind_of(score.item.whoops_question)),
    column(
        "option",
        INTEGER,
        "the number of what was judged",
        of=lambda score: int(score.measure.rpartition("-")[2]),
    ),
    column(
        "yes", FLAG, "the answer: whether it is so, or was marked", of=lambda score: bool(score.numerator)
    ),
    column("by", PERSON, "pseudonym of the judge", of="assignment.worker.public_id"),
    column("at", MOMENT, "when it was submitted", of="assignment.submitted_at"),
)
