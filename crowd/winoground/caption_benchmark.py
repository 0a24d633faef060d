"""The benchmark of caption matching: a score for each caption with each image of an example."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, ClassVar

from crowd.benchmarks.benchmark_tasks import (
    Answer,
    BenchmarkTask,
    Measure,
    Number,
    Relation,
    ReleasedItem,
    Scores,
)
from crowd.releases.models import Release
from crowd.winoground.domain import PLACES
from crowd.winoground.domain.caption_scores import CHANCE, Kind, PairScores, count_words
from crowd.winoground.exporting.columns import name_of
from crowd.winoground.models import Example
from hits.common.uploads import UploadedColumn, read_number
from hits.datasets.columns import Row
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, perplexity, regions, scores
from scoring.services.asking_rivals import ShownPicture
from scoring.services.picture_places import captions_of

NAMES = tuple(name_of(*place) for place in PLACES)
VISUAL = ("symbolic", "series", "pragmatic")
PERPLEXITY = Relation(
    key="perplexity",
    name="Perplexity of a caption with its scores",
    reads=ModelQuestion.Kind.PERPLEXITIES,
)
LENGTH = Relation(key="length", name="Length of both captions with the group score")


class MatchCaptions(BenchmarkTask):
    family: ClassVar[str] = "winoground"
    key: ClassVar[str] = "captions"
    name: ClassVar[str] = "Match captions and images"
    about: ClassVar[str] = (
        "A score for each caption with each image of an example: the larger, the better they match. Only "
        "which of two is larger counts; equal numbers are a tie, which is wrong."
    )
    file: ClassVar[str] = "examples"
    items: ClassVar[str] = "examples"
    measures: ClassVar[Sequence[Measure]] = [
        Measure(key=str(kind), name=str(kind).capitalize()) for kind in Kind
    ]
    columns: ClassVar[Sequence[UploadedColumn]] = [
        UploadedColumn(name="example", help="The example's id, as in the release."),
        *(
            UploadedColumn(
                name=name, help=f"The score of caption {place[0]} with image {place[1]}.", read=read_number
            )
            for name, place in zip(NAMES, PLACES, strict=True)
        ),
    ]
    has_intervals: ClassVar[bool] = True
    kinds: ClassVar[Sequence[str]] = [ModelQuestion.Kind.SCORES]
    people: ClassVar[str] = "People"
    relations: ClassVar[Sequence[Relation]] = [PERPLEXITY, LENGTH]
    has_regions: ClassVar[bool] = True

    def name_of(self, row: Row) -> str:
        return str(row["example"])

    def tell(self, item: ReleasedItem) -> Row:
        told = ("caption_0", "caption_1", "image_0_sha256", "image_1_sha256")
        return {name: item.shown[name] for name in told}

    def words(self, item: ReleasedItem) -> Sequence[str]:
        return [f"0: {item.shown['caption_0']}", f"1: {item.shown['caption_1']}"]

    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        captions = captions_of([item.row[f"image_{place}_sha256"] for item in items for place in (0, 1)])
        return [[_question(item.row, captions)] for item in items]

    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        (table,) = outputs
        return [table[caption][image] for caption, image in PLACES]

    def read(self, item: ReleasedItem, cells: Mapping[str, Any]) -> Answer:
        """Read the scores, and put them into the order of the labels where the images were exchanged."""
        return _exchanged(item, [cells[name] for name in NAMES])

    def write(self, item: ReleasedItem, answer: Answer) -> Mapping[str, Any]:
        return dict(zip(NAMES, _exchanged(item, answer), strict=True))

    def score(self, item: ReleasedItem, answer: Answer) -> Scores:
        return _scores(PairScores(*answer))

    def chance(self, item: ReleasedItem) -> Scores:
        return {str(kind): CHANCE[kind] for kind in Kind}

    def people_answer(self, item: ReleasedItem) -> Answer:
        return [Fraction(item.row[f"yes_{name}"], item.row[f"answers_{name}"]) for name in NAMES]

    def people_scores(self, item: ReleasedItem) -> Scores | None:
        if any(not item.row[f"answers_{name}"] for name in NAMES):
            return None
        return _scores(PairScores(*self.people_answer(item)))

    def reading_questions(self, items: Sequence[ReleasedItem]) -> Sequence[Sequence[NewQuestion]]:
        return [[perplexity(item.row["caption_0"]), perplexity(item.row["caption_1"])] for item in items]

    def related(
        self, relation: Relation, item: ReleasedItem, answer: Answer, outputs: Sequence[Any] | None
    ) -> Iterator[tuple[Number, Number]]:
        """Yield each caption with each image, or the example as a whole, as the paper has them."""
        if relation == LENGTH:
            words = count_words(item.row["caption_0"]) + count_words(item.row["caption_1"])
            yield words, int(PairScores(*answer).right.group)
            return
        for (caption, _), score in zip(PLACES, answer, strict=True):
            if outputs and isfinite(outputs[caption]):
                yield Fraction(outputs[caption]), Fraction(score)

    def region_questions(self, item: ReleasedItem) -> Sequence[NewQuestion]:
        shown = [item.shown[f"image_{image}_sha256"] for image in (0, 1)]
        captions = captions_of(shown)
        pictures = [ShownPicture(sha256=one, caption=captions.get(one, "")) for one in shown]
        return [regions(item.shown[f"caption_{caption}"], pictures[image]) for caption, image in PLACES]

    def groups(self, item: ReleasedItem) -> Mapping[str, Sequence[str]]:
        return {
            "swap": [item.row["swap"]] if item.row["swap"] else [],
            "tag": item.row["tags"],
            "predicates": [str(item.row["predicates"])] if item.row["predicates"] else [],
            "visual": [name for name in VISUAL if item.row[name]],
        }

    def across(self, release: Release) -> Mapping[str, Mapping[str, str]]:
        """Return the broad tags as columns, after the paper's tables by linguistic and by visual tag."""
        return {
            "swap": {swap.label: swap.value for swap in Example.Swap},
            "predicates": {count.label: str(count.value) for count in Example.Predicates},
            "visual": {name.capitalize(): name for name in VISUAL},
        }


def _question(row: Row, captions: Mapping[str, str]) -> NewQuestion:
    digests = [row["image_0_sha256"], row["image_1_sha256"]]
    shown = [ShownPicture(sha256=one, caption=captions.get(one, "")) for one in digests]
    return scores([row["caption_0"], row["caption_1"]], shown)


def _exchanged(item: ReleasedItem, values: Sequence[float]) -> list[float]:
    """Return the values with those of the two images exchanged, where the files show them so."""
    if item.shown["image_0_sha256"] == item.row["image_0_sha256"]:
        return list(values)
    return [values[PLACES.index((caption, 1 - image))] for caption, image in PLACES]


def _scores(four: PairScores) -> Scores:
    return {str(kind): Fraction(four.right.by(kind)) for kind in Kind}
