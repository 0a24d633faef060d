"""Benchmarks of weird images: which caption fits better, and what a model says that an image shows."""

from collections.abc import Iterable, Mapping, Sequence
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
from hits.common.uploads import UploadedColumn, read_number, text_within
from hits.datasets.columns import Row
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, perplexity, scores, words
from scoring.services.asking_rivals import ShownPicture
from scoring.services.picture_places import captions_of
from scoring.text_metrics import cider, corpus_bleu

Kind = ModelQuestion.Kind
RANKED, BLEU, CIDER = "ranked", "bleu_4", "cider"
DETAILED, UNDERSPECIFIED = "detailed", "underspecified"
HALF = Fraction(1, 2)


class RankCaptions(BenchmarkTask):
    """An image has one item for each of its annotations."""

    family: ClassVar[str] = "whoops"
    key: ClassVar[str] = "matching"
    name: ClassVar[str] = "Rank detailed above underspecified captions"
    about: ClassVar[str] = (
        "A score for each of the two captions of an annotation with the weird image. The caption that names "
        "both parts should fit better than the one that leaves a part out; equal numbers are a tie, which is "
        "wrong. A language model reads the captions alone, and the more probable one counts for it: what it "
        "gets right needs no picture."
    )
    file: ClassVar[str] = "images"
    items: ClassVar[str] = "annotations"
    measures: ClassVar[Sequence[Measure]] = [Measure(key=RANKED, name="Ranked right")]
    columns: ClassVar[Sequence[UploadedColumn]] = [
        UploadedColumn(
            name="annotation",
            help="The image's id, a dash, and the place of the caption in the image's list, from 1.",
        ),
        UploadedColumn(name=DETAILED, help="The score of the detailed caption.", read=read_number),
        UploadedColumn(
            name=UNDERSPECIFIED, help="The score of the underspecified caption.", read=read_number
        ),
    ]
    kinds: ClassVar[Sequence[str]] = [Kind.SCORES, Kind.PERPLEXITIES]
    said_of: ClassVar[Mapping[str, str]] = {Kind.PERPLEXITIES: "sees no picture"}

    def divide(self, row: Row) -> Iterable[Row]:
        pairs = zip(row["captions"], row["underspecified_captions"], strict=True)
        for place, (detailed, underspecified) in enumerate(pairs, start=1):
            yield {
                "annotation": f"{row['image']}-{place}",
                DETAILED: detailed,
                UNDERSPECIFIED: underspecified,
                "sha256": row["weird_sha256"],
                "category": row["category"],
            }

    def name_of(self, row: Row) -> str:
        return str(row["annotation"])

    def tell(self, item: ReleasedItem) -> Row | None:
        """Tell the captions of images that are not hidden: which of them is detailed is the label."""
        if item.is_hidden:
            return None
        return {name: item.row[name] for name in ("sha256", DETAILED, UNDERSPECIFIED)}

    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        if kind == Kind.PERPLEXITIES:
            return [[perplexity(item.row[one]) for one in (DETAILED, UNDERSPECIFIED)] for item in items]
        captions = captions_of([item.row["sha256"] for item in items])
        return [[_question(item.row, captions)] for item in items]

    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        """Return a number for each caption, of which the larger counts: of perplexities the inverse."""
        if kind == Kind.PERPLEXITIES:
            return [1 / value for value in outputs]
        (table,) = outputs
        return [row[0] for row in table]

    def read(self, item: ReleasedItem, cells: Mapping[str, Any]) -> Answer:
        return [cells[DETAILED], cells[UNDERSPECIFIED]]

    def write(self, item: ReleasedItem, answer: Answer) -> Mapping[str, Any]:
        return dict(zip((DETAILED, UNDERSPECIFIED), answer, strict=True))

    def score(self, item: ReleasedItem, answer: Answer) -> Scores:
        return {RANKED: Fraction(answer[0] > answer[1])}

    def chance(self, item: ReleasedItem) -> Scores:
        return {RANKED: HALF}

    def groups(self, item: ReleasedItem) -> Mapping[str, Sequence[str]]:
        return {"category": [item.row["category"]] if item.row["category"] else []}


class DescribeImages(BenchmarkTask):
    """A model's caption is compared with the annotators' by the figures of the captioning literature."""

    family: ClassVar[str] = "whoops"
    key: ClassVar[str] = "description"
    name: ClassVar[str] = "Describe the weird images"
    about: ClassVar[str] = (
        "A caption of each weird image. All captions together are compared with those of the annotators, by "
        "BLEU-4 and CIDEr; the literature prints both times 100. A single image has no CIDEr."
    )
    file: ClassVar[str] = "images"
    items: ClassVar[str] = "images"
    measures: ClassVar[Sequence[Measure]] = [
        Measure(key=BLEU, name="BLEU-4", of_whole=True),
        Measure(key=CIDER, name="CIDEr", of_whole=True),
    ]
    columns: ClassVar[Sequence[UploadedColumn]] = [
        UploadedColumn(name="image", help="The image's id, as in the release."),
        UploadedColumn(
            name="caption", help="The model's caption of the weird image.", read=text_within(LONGEST_WORDS)
        ),
    ]
    kinds: ClassVar[Sequence[str]] = [Kind.WORDS]

    def wanted(self, row: Row) -> bool:
        return bool(row["captions"])

    def name_of(self, row: Row) -> str:
        return str(row["image"])

    def tell(self, item: ReleasedItem) -> Row:
        return {"sha256": item.shown["weird_sha256"]}

    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        shown = [ShownPicture(sha256=item.row["weird_sha256"], caption="") for item in items]
        return [[words("", picture)] for picture in shown]

    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        return outputs[0]

    def read(self, item: ReleasedItem, cells: Mapping[str, Any]) -> Answer:
        return cells["caption"]

    def write(self, item: ReleasedItem, answer: Answer) -> Mapping[str, Any]:
        return {"caption": answer}

    def whole(self, answered: Sequence[tuple[ReleasedItem, Answer]]) -> Mapping[str, float]:
        candidates = [answer for _, answer in answered]
        references = [item.row["captions"] for item, _ in answered]
        return {
            BLEU: corpus_bleu(candidates=candidates, references=references),
            CIDER: cider(candidates=candidates, references=references),
        }


def _question(row: Row, captions: Mapping[str, str]) -> NewQuestion:
    shown = ShownPicture(sha256=row["sha256"], caption=captions.get(row["sha256"], ""))
    return scores([row[DETAILED], row[UNDERSPECIFIED]], [shown])
