"""The benchmark of questions about weird images."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from crowd.benchmarks.benchmark_tasks import (
    LONGEST_WORDS,
    Answer,
    BenchmarkTask,
    Measure,
    ReleasedItem,
    Scores,
)
from crowd.whoops.judge.domain.negatives import kind_of
from hits.common.uploads import UploadedColumn, text_within
from hits.datasets.columns import Row
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, continuation, words
from scoring.services.asking_rivals import ShownPicture
from scoring.text_metrics import exact_matches

Kind = ModelQuestion.Kind
EXACT = "exact_match"
LEARNED = Measure(key="learned_match", name="Learned match")
# What a language model reads, which sees no picture.
WITHOUT_PICTURE = "Question: {}\nAnswer:"


class AnswerQuestions(BenchmarkTask):
    """Each question has one right answer, out of what a person wrote about the image."""

    family: ClassVar[str] = "whoops"
    key: ClassVar[str] = "questions"
    name: ClassVar[str] = "Answer questions about the weird images"
    about: ClassVar[str] = (
        "An answer to each question, in a few words. It matches exactly if it is the right answer but for "
        "case, marks and articles. A language model answers without the picture: what it gets right needs "
        "none."
    )
    file: ClassVar[str] = "question_answering"
    items: ClassVar[str] = "questions"
    learned: ClassVar[Measure | None] = LEARNED
    measures: ClassVar[Sequence[Measure]] = [LEARNED, Measure(key=EXACT, name="Exact match")]
    columns: ClassVar[Sequence[UploadedColumn]] = [
        UploadedColumn(name="question", help="What names the question, as in the release."),
        UploadedColumn(name="answer", help="The model's answer.", read=text_within(LONGEST_WORDS)),
    ]
    kinds: ClassVar[Sequence[str]] = [Kind.WORDS, Kind.CONTINUATIONS]
    said_of: ClassVar[Mapping[str, str]] = {Kind.CONTINUATIONS: "sees no picture"}

    def name_of(self, row: Row) -> str:
        return str(row["question"])

    def tell(self, item: ReleasedItem) -> Row:
        return {"text": item.shown["text"], "sha256": item.shown["picture_sha256"]}

    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        if kind == Kind.CONTINUATIONS:
            return [[continuation(WITHOUT_PICTURE.format(item.row["text"]))] for item in items]
        return [
            [words(item.row["text"], ShownPicture(sha256=item.row["picture_sha256"], caption=""))]
            for item in items
        ]

    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        return outputs[0]

    def read(self, item: ReleasedItem, cells: Mapping[str, Any]) -> Answer:
        return cells["answer"]

    def write(self, item: ReleasedItem, answer: Answer) -> Mapping[str, Any]:
        return {"answer": answer}

    def score(self, item: ReleasedItem, answer: Answer) -> Scores:
        (is_exact,) = exact_matches(candidates=[answer], references=[self.right_answers(item)])
        return {EXACT: Fraction(is_exact)}

    def right_answers(self, item: ReleasedItem) -> Sequence[str]:
        return [item.row["answer"]]

    def groups(self, item: ReleasedItem) -> Mapping[str, Sequence[str]]:
        return {
            "kind": [kind_of(item.row["text"])],
            "source": [item.row["source"]] if item.row["source"] else [],
            "category": [item.row["category"]] if item.row["category"] else [],
        }
